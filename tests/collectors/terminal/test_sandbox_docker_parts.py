"""The small parts of the Docker sandbox that need no daemon."""

from __future__ import annotations

import itertools
import os
import socket
import struct
import subprocess
import threading
from pathlib import Path

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.terminal._box import until
from worldtape.collectors.terminal.sandbox.docker._client import _root_cause, connect, explained
from worldtape.collectors.terminal.sandbox.docker._frames import Frames
from worldtape.collectors.terminal.sandbox.docker._owner import gone, own
from worldtape.collectors.terminal.sandbox.docker._plain import bridged, plain
from worldtape.collectors.terminal.sandbox.docker._watch import Watch, _bytes
from worldtape.errors import ComponentError


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=40))), st.lists(st.integers(0, 400)))
def test_frames_survive_any_split(frames: list[tuple[int, bytes]], cuts: list[int]) -> None:
    whole = b"".join(struct.pack(">BxxxL", kind, len(text)) + text for kind, text in frames)
    edges = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    reader = Frames()
    said = b"".join(reader.feed(whole[a:b]) for a, b in itertools.pairwise(edges))
    assert said == b"".join(text for _, text in frames)
    assert reader.rest() == b""


def test_a_frame_that_is_cut_off_keeps_what_came() -> None:
    reader = Frames()
    assert reader.feed(b"\x02\0\0\0\0\0\0\x05er") == b""
    assert reader.rest() == b"er"


def test_a_connection_without_plain_bytes_is_bridged() -> None:
    far, near = socket.socketpair()
    assert plain(near) is near
    ours = bridged(near)
    ours.sendall(b"keys")
    assert far.recv(100) == b"keys"
    far.sendall(b"screen")
    assert os.read(ours.fileno(), 100) == b"screen"
    far.close()
    assert ours.recv(100) == b""
    ours.close()
    until(lambda: not [thread for thread in threading.enumerate() if thread.name == "docker-bridge"])


def test_an_owner_is_gone_only_where_this_machine_can_know() -> None:
    assert gone(own()) is False
    boot, space, pid, start = own().split(":")
    assert gone(f"{boot}:{space}:{pid}:{int(start) + 1}") is True
    dead = subprocess.Popen(["true"])
    dead.wait()
    assert gone(f"{boot}:{space}:{dead.pid}:1") is True
    assert gone(f"other:{space}:{pid}:{start}") is None
    assert gone("nonsense") is None


def test_the_watch_counts_what_lies_there_and_calls_once(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_bytes(b"x" * 300_000)
    (tmp_path / "loop").symlink_to(tmp_path)
    assert 300_000 <= _bytes(str(tmp_path)) < 400_000
    called = threading.Event()
    watch = Watch(lambda: _bytes(str(tmp_path)), 200_000, called.set)
    watch.start()
    watch.join(30)
    assert called.is_set()
    quiet = Watch(lambda: 0, 10, called.clear)
    quiet.start()
    quiet.stop()
    quiet.join(30)
    assert called.is_set()


def test_a_lost_daemon_is_told_in_the_words_of_the_system() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closing:

        def hang_up() -> None:
            near, _ = closing.accept()
            near.recv(65536)
            near.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(ComponentError) as caught, explained("docker"):
            requests.get(f"http://127.0.0.1:{closing.getsockname()[1]}", timeout=10)
        thread.join()
    assert "is gone (Remote end closed connection without response)" in str(caught.value)
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(ComponentError, match=r"is gone \(connection refused\)"), explained("docker"):
        requests.get(f"http://127.0.0.1:{port}", timeout=10)


def test_the_innermost_cause_is_named() -> None:
    inner = ConnectionResetError(104, "Connection reset by peer")
    assert _root_cause(requests.ConnectionError(("Connection aborted.", inner))) == "connection reset by peer"
    assert _root_cause(requests.ReadTimeout("HTTPConnectionPool(…): Read timed out.")) == "timed out"
    assert _root_cause(ValueError()) == "ValueError"


def test_no_daemon_at_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    with pytest.raises(ComponentError, match=r"does not answer \(no such file or directory\)"):
        connect()
