"""Arguments that a tool's schema allows, with values that were seen where they name something."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from worldtape.collectors.policies.explore_tools.names import Words, creates, identifies, noun, words
from worldtape.collectors.policies.explore_tools.seen import Seen
from worldtape.collectors.policies.explore_tools.shape import Shape, merged, types
from worldtape.collectors.policies.explore_tools.texts import number, text

_TRIES = 12
_DEEP = 6
_MOST_ITEMS = 3
_ANY = ("string", "integer", "boolean")


class Maker:
    """Makes the arguments of one call.

    Args:
        shape: of the tool.
        seen: values of earlier answers.
        rng: the policy's only source of chance.

    Attributes:
        invented: how many values had to be invented that name something (ids, paths): such a call will hardly be
            answered well.
        fresh: how many values of the newest answer were used.
    """

    def __init__(self, shape: Shape, seen: Seen, rng: Random) -> None:
        self.shape = shape
        self.seen = seen
        self.rng = rng
        self.invented = 0
        self.fresh = 0
        self._eager = 0.5

    def arguments(self) -> dict[str, Any] | None:
        """Return arguments that fit the schema; None where that did not succeed."""
        for _ in range(_TRIES):
            self.invented = self.fresh = 0
            self._eager = self.rng.choice((0.15, 0.5, 0.9))
            made = self._object(self.shape.top, (noun(self.shape.tool.name),), 0)
            if self.shape.fits(made):
                return made
        return None

    def value(self, schema: Any, name: Words, holder: Words = (), depth: int = 0) -> Any:
        """Return a value for one schema.

        Args:
            schema: as it stands; references are followed.
            name: what the property is called.
            holder: what the object is called that it belongs to.
            depth: objects and arrays around it.
        """
        whole = self.shape.whole(schema)
        for key in ("oneOf", "anyOf"):
            if isinstance(whole.get(key), list) and whole[key]:
                return self._one_of(whole, key, name, holder, depth)
        if "const" in whole:
            return whole["const"]
        if isinstance(whole.get("enum"), list) and whole["enum"]:
            return self.rng.choice(whole["enum"])
        if "default" in whole and self.rng.random() < 0.2:  # noqa: PLR2004
            return whole["default"]
        kinds = types(whole) or list(_ANY)
        kind = self.rng.choice([each for each in kinds if each != "null"] or ["null"])
        if len(kinds) > 1 and "null" in kinds and self.rng.random() < 0.15:  # noqa: PLR2004
            return None
        return self._of_kind(kind, whole, name, holder, depth)

    def _of_kind(self, kind: str, schema: dict[str, Any], name: Words, holder: Words, depth: int) -> Any:  # noqa: PLR0911
        if kind == "object":
            return self._object(schema, name, depth)
        if kind == "array":
            return self._array(schema, name, holder, depth)
        if kind == "boolean":
            return self.rng.random() < 0.5  # noqa: PLR2004
        if kind == "null":
            return None
        whole = kind == "integer"
        made = self._known(schema, name, holder, kind)
        if made is not None:
            return made
        if kind == "string":
            return text(name, schema, self.seen, self.rng)
        return number(name, schema, self.rng, whole=whole)

    def _one_of(self, whole: dict[str, Any], key: str, name: Words, holder: Words, depth: int) -> Any:
        beside = {each: value for each, value in whole.items() if each != key}
        branches = [self.shape.whole(branch) for branch in whole[key]]
        solid = [branch for branch in branches if branch.get("type") != "null"]
        branch = self.rng.choice(solid if solid and self.rng.random() < 0.9 else branches)  # noqa: PLR2004
        return self.value(merged(beside, branch), name, holder, depth)

    def _object(self, schema: dict[str, Any], name: Words, depth: int) -> dict[str, Any]:
        properties = schema.get("properties") if isinstance(schema.get("properties"), dict) else {}
        assert isinstance(properties, dict)
        required = schema.get("required") if isinstance(schema.get("required"), list) else []
        assert isinstance(required, list)
        made = {}
        for key, inner in properties.items():
            if inner is not False and (key in required or (depth < _DEEP and self._wanted(words(key)))):
                made[key] = self.value(inner, words(key), name, depth + 1)
        for key in required:
            if key not in made:
                made[key] = self.value({}, words(str(key)), name, depth + 1)
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and not properties and depth < _DEEP:
            for _ in range(self.rng.randint(1, 2)):
                key = self.rng.choice(list(self.seen.vocabulary) or ["plan", "owner"])
                made[key] = self.value(extra, words(key), name, depth + 1)
        return made

    def _wanted(self, name: Words) -> bool:
        """Whether an optional property is given; the place in a list is only where one was told."""
        if name[-1:] in (("cursor",), ("token",)):
            return False
        return self.rng.random() < self._eager

    def _array(self, schema: dict[str, Any], name: Words, holder: Words, depth: int) -> list[Any]:
        first = schema.get("prefixItems")
        made = [self.value(item, name, holder, depth + 1) for item in first] if isinstance(first, list) else []
        items = schema.get("items", {})
        low, high = schema.get("minItems", 0), schema.get("maxItems", _MOST_ITEMS)
        if items is False:
            return made
        usual = max(low, 1) if depth < _DEEP else low
        count = self.rng.choice((usual, usual, min(high, max(low, _MOST_ITEMS)), low))
        tries = 0
        while len(made) < min(count, high) and tries < _TRIES * (count + 1):
            tries += 1
            item = self.value(items, name, holder, depth + 1)
            if item not in made:
                made.append(item)
        while len(made) < low:
            made.append(self.value(items, name, holder, depth + 1))
        return made

    def _known(self, schema: dict[str, Any], name: Words, holder: Words, kind: str) -> Any:
        """Return a value seen before, None where there is none or chance says otherwise."""
        naming = identifies(name) or schema.get("format") in ("uri", "uuid")
        if kind != "string" and not naming:
            return None
        making = creates(self.shape.tool.name)
        if not naming and self.rng.random() > (0.35 if making else 0.75):
            return None
        fits = self._kind_fits(schema, kind)
        found = self.seen.values(name, fits, least=3 if not naming else 2)
        if len(name) == 1 and holder and name[0] in ("id", "name", "key", "code"):
            found = self.seen.values((*holder[-1:], *name), fits, least=3) or found
        if not found and naming and isinstance(schema.get("description"), str):
            told = words(schema["description"])
            found = [pair for word in dict.fromkeys(told) for pair in self.seen.values((word, "id"), fits, least=4)]
        if not found:
            self.invented += naming
            return None
        value, turn = self._pick(found)
        self.fresh += turn == self.seen.turn
        return value

    def _pick(self, found: list[tuple[Any, int]]) -> tuple[Any, int]:
        chance = self.rng.random()
        newest = [pair for pair in found if pair[1] == self.seen.turn]
        if newest and chance < 0.5:  # noqa: PLR2004
            return self.rng.choice(newest)
        return self.rng.choice(found[-6:] if chance < 0.75 else found)  # noqa: PLR2004

    def _kind_fits(self, schema: dict[str, Any], kind: str) -> Callable[[Any], bool]:
        def fits(value: Any) -> bool:
            right = isinstance(value, str) if kind == "string" else isinstance(value, (int, float))
            return right and self.shape.fits(value, schema)

        return fits


__all__ = ["Maker"]
