"""Apps to record on: pages for a phone-sized Chromium, and XML for Appium's fake driver."""

from worldtape.collectors.android.apps.apps import FAKE_APPS, PAGE_APPS, fake_app
from worldtape.collectors.android.apps.server import Served, serve

__all__ = ["FAKE_APPS", "PAGE_APPS", "Served", "fake_app", "serve"]
