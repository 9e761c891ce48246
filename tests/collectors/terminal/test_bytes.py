"""What a program printed stands on the tape, byte for byte, and renders to the same screens again."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.collectors.terminal._play import Played, play, rendered_again

BEGIN, END = b"<<begin>>", b"<<end>>"


def printed(done: Played) -> bytes:
    """Return what stands between the two marks that the commands printed."""
    data = done.tape.stream("pty")
    start = data.rindex(BEGIN) + len(BEGIN)
    return data[start : data.rindex(END)]


def shown(file: Path, **settings: object) -> bytes:
    command = f"printf '<<%s>>' begin; cat {file}; printf '<<%s>>' end; stty sane"
    done = play("stty -opost -echo", command, timeout_s=60, **settings)
    assert done.last.outcome.exit_code == 0
    return printed(done)


SOURCES = {
    "seq": b"".join(b"%d\n" % number for number in range(1, 200_001)),
    "nul": b"a\x00b\x00\n",
    "progress": b"".join(b"\r%3d%% [%s]" % (n, b"=" * (n // 4)) for n in range(101)) + b"\n",
    "separators": "a\u0085b\u2028c\u2029d\n".encode(),
    "split": "é你😀".encode() * 40_000,
    "bad": b"caf\xc3 \xff\xfe \x1b]0;open title",
    "titles": b"\x1bktitle\x1b\\text\x1bk",
}


@pytest.mark.parametrize("name", SOURCES)
def test_bytes_are_kept(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(SOURCES[name])
    assert hashlib.sha256(shown(file)).hexdigest() == hashlib.sha256(SOURCES[name]).hexdigest()


def test_a_megabyte_of_noise(tmp_path: Path) -> None:
    import random

    noise = random.Random(7).randbytes(1_000_000)
    file = tmp_path / "noise"
    file.write_bytes(noise)
    # Noise holds queries; the terminal's answers to them reach the shell as typed keys, and are thrown away here.
    command = f"printf '<<%s>>' begin; cat {file}; printf '<<%s>>' end; exit"
    done = play("stty -opost -echo", command, timeout_s=60)
    assert hashlib.sha256(printed(done)).hexdigest() == hashlib.sha256(noise).hexdigest()


@pytest.mark.slow
def test_a_line_of_50_mb(tmp_path: Path) -> None:
    file = tmp_path / "line"
    file.write_bytes(b"0123456789" * 5_000_000)
    found = shown(file)
    assert len(found) == 50_000_000
    assert hashlib.sha256(found).digest() == hashlib.sha256(file.read_bytes()).digest()


def test_every_screen_renders_again_from_the_tape() -> None:
    from worldtape.collectors.terminal import resize

    done = play(
        "seq 100",
        "printf '\\033[6n'; read -r answer",
        [{"keystrokes": "printf 'é你\\tx\\n'; sleep 0.2; seq 50\n", "duration": 0.05}],
        resize(60, 12),
        "printf '\\033kname\\033\\\\ after'",
        ["C-l"],
        resize(100, 30),
        "printf '\\xff\\xfe\\n'",
    )
    captured = [event.data["sha256"] for event in done.tape.events if event.kind == "captured"]
    assert len(captured) == 9
    assert rendered_again(done.tape) == captured


def test_answers_of_the_terminal_are_typed_back_and_recorded() -> None:
    done = play("IFS=';' read -rsdR -p $'\\033[6n' row column; echo at ${row#*[},$column")
    assert "\nat 2,1\n" in done.text
    typed = done.tape.stream("pty.in")
    assert b"\x1b[2;1R" in typed
    assert typed.startswith(b"IFS=")


def test_many_bytes_are_typed_whole() -> None:
    word = "x" * 60
    lines = "".join(f"{word}{number}\n" for number in range(1000))
    done = play(["cat > pasted\n", lines, "C-d", "wc -lc pasted\n"])
    assert f"1000 {len(lines)} pasted" in done.text
    assert lines.encode() in done.tape.stream("pty.in")


def test_a_flood_makes_few_events() -> None:
    done = play("head -c 20000000 /dev/zero | tr '\\0' x", timeout_s=60)
    events = [event for event in done.tape.events if event.data.get("channel") == "pty"]
    assert len(done.tape.stream("pty")) > 20_000_000
    assert len(events) < 2000
