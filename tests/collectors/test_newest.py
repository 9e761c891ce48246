"""The renderer of whole messages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from worldtape.collectors.newest import Newest, message
from worldtape.collectors.renderers import make_renderer
from worldtape.schemas import Rendering

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(TEXT, min_size=1), st.integers(1, 7))
def test_the_newest_message_comes_back_however_the_bytes_are_split(texts: list[str], size: int) -> None:
    renderer = Newest()
    for text in texts:
        data = message(text)
        for start in range(0, len(data), size):
            renderer.feed("text", data[start : start + size])
        assert renderer.render() == text


@given(st.binary(), TEXT)
def test_garbage_never_raises_and_is_passed_over(garbage: bytes, text: str) -> None:
    renderer = Newest("rpc")
    renderer.feed("rpc", message(text))
    renderer.feed("rpc", b'\n{"a":1}\n[]\n1e999\n' + garbage.replace(b'"', b"'") + b"\n")
    renderer.feed("stderr", message("not mine"))
    assert renderer.render() == text


def test_a_projection_finds_it_by_name() -> None:
    renderer = make_renderer(Rendering(name="text.newest", version="1", parameters={"channel": "rpc"}))
    assert renderer.render() == ""
    assert isinstance(renderer, Newest)
