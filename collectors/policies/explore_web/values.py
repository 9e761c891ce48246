"""What goes into a field: right or wrong for what its label says."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import Any

from worldtape.collectors.policies.explore_web.memory import Memory
from worldtape.collectors.web.tree import Element


@lru_cache
def tables() -> dict[str, Any]:
    """Return the tables of `values.yaml`; shared, so never to be changed."""
    import yaml

    found: dict[str, Any] = yaml.safe_load(files(__package__).joinpath("values.yaml").read_text(encoding="utf-8"))
    return found


@lru_cache(maxsize=1024)
def kind_of(label: str, name: str, type_: str) -> str:
    """Return what a field wants: by its label, else by its name or type; `text` where nothing fits."""
    for given in (label, name, type_):
        for row in tables()["kinds"]:
            if given and re.search(row["match"], given.lower()):
                return str(row["kind"])
    return "number" if type_ == "number" else "text"


def unchosen(option: str) -> bool:
    """Say whether an option of a list only asks to choose one."""
    return re.match(r"$|(please )?(choose|select)\b", option.lower()) is not None


class Values:
    """Makes values for one person who explores.

    Args:
        memory: words, names and codes that pages have shown.
        rng: the policy's only source of chance.
    """

    def __init__(self, memory: Memory, rng: Random) -> None:
        self.memory = memory
        self.rng = rng
        self.persona: dict[str, str] = rng.choice(tables()["personas"])
        self.account: tuple[str, str] | None = None

    def kind(self, element: Element) -> str:
        """Return what a field wants."""
        attributes = element.attributes
        return kind_of(element.name, attributes.get("name", ""), attributes.get("type", ""))

    def begin(self, fields: list[Element]) -> None:
        """Choose who signs in, where these fields ask for it."""
        kinds = [self.kind(one) for one in fields]
        signs_in = len(kinds) == 2 and "password" in kinds  # noqa: PLR2004 — a name and a password
        known = sorted(self.memory.accounts.items())
        self.account = self.rng.choice(known) if signs_in and known else None

    def right(self, element: Element) -> str:
        """Return a value that the field should take."""
        kind, memory, rng = self.kind(element), self.memory, self.rng
        if self.account is not None and kind in {"account", "email", "password"}:
            value = self.account[kind == "password"]
        elif kind in self.persona:
            value = self.persona[kind]
        elif kind == "holder":
            value = self.persona["full_name"]
        elif kind == "repeat":
            value = memory.password or "grey-heron-41"
        elif kind == "old_password":
            value = memory.password or rng.choice(tables()["valid"]["password"])
        elif kind == "search":
            value = " ".join(rng.sample(memory.words, min(len(memory.words), 1))) or "new"
        else:
            known = {"code": memory.codes, "order": memory.numbers, "other_name": memory.names}.get(kind)
            value = str(rng.choice(known or tables()["valid"].get(kind) or tables()["valid"]["short"]))
        if kind == "password":
            memory.password = value
        return value

    def wrong(self, element: Element) -> str:
        """Return a value that the field should not take."""
        kind = self.kind(element)
        found = tables()["invalid"].get(kind) or [""]
        return str(self.rng.choice(found))

    def option(self, names: list[str], *, wrong: bool) -> str | None:
        """Return one of the options of a list: the persona's country where that is one; None where there is none."""
        real = [name for name in names if not unchosen(name)]
        if not real:
            return None
        country = self.persona["country"]
        return country if country in real and not wrong else self.rng.choice(real)
