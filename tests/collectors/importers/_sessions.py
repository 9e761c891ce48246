"""What holds for every session that is JSON Lines, whoever wrote it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from worldtape.schemas import Imported, ImportedStep, Importer, Orphan, Rejected, Status, derived_id

from ._files import Bytes, jsonl

Told = tuple[str, str | None, Status]


def read(importer: Importer, data: bytes, name: str = "source", **siblings: bytes) -> list[Imported | Rejected]:
    """Return what an importer makes of a file that it must know."""
    source = Bytes(data, name, **siblings)
    assert importer.sniff(source)
    return list(importer.read(source))


def parts(made: Imported | Rejected) -> tuple[list[ImportedStep], list[Orphan]]:
    """Return the steps and the orphans of a trajectory."""
    assert isinstance(made, Imported), made
    items = list(made.steps)
    return [one for one in items if isinstance(one, ImportedStep)], [one for one in items if isinstance(one, Orphan)]


def told(importer: Importer, data: bytes) -> tuple[list[Told], list[str]]:
    """Return what matters of a file of one trajectory, and the codes of its orphans."""
    (made,) = read(importer, data)
    steps, orphans = parts(made)
    tellings = [(step.action.text, step.observation, step.outcome.status) for step in steps]
    return tellings, [orphan.code for orphan in orphans]


def hold_for_lines(importer: Importer, *records: Any) -> None:
    """Hold the rules for lines on a session of one trajectory, of which one observation is `one`."""
    data = jsonl(*records)
    good, codes = told(importer, data)
    assert any(observation == "one" for _, observation, _ in good)
    for same in (b"\xef\xbb\xbf" + data, data.replace(b"\n", b"\r\n"), data.replace(b"\n", b"\n\n \n"), data[:-1]):
        assert told(importer, same) == (good, codes)
    assert told(importer, data + b'{"type":"message","id":"cu') == (good, ["truncated_source", *codes])
    first, _, rest = data.partition(b"\n")
    assert told(importer, first + b"\n[1]\nno\n" + rest) == (good, ["bad_line", "bad_line", *codes])
    for raw, text in ((b"o\xe2\x80\xa8n\xc2\x85e", "o\u2028n\u0085e"), (b"o\\ud800ne", "o\ufffdne")):
        assert json.dumps("one").encode() in data
        odd, _ = told(importer, data.replace(b'"one"', b'"' + raw + b'"'))
        assert odd == [(action, text if seen == "one" else seen, status) for action, seen, status in good]


def hold_for_branches(importer: Importer, *records: Any) -> None:
    """Hold the rules for trees on a session that sees `both`, then `left`, then from `both` on `kept`."""
    data = jsonl(*records)
    main, branch = read(importer, data)
    assert [step.observation for step in parts(main)[0]] == ["both", "kept"]
    assert [step.observation for step in parts(branch)[0]] == ["left"]
    assert isinstance(branch, Imported)
    assert (branch.lineage.kind, branch.lineage.step) == ("branch", 0)
    assert branch.lineage.parent == derived_id(importer.name, Bytes(data).digest, "")


def claimed(importer: Importer, folder: Path) -> set[str]:
    """Return which files of a folder an importer takes for its own."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    names = {path.relative_to(folder).as_posix(): path for path in files}
    return {name for name, path in names.items() if importer.sniff(Bytes(path.read_bytes(), name))}
