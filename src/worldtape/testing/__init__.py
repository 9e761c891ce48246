"""Fakes that we ship, for the tests of people who build on Worldtape."""
