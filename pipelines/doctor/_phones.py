"""Appium with its drivers, and what the drivers drive."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from worldtape.pipelines.doctor._component import Component, by_system
from worldtape.pipelines.doctor._programs import program, said
from worldtape.pipelines.doctor._servers import npm_folder

_DRIVERS = {
    "chromium": "appium-chromium-driver",
    "fake": "@appium/fake-driver",
    "uiautomator2": "appium-uiautomator2-driver",
}
_USE = "Android"


def phones() -> Iterator[Component]:
    """Yield Appium, its drivers, chromedriver, adb, and the devices that adb lists."""
    from worldtape.collectors.android.server import find_appium

    found = find_appium()
    version = None if found is None else said(found[0], "--version")
    if found is None or version is None:
        yield Component("Appium", "missing", _USE, fix=_npm("appium@3"))
    else:
        yield Component("Appium", "ok", _USE, version, found[0])
    yield _drivers(None if found is None else found[1])
    fix = by_system("apt-get install chromium-driver", "brew install --cask chromedriver")
    yield program("chromedriver", "chromedriver", "Android: pages of the size of a phone", fix)
    adb = program(
        "adb", "adb", "Android devices", by_system("apt-get install adb", "brew install android-platform-tools")
    )
    yield adb
    yield _devices(adb)


def _npm(*packages: str) -> str:
    return f"npm install --prefix {npm_folder()} {' '.join(packages)}"


def _drivers(home: str | None) -> Component:
    folder = Path.home() / ".appium" if home is None else Path(home)
    versions = {name: _version(folder / "node_modules" / package) for name, package in _DRIVERS.items()}
    there = [f"{name} {version}" for name, version in versions.items() if version is not None]
    lacking = [_DRIVERS[name] for name, version in versions.items() if version is None]
    fix = _npm(*lacking) if lacking else None
    if not there:
        return Component("Appium drivers", "missing", _USE, fix=fix)
    return Component("Appium drivers", "limited" if lacking else "ok", _USE, None, ", ".join(there), fix)


def _version(package: Path) -> str | None:
    with suppress(OSError, ValueError, KeyError):
        return str(json.loads((package / "package.json").read_bytes())["version"])
    return None


def _devices(adb: Component) -> Component:
    use = "Android's own apps (UiAutomator2)"
    lines = (said("adb", "devices", whole=True) or "").splitlines() if adb.state == "ok" else []
    serials = [line.split()[0] for line in lines if line.endswith("\tdevice")]
    if serials:
        return Component("Android device", "ok", use, None, ", ".join(serials))
    return Component("Android device", "missing", use, fix="plug one in, or start an emulator: docs/android.md")
