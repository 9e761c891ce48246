"""Files of others become tapes, once, and the report adds up."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from tests.pipelines.importing import Fool, Toy, Twin, only, put, rows, toy
from tests.pipelines.lakes import files
from worldtape import Lake, import_files, project, query
from worldtape.errors import InputError, NotFoundError
from worldtape.pipelines.importing import ImportReport
from worldtape.storage import TapeReader, find_tapes, validate

SECOND = 1_000_000
AT = 1_764_583_200 * SECOND


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, Toy)


def adds_up(report: ImportReport) -> ImportReport:
    assert report.files == report.imported + len(report.refused) + len(report.unknown)
    for one in report.formats.values():
        assert one.records == one.trajectories + one.present + one.rejected
    assert report.imported == report.total.files
    return report


def run(source: Path | str, lake: Path, **options: object) -> ImportReport:
    return adds_up(import_files([source], lake, **options))  # type: ignore[arg-type]


def tapes(lake: Path) -> list[Path]:
    return sorted(find_tapes(lake))


def unpacked(path: Path) -> bytes:
    with path.open("rb") as file:
        return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read()


def only_tape(lake: Path) -> TapeReader:
    (path,) = tapes(lake)
    assert validate(path).problems == []
    return TapeReader(path)


def test_one_file_becomes_one_tape(tmp_path: Path) -> None:
    source = put(tmp_path / "in" / "a.json", toy(("ls", "x\n"), ("pwd", "é\u2028"), initial="$", at=AT))
    report = run(tmp_path / "in", tmp_path / "lake")
    assert (report.files, report.total.trajectories, report.total.transitions) == (1, 1, 2)
    assert report.total.lossiness == {"no_exit_code": 2}
    reader = only_tape(tmp_path / "lake")
    told = reader.header["source"]
    assert (told["kind"], told["format"], told["uri"], told["locator"]) == ("imported", "toy", "a.json", None)
    assert Lake.open(tmp_path / "lake").blobs.get(reader.header["extra"]["source_blob"]) == source.read_bytes()
    kinds = [event.kind for event in reader.events()]
    start, step = ["header", "data", "ready", "captured"], ["action", "data", "captured", "result"]
    assert kinds == [*start, "thought", *step, *step, "end"]
    assert [event.wall_us - AT for event in reader.events() if event.kind == "result"] == [0, SECOND]


def test_projection_gives_the_same_words(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    row = toy(("ls", 'x"\\\n\x00'), ("pwd", "é\U0001f600"), ("big", "z" * 100_000), ("hush", None), ("none", ""))
    put(tmp_path / "a.jsonl", rows(row, toy(at=AT)))
    run(tmp_path / "a.jsonl", lake)
    done = project(lake, workers=0)
    assert (done.trajectories, done.transitions, done.mismatched, done.set_aside) == (2, 7, 0, {})
    sql = "SELECT n.* FROM transitions n JOIN trajectories t USING (trajectory_id)"
    told = query(lake, f"{sql} WHERE t.transitions = 5 ORDER BY step").to_pylist()
    assert [line["observation_text"] for line in told] == [text for _, text in row["steps"]]
    assert told[3]["lossiness"] == ["no_exit_code", "no_timestamps"]
    assert json.loads(told[3]["extra"]) == {"locator": "/steps/3", "source": {"number": 3}}
    times = query(lake, "SELECT started_at FROM trajectories ORDER BY started_at NULLS FIRST").to_pylist()
    assert [line["started_at"] is None for line in times] == [True, False]


def test_a_second_import_adds_nothing(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    put(tmp_path / "in" / "a.jsonl", rows(toy(), toy(("c", "C")), toy(bad=1)))
    put(tmp_path / "in" / "copy.jsonl", rows(toy(), toy(("c", "C")), toy(bad=1)))
    first = run(tmp_path / "in", lake)
    assert (first.total.trajectories, first.total.present, first.total.rejected) == (2, 2, 2)
    before = files(lake, ".")
    again = run(tmp_path / "in", lake)
    assert (again.total.trajectories, again.total.present, again.total.transitions) == (0, 4, 0)
    assert files(lake, ".") == before


def test_what_was_taken_down_does_not_come_back(tmp_path: Path) -> None:
    from worldtape.storage.lake import forget

    lake = tmp_path / "lake"
    put(tmp_path / "in" / "a.jsonl", rows(toy(), toy(("secret", "s3cret"))))
    run(tmp_path / "in", lake)
    (gone,) = [t for t in tapes(lake) if any("secret" in str(e.data) for e in TapeReader(t).events())]
    forget(Lake.open(lake), TapeReader(gone).trajectory_id)
    assert run(tmp_path / "in", lake).total.present == 2
    assert len(tapes(lake)) == 1
    stored = [path for path in lake.rglob("*") if path.suffix in (".zst", ".pack")]
    kept = [unpacked(path) for path in stored]
    assert any(b"header" in data for data in kept)
    assert not any(b"s3cret" in data for data in kept)
    assert validate(*tapes(lake)).problems == []


def test_two_lakes_get_identical_tapes(tmp_path: Path) -> None:
    put(tmp_path / "in" / "a.jsonl", rows(toy(at=AT), toy(("c", "C" * 200_000))))
    put(tmp_path / "in" / "b.json", toy(initial="i"))
    for lake in ("one", "two"):
        run(tmp_path / "in", tmp_path / lake)
    assert files(tmp_path / "one", "tapes", "blobs") == files(tmp_path / "two", "tapes", "blobs")


def test_reasons_are_told(tmp_path: Path) -> None:
    put(tmp_path / "in" / "future.json", toy() | {"toy": 2})
    put(tmp_path / "in" / "predictions.json", toy(nothing=1))
    put(tmp_path / "in" / "crash.json", toy(crash="file"))
    put(tmp_path / "in" / "step.json", toy(("a", "A"), ("crash", "B")))
    put(tmp_path / "in" / "rows.jsonl", rows(toy(), toy(bad=1), toy(("crash", "B")), toy(("c", "C"))))
    put(tmp_path / "in" / "empty", b"")
    put(tmp_path / "in" / "other.json", b'{"x": 1}')
    put(tmp_path / "in" / "binary", bytes(range(256)))
    put(tmp_path / "in" / "model.pkl", b"\x80\x04\x95cposix\nsystem\n")
    report = run(tmp_path / "in", tmp_path / "lake")
    assert dict(report.refused) == {
        "crash.json": "the importer toy failed (KeyError: 'crash'), which is a bug: please report it",
        "future.json": "toy version 2 is newer than 1",
        "predictions.json": "predictions only",
    }
    why = dict(report.unknown)
    assert why["empty"] == "empty"
    assert why["other.json"] == "JSON of unknown shape"
    assert why["binary"] == "binary"
    assert "pickle" in why["model.pkl"]
    failed = "the importer toy failed (ZeroDivisionError), which is a bug: please report it"
    told = {(one.source, one.reason) for one in report.rejected}
    assert told == {("rows.jsonl", failed), ("rows.jsonl", "bad"), ("step.json", failed)}
    assert not report.ok
    assert report.total.trajectories == 2
    assert len(tapes(tmp_path / "lake")) == 2


def test_orphans_are_notices(tmp_path: Path) -> None:
    put(tmp_path / "a.json", toy(("a", "A"), ("orphan", "lost"), ("b", "B")))
    report = run(tmp_path / "a.json", tmp_path / "lake")
    assert report.total.orphans == {"orphan_result": 1}
    assert report.total.transitions == 2
    notices = [event.data for event in only_tape(tmp_path / "lake").events() if event.kind == "notice"]
    assert notices == [{"code": "orphan_result", "text": "lost"}]


def test_times_that_run_backwards_keep_their_order(tmp_path: Path) -> None:
    put(tmp_path / "a.json", toy(at=AT, pace=-SECOND))
    run(tmp_path / "a.json", tmp_path / "lake")
    events = list(only_tape(tmp_path / "lake").events())
    assert [e.data["code"] for e in events if e.kind == "notice"] == ["clock_step"]
    assert [e.data["text"] for e in events if e.kind == "action"] == ["a", "b"]


def test_impossible_times_are_left_out(tmp_path: Path) -> None:
    put(tmp_path / "a.json", toy(at=10**17, pace=10**30))
    report = run(tmp_path / "a.json", tmp_path / "lake")
    assert report.total.orphans == {"impossible_time": 2}
    assert project(tmp_path / "lake", workers=0).transitions == 2


def test_two_claims_are_an_error_unless_one_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, Toy, Twin)
    put(tmp_path / "a.json", toy())
    report = run(tmp_path / "a.json", tmp_path / "lake")
    assert "toy and twin both claim it" in report.refused[0][1]
    assert list(run(tmp_path / "a.json", tmp_path / "lake", format="twin").formats) == ["twin"]


def test_an_importer_that_fails_at_sniffing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, Fool)
    put(tmp_path / "a.json", toy())
    assert "the importer fool failed (IndexError" in run(tmp_path / "a.json", tmp_path / "lake").refused[0][1]


def test_the_format_of_named_files_is_not_asked_for(tmp_path: Path) -> None:
    late = b" " * 100 + rows(toy())
    put(tmp_path / "in" / "a.jsonl", late)
    assert run(tmp_path / "in", tmp_path / "lake", format="toy").unknown
    assert run(tmp_path / "in" / "a.jsonl", tmp_path / "lake", format="toy").total.trajectories == 1


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + rows(toy(), toy(("c", "C"))),
        rows(toy(), toy(("c", "C"))).replace(b"\n", b"\r\n"),
        rows(toy(), toy(("c", "C"))).rstrip(),
        json.dumps([toy(), toy(("c", "é"))], ensure_ascii=False).encode(),
        b"\xef\xbb\xbf" + json.dumps([toy(), toy(("c", "é"))], indent=2, ensure_ascii=False).encode(),
    ],
    ids=["BOM", "CRLF", "no last line feed", "list", "BOM and pretty list"],
)
def test_records_keep_their_own_bytes(tmp_path: Path, data: bytes) -> None:
    put(tmp_path / "a.jsonl", data)
    assert run(tmp_path / "a.jsonl", tmp_path / "lake").total.trajectories == 2
    kept = [event.data for path in tapes(tmp_path / "lake") for event in TapeReader(path).events()]
    texts = [json.loads(found["text"]) for found in kept if found.get("code") == "source_record"]
    assert sorted(len(text["steps"]) for text in texts) == [1, 2]
    for path in tapes(tmp_path / "lake"):
        start, end = map(int, TapeReader(path).header["extra"]["source_bytes"].split("-"))
        assert json.loads(data[start:end]) in texts


def test_a_pretty_printed_object_is_one_document(tmp_path: Path) -> None:
    put(tmp_path / "a.jsonl", json.dumps(toy(), indent=2).encode())
    assert run(tmp_path / "a.jsonl", tmp_path / "lake").total.trajectories == 1


def test_a_cut_last_line_is_one_rejected_record(tmp_path: Path) -> None:
    put(tmp_path / "a.jsonl", rows(toy(), toy(("c", "C")))[:-9])
    report = run(tmp_path / "a.jsonl", tmp_path / "lake")
    assert (report.total.trajectories, report.total.rejected) == (1, 1)
    (aside,) = (tmp_path / "lake" / "set-aside" / "import").iterdir()
    (line,) = aside.read_bytes().splitlines()
    assert json.loads(line)["reason"] == "truncated_source"


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = gzip.compress(rows(toy(), toy(("c", "C"))))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert run("-", tmp_path / "lake").total.trajectories == 2
    assert {TapeReader(path).header["source"]["uri"] for path in tapes(tmp_path / "lake")} == {"stdin"}


def test_folders_are_walked_whole(tmp_path: Path) -> None:
    root = tmp_path / "in"
    put(root / ".hidden" / "a.json", toy(("hidden", "A")))
    put(root / ".git" / "b.json", toy(("git", "B")))
    put(root / "z" / "c.json", toy(sibling="../note.txt"))
    put(root / "note.txt", b"beside")
    report = run(root, root / "lake")
    assert report.total.trajectories == 2
    assert report.unknown == [("note.txt", "text of unknown shape")]
    again = run(root, root / "lake")
    assert again.total.present == 2
    assert again.unknown == report.unknown
    told = [TapeReader(path).header["extra"].get("source") for path in tapes(root / "lake")]
    assert {"sibling": "beside"} in told


def test_what_was_given_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no such file"):
        import_files([tmp_path / "no"], tmp_path / "lake")
    with pytest.raises(InputError, match="nothing to import"):
        import_files([], tmp_path / "lake")
    put(tmp_path / "a.json", toy())
    with pytest.raises(NotFoundError, match="no format is called 'tyo'"):
        import_files([tmp_path / "a.json"], tmp_path / "lake", format="tyo")
    with pytest.raises(InputError, match="local folder"):
        import_files([tmp_path / "a.json"], "memory://lake")
    assert not (tmp_path / "lake").exists()


def test_progress_is_told_in_bytes(tmp_path: Path) -> None:
    for number in range(3):
        put(tmp_path / "in" / f"{number}.jsonl", rows(*(toy((f"{number} {n}", "x" * 9999)) for n in range(300))))
    seen: list[tuple[int, int]] = []
    run(tmp_path / "in", tmp_path / "lake", progress=lambda *at: seen.append(at))
    done, total = zip(*seen, strict=True)
    assert list(done) == sorted(done)
    assert seen[-1] == (total[0], total[0])
    assert len(set(done)) > 6


def test_the_command_tells_what_happened(tmp_path: Path) -> None:
    put(tmp_path / "x.json", b"{}")
    command = [sys.executable, "-m", "worldtape", "import", str(tmp_path / "x.json"), "--lake", str(tmp_path / "lake")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "x.json" in done.stdout
    assert "1 files: 0 imported, 0 refused, 1 unknown" in done.stderr
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["unknown"] == [{"file": "x.json", "why": "JSON of unknown shape"}]
