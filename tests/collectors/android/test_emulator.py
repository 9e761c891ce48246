"""Android itself, wherever `adb devices` lists an emulator or a device: its settings are looked through."""

from __future__ import annotations

import pytest

from tests.collectors.android._needs import emulator, needs_appium
from tests.collectors.android._play import play, rendered_again
from worldtape.collectors.android import AndroidConfig, close_servers
from worldtape.errors import ComponentError
from worldtape.schemas import Status

pytestmark = pytest.mark.android

SETTINGS = "com.android.settings"


@pytest.mark.emulator
def test_the_settings_of_a_real_device() -> None:
    needs_appium("uiautomator2")
    device = emulator()
    if device is None:
        pytest.skip("adb devices lists no emulator")
    config = AndroidConfig(
        driver="uiautomator2",
        apps={"Settings": SETTINGS},
        capabilities={"udid": device, "noReset": True},
        timeout_s=60,
    )
    actions = [
        {"action_type": "home"},
        {"action_type": "open_app", "app_name": "Settings"},
        {"action_type": "scroll", "direction": "down"},
        {"action_type": "back"},
        {"action_type": "open_app", "app_name": "No such app"},
        {"action_type": "click", "selector": "xpath=//nothing"},
    ]
    played = play(config, actions)
    assert played.state(1)["package"] == SETTINGS
    assert played.state(1)["changed"]
    assert played.state(2)["fresh"]
    assert len(played.screens[2].elements) > 3
    assert [result.outcome.status for result in played.results[4:]] == [Status.TOOL_ERROR, Status.TOOL_ERROR]
    assert {part.channel for part in played.last.observation.parts} == {"hierarchy", "screenshot"}
    assert all(rendered_again(played.tape))


def test_without_a_device_the_driver_says_what_is_missing() -> None:
    needs_appium("uiautomator2")
    if emulator() is not None:
        pytest.skip("there is a device")
    try:
        with pytest.raises(ComponentError, match=r"there is no session: .*(ANDROID_HOME|adb|device)"):
            play(AndroidConfig(driver="uiautomator2"), [])
    finally:
        close_servers()
