"""A wrong settings file is answered with its line and the nearest right key."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import Field, field_validator

from worldtape.errors import ConfigError, NotFoundError
from worldtape.schemas import Limits
from worldtape.schemas.settings import Settings, checked, nested, parse_settings, read_settings


class Inner(Settings):
    width: int = 80
    limits: Limits = Limits()


class Sample(Settings):
    name: str
    count: int = Field(default=1, ge=1)
    inner: Inner = Inner()
    many: tuple[Inner, ...] = ()
    free: dict[str, Any] = Field(default_factory=dict)

    @field_validator("free")
    @classmethod
    def _free(cls, value):
        nested(Inner, {key: item for key, item in value.items() if key != "kind"}, beside=("kind",))
        return value


def complaint(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_settings(Sample, text, where="a.yaml")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_right_file_is_read(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("name: x\ninner:\n  limits: {memory_mb: 77}\nmany: [{width: 3}]\nfree: {kind: y, width: 4}\n")
    sample = read_settings(Sample, path)
    assert (sample.inner.limits.memory_mb, sample.many[0].width, sample.free["width"]) == (77, 3, 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: x\n\n# note\ncuont: 3\n", "a.yaml:4: unknown key 'cuont'; did you mean 'count'?"),
        ("name: x\ninner:\n  widht: 3\n", "a.yaml:3: unknown key 'widht'; did you mean 'width'?"),
        ("name: x\nmany:\n- width: 1\n- wide: 1\n", "a.yaml:4: unknown key 'wide'; did you mean 'width'?"),
        ("name: x\nfree:\n  kind: y\n  withd: 2\n", "a.yaml:4: unknown key 'withd'; did you mean 'width'?"),
        ("name: x\nfree:\n  kin: y\n", "a.yaml:3: unknown key 'kin'; did you mean 'kind'?"),
        ("name: x\ninner:\n  limits:\n    pid: 2\n", "a.yaml:4: unknown key 'pid'; did you mean 'pids'?"),
        ("name: x\nfree:\n  limits:\n    pid: 2\n", "a.yaml:4: unknown key 'pid'; did you mean 'pids'?"),
        ("name: x\nzzz: 1\n", "a.yaml:2: unknown key 'zzz'; known keys: count, free, inner, many, name"),
        ("count: 0\nnmae: x\n", "a.yaml:2: unknown key 'nmae'; did you mean 'name'?"),
        ("count: 2\n", "a.yaml:1: key 'name' is missing"),
        ("name: x\ncount: 0\n", "a.yaml:2: count: input should be greater than or equal to 1 (it is 0)"),
        ("name: x\nname: y\n", "a.yaml:2: key 'name' stands here again; keep one of them"),
        ("- name\n", "a.yaml:1: a mapping of keys to values is expected"),
        ("", "a.yaml:1: the file is empty"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, expected):
    assert complaint(text) == expected


def test_broken_yaml_names_the_line():
    assert complaint("name: x\n  bad: [1\n").startswith("a.yaml:2: not valid YAML")
    assert complaint("name: \x00").startswith("a.yaml: not valid YAML")


def test_no_file_and_no_text(tmp_path):
    with pytest.raises(NotFoundError, match="there is no such file"):
        read_settings(Sample, tmp_path / "none.yaml")
    with pytest.raises(ConfigError, match="not a YAML text file"):
        read_settings(Sample, tmp_path)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"name": "x", "count": 0}, "count: input should be greater than or equal to 1 (it is 0)"),
        ({"name": "x", "cuont": 1}, "unknown key 'cuont'; did you mean 'count'?"),
        ({"name": "x", "inner": {"limits": {"memory": 1}}}, "unknown key 'memory'; did you mean 'memory_mb'?"),
        ({"name": "x", "many": [{"width": "w"}]}, "many.0.width: input should be a valid integer"),
        ({"count": 1}, "key 'name' is missing"),
    ],
)
def test_a_program_is_answered_as_a_file_is(values, expected):
    with pytest.raises(ConfigError) as made:
        Sample(**values)
    with pytest.raises(ConfigError) as read:
        checked(Sample, values, where="Sample")
    assert str(made.value) == str(read.value)
    assert str(made.value).startswith(f"Sample: {expected}")
