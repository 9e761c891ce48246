"""Every importer meets 200 broken versions of a good file."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from worldtape.errors import WorldtapeError
from worldtape.schemas import Imported, ImportedStep, Importer, Lossiness, Orphan, Rejected

from ._files import Bytes

_JUNK = [b"\x00", b"\xff", b"\xed\xa0\x80", b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\n", b"\r\n", b"~", b""]
_VALUES: list[Any] = [None, True, -1, 0, 10**30, 1e308, float("nan"), float("-inf"), "", "\ud800", "~", [], {}, [[]]]
_VALUES += [{"": {}}, [None, 7, "~"], {"type": 7}]
_NESTED = 600
_LONGEST = 1 << 20


def fuzz(
    importer: type[Importer] | Importer,
    fixture: bytes | str | list[Any] | dict[str, Any],
    *,
    times: int = 200,
    seed: int = 5,
    name: str = "source",
    **siblings: bytes,
) -> None:
    """Read `times` mutations of a good `fixture`; fails on any exception that is not ours, and on a wrong pairing.

    A pairing is wrong where an action of the fixture stands beside an observation that the fixture gives only to other
    actions. The fixture should therefore have at least two steps with different actions and different observations.
    """
    reader = importer() if isinstance(importer, type) else importer
    good = Bytes(fixture, name, **siblings)
    assert reader.sniff(good), f"{reader.name} does not know its own fixture"
    answers: dict[tuple[str, str | None], set[str]] = defaultdict(set)
    for step in _steps(reader, good):
        answers[_key(step)].add(step.observation or "")
    assert len(answers) > 1, "give a fixture with at least two different actions"
    known = set().union(*answers.values())
    for number, (kind, data) in enumerate(_mutations(good.data, times, random.Random(seed))):
        try:
            steps = _steps(reader, Bytes(data, name, **siblings))
        except WorldtapeError:
            continue
        except Exception as error:
            where = f"mutation {number} ({kind}) of {reader.name}"
            raise AssertionError(f"{where}: {type(error).__name__}: {error}\n{data[:2000]!r}") from error
        for step in steps:
            own = answers.get(_key(step))
            if own is not None and step.observation in known - {""}:
                assert step.observation in own, f"wrong pairing in mutation {number} ({kind}): {step}\n{data[:4000]!r}"


def survives(importer: type[Importer], fixture: bytes, *, times: int = 200, seed: int = 5) -> None:
    """Read `times` mutations of our own export: errors of ours only. What stands under `worldtape` may say anything."""
    reader = importer()
    for number, (kind, data) in enumerate(_mutations(fixture, times, random.Random(seed))):
        try:
            for record in reader.read(Bytes(data)):
                steps = record.steps if isinstance(record, Imported) else ()
                assert all(isinstance(step, (ImportedStep, Orphan)) for step in steps)
        except WorldtapeError:
            continue
        except Exception as error:
            where = f"mutation {number} ({kind}) of {reader.name}"
            raise AssertionError(f"{where}: {type(error).__name__}: {error}\n{data[:2000]!r}") from error


def _key(step: ImportedStep) -> tuple[str, str | None]:
    return step.action.text, step.action.name


def _steps(reader: Importer, source: Bytes) -> list[ImportedStep]:
    """Read everything as the engine does, and hold what holds for every importer."""
    assert isinstance(reader.sniff(source), bool)
    steps: list[ImportedStep] = []
    locators: set[str] = set()
    for record in reader.read(source):
        if isinstance(record, Rejected):
            assert record.reason
            assert "\n" not in record.reason
            continue
        assert isinstance(record, Imported)
        assert record.locator not in locators, f"two trajectories with the locator {record.locator!r}"
        locators.add(record.locator)
        assert record.domain in reader.domains
        assert record.policy.kind == "imported"
        _declared(reader, record.lossiness)
        for model in (record.environment, record.policy, record.task, record.lineage, record.end, record.initial_state):
            json.dumps(None if model is None else model.to_dict()).encode()
        _text(record.initial)
        for item in record.steps:
            if isinstance(item, Orphan):
                assert item.code
                continue
            _check(reader, item)
            steps.append(item)
    return steps


def _check(reader: Importer, step: ImportedStep) -> None:
    _declared(reader, step.lossiness)
    for text in (step.observation, step.shown, step.action.text, step.action.raw, step.action.name):
        _text(text)
    if step.action.arguments is not None:
        json.loads(step.action.arguments)
    for part in (step.action, step.outcome, step.timing):
        json.dumps(part.to_dict()).encode()


def _declared(reader: Importer, codes: tuple[Lossiness, ...]) -> None:
    assert set(codes) <= set(reader.lossiness), f"{reader.name} does not declare {set(codes) - set(reader.lossiness)}"


def _text(text: str | None) -> None:
    if text is not None:
        assert isinstance(text, str)
        text.encode()


def _mutations(data: bytes, times: int, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    yield "empty", b""
    yield "BOM", b"\xef\xbb\xbf" + data
    yield "CRLF", data.replace(b"\n", b"\r\n")
    yield "no last line feed", data.rstrip(b"\n")
    yield "twice", data + data
    kinds: list[Callable[[bytes, random.Random], bytes]] = [_cut, _flip, _drop, _double, _swap, _swap, _nest]
    for number in range(times - 5):
        kind = kinds[number % len(kinds)]
        yield kind.__name__[1:], kind(data, rng)


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def _flip(data: bytes, rng: random.Random) -> bytes:
    """Put junk at a few places, never a letter or a digit: an id must not become another one that exists."""
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 3])):
        at = rng.randrange(len(out))
        out[at : at + 1] = rng.choice(_JUNK)
    return bytes(out)


def _drop(data: bytes, rng: random.Random) -> bytes:
    """Leave out one line, or one member of the document."""
    lines = data.splitlines(keepends=True)
    if len(lines) > 2:
        del lines[rng.randrange(len(lines))]
        return b"".join(lines)
    return _changed(data, rng, lambda parent, key: parent.pop(key))


def _double(data: bytes, rng: random.Random) -> bytes:
    """Repeat one line, or one item of a list."""
    lines = data.splitlines(keepends=True)
    if len(lines) > 2:
        at = rng.randrange(len(lines))
        return b"".join([*lines[: at + 1], *lines[at:]])

    def double(parent: Any, key: Any) -> None:
        if isinstance(parent, list):
            parent.insert(key, parent[key])

    return _changed(data, rng, double)


def _swap(data: bytes, rng: random.Random) -> bytes:
    """Put a value of another type or size in the place of one."""

    def swap(parent: Any, key: Any) -> None:
        parent[key] = rng.choice(_VALUES)

    return _changed(data, rng, swap)


def _nest(data: bytes, rng: random.Random) -> bytes:
    """Put a value that is nested too deep, or far too long, in the place of one."""
    mark = "\x01deep\x01"

    def nest(parent: Any, key: Any) -> None:
        parent[key] = mark

    deep = rng.choice([b"[" * _NESTED + b"]" * _NESTED, b'{"a":' * _NESTED + b"1" + b"}" * _NESTED])
    deep = rng.choice([deep, deep, b'"' + b"x" * _LONGEST + b'"', b"1" * 5000])
    return _changed(data, rng, nest).replace(json.dumps(mark).encode(), deep)


def _changed(data: bytes, rng: random.Random, change: Callable[[Any, Any], Any]) -> bytes:
    """Apply `change` to a random place of the JSON document, or of one JSON line; else flip bytes."""
    try:
        document = json.loads(data)
    except ValueError:
        return _line_changed(data, rng, change)
    _at_random(document, rng, change)
    return json.dumps(document).encode() + b"\n"


def _line_changed(data: bytes, rng: random.Random, change: Callable[[Any, Any], Any]) -> bytes:
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    try:
        value = json.loads(lines[at])
    except ValueError:
        return _flip(data, rng)
    _at_random(value, rng, change)
    lines[at] = json.dumps(value).encode()
    return b"\n".join(lines)


def _at_random(value: Any, rng: random.Random, change: Callable[[Any, Any], Any]) -> None:
    places: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        node = stack.pop()
        keys = node.keys() if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        places += [(node, key) for key in keys]
        stack += [node[key] for key in keys]
    if places:
        change(*rng.choice(places))
