"""Other people's JSON."""

from __future__ import annotations

import json

import pytest

from worldtape.collectors.importers._json import lines, parse, records
from worldtape.errors import FormatError
from worldtape.schemas import Orphan

from ._files import Bytes, jsonl

HUGE = 123456789012345678901234


@pytest.mark.parametrize("text", ["%d", "-%d", "[%d]", '{"a":%d}', '{"a": %d }', "[1, -%d\n]", '["x",\t%d,2]'])
def test_integers_beyond_64_bits_stay(text: str) -> None:
    assert parse((text % HUGE).encode()) == json.loads(text % HUGE)


def test_digits_in_texts_and_fractions_are_no_integers() -> None:
    data = b'["%d", 0.%d, "x%dy"]' % (HUGE, HUGE, HUGE)
    assert parse(data) == json.loads(data)


def test_nan_and_lone_surrogates() -> None:
    assert parse(b'{"a": NaN, "b": -Infinity, "c": "\\ud800x"}') == {"a": None, "b": None, "c": "\ufffdx"}


@pytest.mark.parametrize("data", [b'{"a": "cut', b'{"a": NaN, "b', b"", b"{'a': 1}", b"[" * 5000])
def test_what_is_no_json(data: bytes) -> None:
    with pytest.raises(FormatError):
        parse(data)


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_locators_are_byte_ranges(bom: bytes, end: bytes) -> None:
    data = bom + end.join([b'{"a":1}', b"", b'{"b":"\xe2\x80\xa8"}', b""])
    for offset, line in lines(Bytes(data)):
        assert data[offset:].startswith(line)
    for record in records(Bytes(data)):
        assert not isinstance(record, Orphan)
        start, stop = map(int, record[0].removeprefix("bytes:").split("-"))
        assert json.loads(data[start:stop]) == record[1]


def test_first_lines_longer_than_the_head_are_lines_too() -> None:
    rows = [{"a": "x" * 100_000}, {"a": "y"}]
    assert [record[1] for record in records(Bytes(jsonl(*rows))) if not isinstance(record, Orphan)] == rows
    found = list(records(Bytes(json.dumps(rows[0]))))
    assert found == [("", rows[0])]
