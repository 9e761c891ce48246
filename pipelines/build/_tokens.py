"""How long a text is: in tokens of somebody's tokenizer, or in bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from worldtape.errors import ConfigError, NotFoundError, need


class Counter(Protocol):
    """Counts the messages of a sample one by one; what a chat template adds around them is not counted."""

    name: str
    """Stands in the column `token_counter`."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return one length per text."""
        ...


class ByteCounter:
    """Bytes of UTF-8, where no tokenizer is given."""

    name = "utf8_bytes"

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return one length per text."""
        return [len(text.encode("utf-8", "replace")) for text in texts]


class TokenizerCounter:
    """Tokens of a `tokenizer.json`, without special tokens."""

    def __init__(self, tokenizer: Any, digest: str) -> None:
        self._tokenizer = tokenizer
        self.name = f"tokenizer.json@{digest[:12]}"

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return one length per text."""
        return [len(one) for one in self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]


def make_counter(tokenizer: str | None) -> Counter:
    """Return the counter for the path of a `tokenizer.json`, or that of bytes.

    Raises:
        NotFoundError: no such file.
        ConfigError: the file is no tokenizer.
        ComponentError: `tokenizers` is not installed.
    """
    if tokenizer is None:
        return ByteCounter()
    path = Path(tokenizer)
    path = path / "tokenizer.json" if path.is_dir() else path
    if not path.is_file():
        raise NotFoundError("no tokenizer here", where=path, fix="give the path of a tokenizer.json")
    return _load(path, hashlib.sha256(path.read_bytes()).hexdigest())


@lru_cache(maxsize=2)
def _load(path: Path, digest: str) -> Counter:
    tokenizers = need("tokenizers", extra="tokens")
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises plain Exception
        raise ConfigError(f"not a tokenizer.json: {error}", where=path) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return TokenizerCounter(tokenizer, digest)
