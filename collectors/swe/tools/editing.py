"""Editing a file: one replacement, or several that are made together or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from worldtape.collectors.swe.render.fold import FILE
from worldtape.collectors.swe.render.text import Text, encode
from worldtape.collectors.swe.tools.files import open_text, save
from worldtape.collectors.swe.tools.replace import Edit, Miss, changed_lines, replace
from worldtape.collectors.swe.tools.session import DONE, Session, Told, fault


async def edit_file(session: Session, path: str, edits: Sequence[Edit], *, several: bool = False) -> Told:
    """Make edits one after the other; the first that cannot be made leaves the file as it was.

    An empty old text makes a new file. The lines around the change go to `keep`, as bytes of a file of their own.

    Args:
        session: knows what was read.
        path: absolute.
        edits: at least one.
        several: whether they are told as a list.
    """
    same = next((edit for edit in edits if edit.old == edit.new), None)
    if same is not None and session.guarded:
        return fault("same_strings", path=path)
    held = await open_text(session, path)
    if isinstance(held, tuple):
        return held
    before = _start(held, edits[0])
    if before is None:
        return fault("file_not_found" if held is None else "file_exists", path=path)
    text = before.text
    for edit in edits:
        after = edit.new if not edit.old and not text else replace(text, edit)
        if isinstance(after, Miss):
            return fault(after.kind, path=path, count=after.count, old=edit.old)
        text = after
    lost = await save(session, path, encode(text) if held is None else before.encode(text))
    if lost is not None:
        return lost
    first, last, total = changed_lines(before.text, text)
    lines = text.split("\n")[first - 1 : last]
    session.keep(FILE, before.encode("\n".join(lines)))
    facts = {"path": path, "created": held is None, "first": first, "last": last, "total": total}
    return {"op": "edits" if several else "edit"} | facts, DONE


def _start(held: Text | None, first: Edit) -> Text | None:
    """Return what the edits begin with; None where the first of them cannot be meant for it."""
    if held is None:
        return None if first.old else Text("")
    return None if not first.old and held.text else held


__all__ = ["edit_file"]
