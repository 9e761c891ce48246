"""Images on top of the terminal's: found, built, or refused with the packager's own words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from tests.collectors.terminal._needs import needs
from worldtape.collectors.terminal.layer import Layer
from worldtape.collectors.terminal.sandbox.docker import connect
from worldtape.errors import ComponentError

LAYER = Layer("worldtape/layer-of-tests", ("patch",))


def test_whatever_decides_what_is_built_makes_another_recipe() -> None:
    others = [replace(LAYER, packages=("make",)), replace(LAYER, script="true"), replace(LAYER, path="/bin")]
    assert len({layer.recipe for layer in (LAYER, *others, replace(LAYER, workdir="/srv"))}) == 5
    assert replace(LAYER, repository="other").recipe == LAYER.recipe


@pytest.mark.docker
def test_another_image_must_be_there() -> None:
    needs("docker")
    with pytest.raises(ComponentError, match="there is no such image"):
        LAYER.ensure("none/such:x")


@pytest.mark.docker
def test_packages_that_cannot_be_had_are_named_and_nothing_is_left() -> None:
    needs("docker")
    layer = replace(LAYER, repository=f"worldtape/layer-{uuid4().hex[:12]}", packages=("no-such-package",))
    client: Any = connect()
    try:
        with pytest.raises(
            ComponentError, match="apt-get failed with 100: E: Unable to locate package no-such-package"
        ):
            layer.ensure()
        assert client.images(layer.name) == []
    finally:
        client.close()


@pytest.mark.docker
def test_it_is_built_once(capsys: pytest.CaptureFixture[str]) -> None:
    needs("docker")
    layer = replace(LAYER, repository=f"worldtape/layer-{uuid4().hex[:12]}", workdir="/srv", path="/usr/bin:/bin")
    client: Any = connect()
    try:
        built = layer.ensure()
        assert (built.how, layer.ensure().how, layer.ensure().digest) == ("built", "local", built.digest)
        config = client.inspect_image(layer.name)["Config"]
        assert config["WorkingDir"] == "/srv"
        assert "PATH=/usr/bin:/bin" in config["Env"]
        assert layer.main() == 0
        assert capsys.readouterr().out == f"{layer.name} {built.digest}\n"
    finally:
        client.remove_image(layer.name, force=True)
        client.close()
