"""Arguments that a tool's schema allows, with values that were seen where they name something."""

from __future__ import annotations

from collections.abc import Callable, Collection
from random import Random
from typing import Any

from worldtape.collectors.policies.explore_tools.names import (
    FREE,
    Words,
    creating,
    identifies,
    likeness,
    makes,
    noun,
    place,
    words,
)
from worldtape.collectors.policies.explore_tools.seen import Seen
from worldtape.collectors.policies.explore_tools.shape import Shape, merged, quoted, types
from worldtape.collectors.policies.explore_tools.texts import number, text

_TRIES = 12
_DEEP = 6
_MOST_ITEMS = 3
_ANY = ("string", "integer", "boolean")
_BARE = ("id", "name", "key", "code")
_TURNING = ("cursor", "token")
_COUNTING = {"limit", "count", "page", "size", "offset", "max", "top", "head", "tail"}


class Maker:
    """Makes the arguments of one call.

    Args:
        shape: of the tool.
        seen: values of earlier answers.
        rng: the policy's only source of chance.
        wanted: what should be said of the things that are named: `paid`, `manager`.
        unwanted: what should not be said of them.
        failed: values with which this tool failed before.
        seeking: leave out every optional property that has no choice which is `wanted`.

    Attributes:
        invented: how many values had to be invented that name something (ids, paths): such a call will hardly be
            answered well.
        fresh: how many values of the newest answer were used.
        meant: how many values are of things of which something `wanted` is said.
        guessed: how many texts had to be guessed that others chose: a city to filter by.
        sought: how many choices are `wanted` words themselves.
        poor: how many values failed before, or are of things of which nothing `wanted` is said.
    """

    def __init__(
        self,
        shape: Shape,
        seen: Seen,
        rng: Random,
        *,
        wanted: Collection[str] = (),
        unwanted: Collection[str] = (),
        failed: Collection[Any] = (),
        seeking: bool = False,
    ) -> None:
        self.shape = shape
        self.seen = seen
        self.rng = rng
        self.wanted = set(wanted)
        self.unwanted = set(unwanted) - self.wanted
        self.failed = set(failed)
        self.seeking = seeking
        self._begin()

    def arguments(self) -> dict[str, Any] | None:
        """Return arguments that fit the schema; None where that did not succeed."""
        for _ in range(_TRIES):
            self._begin()
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
        choices = self._choices(whole)
        if choices:
            return self._choice(choices)
        kinds = types(whole) or list(_ANY)
        kind = self.rng.choice([each for each in kinds if each != "null"] or ["null"])
        if len(kinds) > 1 and "null" in kinds and self.rng.random() < 0.15:  # noqa: PLR2004
            return None
        return self._of_kind(kind, whole, name, holder, depth)

    def _choices(self, whole: dict[str, Any]) -> list[Any]:
        """Return the values to choose from; none where it has to be made."""
        if "const" in whole:
            return [whole["const"]]
        if isinstance(whole.get("enum"), list) and whole["enum"]:
            return list(whole["enum"])
        told = quoted(whole)
        if told and self.rng.random() < 0.85:  # noqa: PLR2004
            return told
        return [whole["default"]] if "default" in whole and self.rng.random() < 0.2 else []  # noqa: PLR2004

    def _choice(self, choices: list[Any]) -> Any:
        right = [choice for choice in choices if isinstance(choice, str) and choice.lower() in self.wanted]
        self.sought += bool(right)
        return self.rng.choice(right or choices)

    def _begin(self) -> None:
        self.invented = self.fresh = self.meant = self.poor = self.guessed = self.sought = 0
        self._eager = self.rng.choice((0.15, 0.5, 0.9))
        self._about: dict[Words, Any] = {}
        """The fields of the thing that was named last: other arguments may be its own."""

    def _of_kind(  # noqa: PLR0911
        self, kind: str, schema: dict[str, Any], name: Words, holder: Words, depth: int
    ) -> Any:
        if kind == "object":
            return self._object(schema, name, depth)
        if kind == "array":
            return self._array(schema, name, holder, depth)
        if kind == "boolean":
            return self.rng.random() < 0.5  # noqa: PLR2004
        if kind == "null":
            return None
        made = self._known(schema, name, holder) if kind == "string" else self._known_number(schema, name, kind)
        if made is not None:
            return made
        if kind == "string":
            self.guessed += not (set(name) & FREE) and not makes(self.shape.tool.name, name, holder)
            return text(place(name, self.shape.tool.name), schema, self.seen, self.rng)
        return number(name, schema, self.rng, whole=kind == "integer")

    def _one_of(self, whole: dict[str, Any], key: str, name: Words, holder: Words, depth: int) -> Any:
        beside = {each: value for each, value in whole.items() if each != key}
        branches = [self.shape.whole(branch) for branch in whole[key]]
        solid = [branch for branch in branches if branch.get("type") != "null"]
        branch = self.rng.choice(solid if solid and self.rng.random() < 0.9 else branches)  # noqa: PLR2004
        return self.value(merged(beside, branch), name, holder, depth)

    def _object(self, schema: dict[str, Any], name: Words, depth: int) -> dict[str, Any]:
        found, must = schema.get("properties"), schema.get("required")
        properties: dict[str, Any] = found if isinstance(found, dict) else {}
        required: list[str] = must if isinstance(must, list) else []
        made: dict[str, Any] = {}
        for key in sorted(properties, key=lambda key: key not in required):
            wanted = key in required or (depth < _DEEP and self._wanted(key, schema, len(made)))
            if wanted and properties[key] is not False:
                before = self.guessed, self.invented
                value = self.value(properties[key], words(key), name, depth + 1)
                if key in required or (self.guessed, self.invented) == before or self._reading() < 0.2:  # noqa: PLR2004
                    made[key] = value
                else:
                    self.guessed, self.invented = before
        for key in required:
            if key not in made:
                made[key] = self.value({}, words(str(key)), name, depth + 1)
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and not properties and depth < _DEEP:
            for _ in range(self.rng.randint(1, 2)):
                key = self.rng.choice(list(self.seen.vocabulary) or ["plan", "owner"])
                made[key] = self.value(extra, words(key), name, depth + 1)
        return made

    def _reading(self) -> float:
        """Return a chance; always 0 for tools that make something: their texts are free."""
        return 0.0 if creating(self.shape.tool.name) else self.rng.random()

    def _wanted(self, key: str, schema: dict[str, Any], made: int) -> bool:
        """Whether an optional property is given; the place in a list is only where one was told."""
        name = words(key)
        if self.seeking:
            choices = self.shape.whole(schema["properties"][key]).get("enum") or ()
            return any(choice in self.wanted for choice in choices if isinstance(choice, str))
        if name[-1:] and name[-1] in _TURNING:
            return False
        return made < schema.get("minProperties", 0) or self.rng.random() < self._eager

    def _array(self, schema: dict[str, Any], name: Words, holder: Words, depth: int) -> list[Any]:
        first = schema.get("prefixItems")
        made = [self.value(item, name, holder, depth + 1) for item in first] if isinstance(first, list) else []
        items = schema.get("items", {})
        low, high = schema.get("minItems", 0), schema.get("maxItems", _MOST_ITEMS)
        if items is False:
            return made
        usual = max(low, 1) if depth < _DEEP else low
        count = self.rng.choice((usual, usual, usual, min(high, max(low, _MOST_ITEMS)), low))
        for _ in range(_TRIES * (count + 1)):
            if len(made) >= min(count, high):
                break
            item = self.value(items, name, holder, depth + 1)
            if not any(_same(item, other) for other in made):
                made.append(item)
        while len(made) < low:
            made.append(self.value(items, name, holder, depth + 1))
        return made

    def _known(self, schema: dict[str, Any], name: Words, holder: Words) -> str | None:
        """Return a text seen before, None where there is none or chance says otherwise."""
        wanted = place(name, self.shape.tool.name)
        form = schema.get("format")
        naming = identifies(wanted) or form in ("uri", "uuid") or ("pattern" in schema and form is None)
        new = makes(self.shape.tool.name, name, holder)
        fits = self._fits(schema, str)
        if new and identifies(wanted):
            return self._beside(wanted, fits) if self.rng.random() < 0.6 else self._chosen(wanted, fits)  # noqa: PLR2004
        if not naming and self.rng.random() > (0.3 if new else 0.75):
            return None
        found = self.seen.values(wanted, fits, least=2 if naming else 3)
        if not found and schema.get("format") in ("date", "date-time"):
            found = [(value, -1) for value in self.seen.dates if fits(value)]
        if len(name) == 1 and holder and name[0] in _BARE:
            found = self.seen.values((*holder[-1:], *name), fits, least=3) or found
        if not found and isinstance(schema.get("description"), str):
            found = self.seen.named_in(words(schema["description"]), fits)
        if found:
            return str(self._pick(found))
        self.invented += naming or (name[-1:] == ("name",) and len(name) > 1)
        return None

    def _chosen(self, wanted: Words, fits: Callable[[Any], bool]) -> str | None:
        found = self.seen.values(wanted, fits)
        return str(self._pick(found)) if found else None

    def _beside(self, wanted: Words, fits: Callable[[Any], bool]) -> str | None:
        """Return a new path in a folder that was seen; None for what is no path."""
        if wanted[-1] != "path":
            return None
        folders = self.seen.values(("directory", "path"), lambda value: isinstance(value, str) and "/" in value)
        if not folders:
            return None
        leaf = text(wanted[:-1] or ("file",), {}, self.seen, self.rng)
        made = f"{str(self.rng.choice(folders)[0]).rstrip('/')}/{leaf}"
        return made if fits(made) else None

    def _known_number(self, schema: dict[str, Any], name: Words, kind: str) -> int | float | None:
        """Return a number that stood under this name: of the thing that was named, or of any."""
        if _COUNTING & set(name):
            return None
        fits = self._fits(schema, int if kind == "integer" else float)
        naming = identifies(name)
        for close in (4, 3, 1):
            own = [value for key, value in self._about.items() if likeness(name, key) >= close and fits(value)]
            if own and self.rng.random() < 0.8:  # noqa: PLR2004
                return self._moved(own[0], kind, fits) if close == 4 and not naming else own[0]  # noqa: PLR2004
        if not naming and self.rng.random() < 0.4:  # noqa: PLR2004
            return None
        found = self.seen.values(name, fits, least=2 if naming else 3)
        if not found:
            self.invented += naming
            return None
        value: int | float = self._pick(found)
        return value if naming else self._moved(value, kind, fits)

    def _moved(self, value: float, kind: str, fits: Callable[[Any], bool]) -> int | float:
        """Return a number, or one near it."""
        if self.rng.random() < 0.3:  # noqa: PLR2004
            return value
        moved = value * self.rng.choice((0.8, 0.9, 1.1, 1.25))
        made = round(moved) if kind == "integer" else round(moved, 2)
        return made if fits(made) else value

    def _pick(self, found: list[tuple[Any, int]]) -> Any:
        """Choose a value: of things of which the right is said, that did not fail here, and rather newer ones."""
        right = [pair for pair in found if self.wanted & self.seen.labels(pair[0])] if self.wanted else []
        good = [
            pair
            for pair in right or found
            if pair[0] not in self.failed and not self.unwanted & self.seen.labels(pair[0])
        ]
        self.meant += bool(right)
        self.poor += not good or bool(self.wanted and not right)
        found = good or found
        chance = self.rng.random()
        newest = [pair for pair in found if pair[1] == self.seen.turn]
        if newest and chance < 0.5:  # noqa: PLR2004
            found = newest
        elif chance < 0.75:  # noqa: PLR2004
            found = found[-6:]
        value, turn = self.rng.choice(found)
        self.fresh += turn == self.seen.turn
        self._about = dict(self.seen.records.get(value, {})) or self._about
        return value

    def _fits(self, schema: dict[str, Any], kind: type) -> Callable[[Any], bool]:
        kinds = (int, float) if kind is float else kind

        def fits(value: Any) -> bool:
            return isinstance(value, kinds) and not isinstance(value, bool) and self.shape.fits(value, schema)

        return fits


def _same(one: Any, other: Any) -> bool:
    """Whether two items of an array are about the same thing."""
    if isinstance(one, dict) and isinstance(other, dict):
        return any(identifies(words(key)) and other.get(key) == value for key, value in one.items()) or one == other
    return bool(one == other)


__all__ = ["Maker"]
