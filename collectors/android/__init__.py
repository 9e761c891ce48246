"""Android through Appium: an emulator, a device, a phone-sized page, or the fake driver."""
