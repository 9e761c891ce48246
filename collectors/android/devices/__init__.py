"""What differs between the drivers of Appium."""

from worldtape.collectors.android.devices._device import Aim, Device
from worldtape.schemas import Registry

DEVICES = Registry(
    "driver",
    {
        "chromium": "worldtape.collectors.android.devices.chromium:Chromium",
        "fake": "worldtape.collectors.android.devices.fake:Fake",
        "uiautomator2": "worldtape.collectors.android.devices.uiautomator2:UiAutomator2",
    },
    group="worldtape.android_drivers",
)
"""Name of a driver to its class."""

__all__ = ["DEVICES", "Aim", "Device"]
