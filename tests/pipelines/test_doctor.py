"""Doctor names every component, its state, and what brings it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from worldtape.pipelines.doctor import Component, Diagnosis, examine
from worldtape.pipelines.doctor._examine import _with_one_sandbox
from worldtape.pipelines.doctor._phones import phones
from worldtape.pipelines.doctor._servers import npm_folder, servers

NAMES = {
    "Python",
    "Python packages",
    "Docker daemon",
    "namespaces (bubblewrap)",
    "Chromium",
    "Node.js",
    "npm",
    "Appium",
}
NAMES |= {"git", "adb", "disk", "MCP servers (npm)", "MCP servers (PyPI)"}
NAMES |= {
    "Appium drivers",
    "Android device",
    "chromedriver",
    "image of repositories",
    "image of desktops",
    "sources of packages",
}


@pytest.fixture(scope="module")
def found() -> Diagnosis:
    return examine()


def test_every_component_is_named_once(found: Diagnosis) -> None:
    names = [one.name for one in found.components]
    assert set(names) >= NAMES
    assert len(names) == len(set(names))
    assert sum(name.startswith("extra ") for name in names) == 4


def test_what_is_missing_says_what_brings_it(found: Diagnosis) -> None:
    assert all(one.fix for one in found.components if one.state != "ok")
    assert all("\n" not in f"{one.detail}{one.fix}" for one in found.components)


def test_what_runs_this_test_is_there(found: Diagnosis) -> None:
    states = {one.name: one.state for one in found.components}
    assert states["Python"] == "ok"
    assert states["Python packages"] == "ok"


def command(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from worldtape.cli import main; main()", "doctor", *words],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | env,
    )


def test_a_bare_machine_is_told_everything_and_exits_with_0(tmp_path: Path) -> None:
    dead = {
        "DOCKER_HOST": f"unix://{tmp_path}/none.sock",
        "PATH": str(tmp_path),
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": "",
    }
    done = command("--json", **dead)
    assert done.returncode == 0, done.stderr
    states = {one["name"]: one for one in json.loads(done.stdout)["components"]}
    assert states["Docker daemon"]["state"] == "missing"
    assert "does not answer" in states["Docker daemon"]["detail"]
    assert states["git"] | {"detail": None} == {
        "name": "git",
        "state": "missing",
        "needed_for": "tasks about git",
        "version": None,
        "detail": None,
        "fix": states["git"]["fix"],
        "required": False,
    }
    assert states["namespaces (bubblewrap)"]["state"] == "missing"
    assert states["Chromium"]["state"] == "missing"
    assert states["MCP servers (npm)"]["state"] == "missing"
    assert states["MCP servers (npm)"]["fix"].startswith(f"npm install --prefix {tmp_path}/.cache/worldtape/npm @model")
    assert command("--strict", **dead).returncode == 1


def test_the_table_goes_to_stdout() -> None:
    done = command()
    assert done.returncode == 0
    assert "Docker daemon" in done.stdout
    table, _, fixes = done.stdout.partition("\nwhat brings the rest:\n")
    told = {line.partition(": ")[0]: line.partition(": ")[2] for line in fixes.splitlines()}
    assert told == {one.name: one.fix for one in examine().components if one.fix}
    assert not any(fix in table for fix in told.values())


def test_missing_lists_only_what_is_missing() -> None:
    one, two = Component("a", "missing", "x", fix="get a"), Component("b", "limited", "x")
    three = Component("c", "missing", "x", fix="get c", required=True)
    assert Diagnosis((one, two, three), ()).missing == (one, three)
    assert Diagnosis((one, two, three), ()).lacking == (three,)


def test_servers_are_found_where_the_fix_puts_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    programs = npm_folder() / "node_modules" / ".bin"
    assert next(servers()).state == "missing"
    programs.mkdir(parents=True)
    for name, state in (("memory", "limited"), ("filesystem", "limited"), ("everything", "ok")):
        (programs / f"mcp-server-{name}").write_text("#!/bin/sh\n")
        (programs / f"mcp-server-{name}").chmod(0o755)
        assert next(servers()).state == state


def test_drivers_of_appium_are_found_where_the_fix_puts_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    modules = npm_folder() / "node_modules"
    (modules / ".bin").mkdir(parents=True)
    appium = modules / ".bin" / "appium"
    appium.write_text("#!/bin/sh\necho 3.0.1\n")
    appium.chmod(0o755)
    states = []
    for package in ("@appium/fake-driver", "appium-chromium-driver", "appium-uiautomator2-driver"):
        found = {one.name: one for one in phones()}
        states.append(found["Appium drivers"].state)
        assert found["Appium"].version == "3.0.1"
        assert package in (found["Appium drivers"].fix or "")
        (modules / package).mkdir(parents=True)
        (modules / package / "package.json").write_text('{"version": "1.2.3"}')
    assert states == ["missing", "limited", "limited"]
    whole = {one.name: one for one in phones()}["Appium drivers"]
    assert (whole.state, whole.fix) == ("ok", None)
    assert whole.detail == "chromium 1.2.3, fake 1.2.3, uiautomator2 1.2.3"


def test_a_device_that_adb_lists_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    adb = tmp_path / "adb"
    adb.write_text(
        "#!/bin/sh\n[ $1 = devices ] || { echo 'Android Debug Bridge version 1.0.41'; exit; }\n"
        "printf 'List of devices attached\\nemulator-5554\\tdevice\\nemulator-5556\\toffline\\n\\n'\n"
    )
    adb.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    found = {one.name: one for one in phones()}
    assert (found["adb"].version, found["Android device"].detail) == ("1.0.41", "emulator-5554")


def test_one_place_for_terminals_is_enough(found: Diagnosis) -> None:
    docker, local = Component("Docker daemon", "missing", "x"), Component("namespaces (bubblewrap)", "ok", "x")
    assert [one.required for one in _with_one_sandbox([docker, local])] == [False, False]
    assert [one.required for one in _with_one_sandbox([docker])] == [True]
    assert not {"Node.js", "npm", "Appium", "adb", "Chromium"} & {one.name for one in found.lacking}
