"""A disk that stands still: nobody waits for it beyond the bound, and what is missing is said."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

from worldtape.collectors.mcp.proxy import Keeper, StdioProxy
from worldtape.schemas import End, EndStatus
from worldtape.testing import ListTape

END = End(status=EndStatus.COMPLETED, steps=0)


class Stuck(ListTape):
    """A tape whose disk stands still until `go` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.entered = threading.Event()

    def __call__(self, channel: str, data: bytes, mono_ns: int) -> None:
        self.entered.set()
        self.go.wait()
        super().__call__(channel, data, mono_ns)


def data_of(tape: ListTape) -> list[Mapping[str, Any]]:
    return [event.data for event in tape.events if event.kind in ("data", "notice")]


def test_what_is_put_is_on_the_tape_when_put_returns() -> None:
    tape = ListTape()
    keeper = Keeper(tape, patience_s=30)
    for number in range(100):
        keeper.put("mcp.in", b"%d\n" % number)
        assert len(data_of(tape)) == number + 1
    assert keeper.close(END)


def test_a_disk_that_stands_still_holds_up_once_and_loses_nothing_that_fits() -> None:
    tape = Stuck()
    keeper = Keeper(tape, patience_s=0.2)
    began = time.monotonic()
    for _ in range(50):
        keeper.put("mcp.in", b"x" * 1000)
    assert time.monotonic() - began < 50 * 0.2 / 2  # one waits, the others do not
    tape.go.set()
    assert keeper.close(END)
    assert sum(len(event.payload or b"") for event in tape.events) == 50_000


def test_who_writes_by_himself_is_replaced_where_the_disk_stands_still() -> None:
    tape, rescued = Stuck(), threading.Event()
    keeper = Keeper(tape, patience_s=0.01)
    held: list[bool] = []
    writer = threading.Thread(target=lambda: held.append(keeper.put("mcp.in", b"one", rescued.set)))
    writer.start()
    assert rescued.wait(30)
    assert keeper.put("mcp.in", b"two", rescued.set)  # by way of the queue, and nobody waits
    tape.go.set()
    writer.join()
    assert held == [False]
    assert keeper.close(END)
    assert [event.payload for event in tape.events if event.kind == "data"] == [b"one", b"two"]


def test_who_is_in_time_passes_on_himself() -> None:
    tape = ListTape()
    keeper = Keeper(tape, patience_s=30)
    for number in range(100):
        assert keeper.put("mcp.in", b"%d" % number, lambda: None)
        assert len(tape.events) == number + 1
    assert keeper.close(END)


def test_a_client_goes_on_while_the_disk_stands_still() -> None:
    tape = Stuck()
    keeper = Keeper(tape, patience_s=0.02)
    (there_r, there_w), (back_r, back_w) = os.pipe(), os.pipe()
    got = []

    def client() -> None:
        for number in range(3):
            os.write(there_w, b"%d\n" % number)
            got.append(os.read(back_r, 100))
        tape.go.set()
        os.close(there_w)

    before = sys.getswitchinterval()
    thread = threading.Thread(target=client)
    thread.start()
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        assert StdioProxy(["cat"], keeper, fds=(there_r, back_w, nowhere)).run() == 0
    finally:
        sys.setswitchinterval(before)
    thread.join()
    os.close(back_r)
    assert got == [b"0\n", b"1\n", b"2\n"]
    for channel in ("mcp.out", "mcp.in"):
        data = [event.payload or b"" for event in tape.events if event.data.get("channel") == channel]
        assert b"".join(data) == b"0\n1\n2\n"
    assert tape.sealed is not None


def test_what_does_not_fit_is_counted_where_it_is_missing() -> None:
    tape = Stuck()
    keeper = Keeper(tape, patience_s=0.01, most_bytes=3000)
    for _ in range(5):
        keeper.put("mcp.in", b"x" * 1000)
    keeper.put("mcp.out", b"y")
    tape.go.set()
    assert keeper.close(END)
    found = data_of(tape)
    assert [event.get("code", "data") for event in found[:4]] == ["data", "data", "data", "overrun"]
    assert found[3]["bytes"]["mcp.in"] == 2000
