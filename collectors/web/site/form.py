"""A form that was sent: what stands in it, and what is wrong with it."""

from __future__ import annotations

import re

from worldtape.collectors.web.site.request import Values, whole

_EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")


class Form:
    """Reads and checks fields one by one; a page shows the values again, with the first fault of each field.

    Args:
        given: what was sent; an empty form otherwise.
        values: what stands in the fields before anybody typed.
    """

    def __init__(self, given: Values | None = None, /, **values: object) -> None:
        self.given = given if given is not None else Values()
        self.values: dict[str, str] = {name: "" if value is None else str(value) for name, value in values.items()}
        self.errors: dict[str, str] = {}

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong so far."""
        return not self.errors

    def fault(self, name: str, message: str) -> None:
        """Note what is wrong with a field; the first word stands."""
        self.errors.setdefault(name, message)

    def text(self, name: str, label: str, *, least: int = 0, most: int = 200) -> str:
        """Return a field's text; `least` and `most` are characters."""
        value = self.values[name] = self.given.one(name)
        if not value and least:
            self.fault(name, f"{label} is required.")
        elif len(value) < least:
            self.fault(name, f"{label} must have at least {least} characters.")
        elif len(value) > most:
            self.fault(name, f"{label} must have at most {most} characters.")
        return value

    def email(self, name: str = "email", label: str = "Email address") -> str:
        """Return an address in lower case."""
        value = self.text(name, label, least=1).lower()
        if value and not _EMAIL.fullmatch(value):
            self.fault(name, f"“{value}” is not a valid email address.")
        return value

    def choice(self, name: str, label: str, among: tuple[str, ...] | list[str]) -> str:
        """Return one of the values that the field offers."""
        value = self.values[name] = self.given.one(name)
        if value not in among:
            self.fault(name, f"{label}: please choose one of the options.")
        return value

    def whole(self, name: str, label: str, *, least: int, most: int) -> int:
        """Return a whole number between two bounds."""
        value = whole(self.given.one(name))
        self.values[name] = self.given.one(name)
        if value is None:
            self.fault(name, f"{label} must be a whole number.")
            return least
        if not least <= value <= most:
            self.fault(name, f"{label} must be between {least} and {most}.")
        return value

    def ticked(self, name: str, fault: str | None = None) -> bool:
        """Say whether a box is ticked; `fault` is what is wrong when it is not."""
        on = bool(self.given.get(name))
        self.values[name] = "on" if on else ""
        if not on and fault:
            self.fault(name, fault)
        return on
