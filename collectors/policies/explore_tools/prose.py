"""What stands in prose: addresses, paths, `name: value`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from worldtape.collectors.policies.explore_tools.names import Words, words

_URL = re.compile(r"[a-z][a-z0-9+.-]{1,15}://[^\s\"'<>)\]}|]+[^\s\"'<>)\]}|.,;:]")
_PATH = re.compile(r"(?<![\w:/.<])/(?:[\w.+@-]+/)*[\w.+@-]+")
_FILE = re.compile(r"(?<![\w/.@-])[\w-]+\.[A-Za-z][A-Za-z0-9]{0,4}(?![\w/.-])")
_ENTRY = re.compile(r"^\[(FILE|DIR)\] (\S[^\n]{0,80}?)(?:  +.*)?$", re.MULTILINE)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w")
_CODE = re.compile(r"(?<![\w-])[A-Z]{1,8}-[A-Z0-9]*\d[A-Z0-9-]*(?![\w-])")
_UUID = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])")
_SHA = re.compile(r"(?<![\w-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])")
_FIELD = re.compile(r"^[\s*#>-]*\"?([A-Za-z][\w .-]{0,30}?)\"?\s{0,3}[:=]\s+\"?([^\n]{1,120}?)\"?,?\s*$", re.MULTILINE)
_LABEL = re.compile(r"^[\W_]*(?:\[\d+\]\s*)?(?:[A-Z][a-z]{2,11}: +)?")
_SMALL = {
    *("a", "an", "and", "are", "as", "at", "be", "by", "did", "do", "for", "from", "had", "has", "in", "is", "it"),
    *("its", "not", "of", "on", "or", "that", "the", "this", "to", "was", "were", "which", "with"),
}
_MARKS = " .,;:()[]\"'|*_#!?"
_WORD = re.compile(r"[A-Za-z][a-z]{3,15}")
_MOST_CHARS = 40_000
_MOST_EACH = 60
_KINDS: tuple[tuple[re.Pattern[str], Words], ...] = (
    (_URL, ("url",)),
    (_PATH, ("path",)),
    (_MAIL, ("email",)),
    (_CODE, ("code", "id")),
    (_UUID, ("id",)),
    (_SHA, ("commit", "hash")),
)


def facts_of(text: str, places: list[str]) -> Iterator[tuple[Words, str]]:
    """Yield names and values that a text tells of.

    Args:
        text: no JSON; only its first part is read.
        places: paths that the call named: file names in the text may lie there.
    """
    text = text[:_MOST_CHARS]
    for pattern, name in _KINDS:
        for index, found in enumerate(pattern.finditer(text)):
            if index == _MOST_EACH:
                break
            yield name, found[0]
    for index, found in enumerate(_FIELD.finditer(text)):
        if index == _MOST_EACH:
            break
        yield words(found[1]), found[2]
    entries = [("directory" if kind == "DIR" else "file", name) for kind, name in _ENTRY.findall(text)]
    entries += [("file", name) for name in _FILE.findall(_URL.sub(" ", text))]
    for kind, name in dict.fromkeys(entries[:_MOST_EACH]):
        yield (kind,), name
        for place in places:
            if not place.endswith(name):
                yield (kind, "path"), f"{place.rstrip('/')}/{name}"


def phrases(text: str) -> list[str]:
    """Return pieces of a text that could be looked for: its first lines, without their addresses."""
    lines = (_LABEL.sub("", line.strip()) for line in _URL.sub(" ", text[:_MOST_CHARS]).split("\n"))
    return [line[:200] for line in lines if _WORD.search(line)][:_MOST_EACH]


def piece(phrase: str, rng: Random) -> str:
    """Return a few words of a phrase in their order, without small words at its ends."""
    found = phrase.split()
    count = min(len(found), rng.choice((1, 1, 2, 2, 3, 4)))
    first = rng.randint(0, len(found) - count)
    chosen = [word.strip(_MARKS) for word in found[first : first + count]]
    for end in (0, -1):
        while chosen and (chosen[end].lower() in _SMALL or not chosen[end]):
            del chosen[end]
    return " ".join(chosen) or max(found, key=len).strip(_MARKS) or found[0]


def coded(value: str) -> bool:
    """Return whether a text looks like an id: `ORD-2003`, a UUID, a hash."""
    return any(pattern.fullmatch(value) for pattern in (_CODE, _UUID, _SHA))


def plain_words(text: str) -> list[str]:
    """Return the words of a text that a search could be made of, lower case, each once."""
    return list(dict.fromkeys(word.lower() for word in _WORD.findall(_URL.sub(" ", text[:_MOST_CHARS]))))[:200]


__all__ = ["coded", "facts_of", "phrases", "piece", "plain_words"]
