"""One JSON text for one value."""

import json
from typing import Any

import orjson

_OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS


def canonical_json(value: Any) -> str:
    """Return `value` as JSON: keys sorted, no spaces, UTF-8, lone surrogates and NaN replaced.

    Integers beyond 64 bits are kept. The same value always gives the same text, so that texts can be compared.
    """
    try:
        return orjson.dumps(value, option=_OPTIONS).decode()
    except (TypeError, orjson.JSONEncodeError):
        text = json.dumps(_clean(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8", "replace").decode()


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(_clean(key)): _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):  # noqa: PLR0124
        return None
    return value
