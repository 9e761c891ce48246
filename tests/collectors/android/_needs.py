"""Whether this machine has Appium and what it drives; a test that needs them says so here."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache

from tests._components import require
from worldtape.collectors.android.devices import DEVICES
from worldtape.collectors.android.server import HOW, driver_installed, find_appium
from worldtape.collectors.web.engine import find_chromium


def needs_appium(driver: str = "fake") -> None:
    """Skip, or fail in CI, where there is no Appium with this driver."""
    require("Appium", find_appium() is not None and shutil.which("node") is not None, HOW)
    package = DEVICES[driver].package
    require(package, driver_installed(package), f"npm install --prefix ~/.cache/worldtape/npm {package}")


def needs_phone_page() -> None:
    """Skip, or fail in CI, where there is no Chromium for Appium."""
    needs_appium("chromium")
    require("Chromium", find_chromium() is not None, "apt-get install chromium")
    require("chromedriver", shutil.which("chromedriver") is not None, "apt-get install chromium-driver")


@cache
def emulator() -> str | None:
    """The first device that `adb devices` lists; None: there is none, here or anywhere in CI."""
    adb = shutil.which("adb")
    if adb is None:
        return None
    done = subprocess.run([adb, "devices"], capture_output=True, text=True, check=False, timeout=30)
    lines = (line.split("\t") for line in done.stdout.splitlines())
    return next((line[0] for line in lines if line[1:] == ["device"]), None)
