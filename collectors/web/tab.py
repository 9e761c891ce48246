"""One tab of a recorded browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from worldtape.collectors.web._quiet import KEY, LEND, TAKE
from worldtape.collectors.web.faults import ActionError
from worldtape.collectors.web.merge import Merged
from worldtape.collectors.web.numbers import Document, Numbers, number_of, split_id
from worldtape.schemas import Status

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, ElementHandle, Frame, Page


@dataclass(slots=True)
class Tab:
    """A page, what was last seen on it, and what happened since."""

    page: Page
    cdp: CDPSession
    numbers: Numbers = field(default_factory=Numbers)
    seen: Merged = field(default_factory=Merged)
    """The newest tree."""
    status: int | None = None
    """HTTP status of its document."""
    answered: tuple[str, int] | None = None
    """Address and status of the newest answer to a navigation, until it is committed."""
    failure: str | None = None
    """Why its newest navigation failed: `net::ERR_…`."""
    loads: int = 0
    """How many navigations were committed."""
    answers: int = 0
    """How many documents were answered or failed."""
    crashed: bool = False
    title: str = ""
    url: str = ""
    """Of the newest committed navigation."""

    async def element(self, ref: str) -> ElementHandle:
        """Return the element of an id or reference that was shown.

        Raises:
            ActionError: no such element was ever shown here, or it is gone.
        """
        document, number = self._find(ref)
        frame = await self._frame(document)
        return await self._handle(frame, document.by_number[number], ref)

    def about(self, ref: str) -> dict[str, Any] | None:
        """Return the node of an id or reference in the newest tree."""
        prefix, number = self._split(ref)
        frames = self.seen.frames
        for node in self.seen.nodes:
            if node.get("n") == number and frames[node.get("f", 0)]["prefix"] == prefix:
                return node
        return None

    def _split(self, ref: str) -> tuple[str, int]:
        """Return the letters of a frame and a number, of `a12`, `e12` or `f1e12`."""
        word = ref.strip().strip("[]")
        frame, letter, digits = word.rpartition("e")
        number = number_of(digits) if letter else None
        if number is not None and not frame:
            return "", number
        if number is not None and frame[0] == "f" and (index := number_of(frame[1:])) is not None:
            return self.seen.frames[index]["prefix"] if index < len(self.seen.frames) else "?", number
        return split_id(word)

    def _find(self, ref: str) -> tuple[Document, int]:
        prefix, number = self._split(ref)
        found = self.numbers.find(f"{prefix}{number}")
        if found is None:
            raise ActionError(Status.REJECTED, "unknown_element", f"there is no element {ref!r} on the page")
        return found

    async def _frame(self, document: Document) -> Frame:
        at = next((i for i, one in enumerate(self.seen.documents) if one is document), None)
        owner = None if at is None else self.seen.owners[at]
        if at is None or (owner is None and at):
            raise ActionError(Status.TOOL_ERROR, "element_gone", "the frame of the element is gone")
        if owner is None:
            return self.page.main_frame
        outer = self.seen.documents[self.seen.nodes[self.seen.frames[at]["owner"]].get("f", 0)]
        handle = await self._handle(await self._frame(outer), owner, "iframe")
        frame = await handle.content_frame()
        if frame is None:
            raise ActionError(Status.TOOL_ERROR, "element_gone", "the frame of the element is gone")
        return frame

    async def _handle(self, frame: Frame, backend: int, ref: str) -> ElementHandle:
        from playwright.async_api import Error

        try:
            given = await self.cdp.send("DOM.resolveNode", {"backendNodeId": backend})
            call = {
                "objectId": given["object"]["objectId"],
                "functionDeclaration": LEND,
                "arguments": [{"value": KEY + ".lent"}],
            }
            await self.cdp.send("Runtime.callFunctionOn", call)
            found = (await frame.evaluate_handle(TAKE, KEY + ".lent")).as_element()
        except Error as error:
            if "crashed" in str(error) or "closed" in str(error):
                raise
            found = None
        if found is None:
            raise ActionError(Status.TOOL_ERROR, "element_gone", f"the element {ref!r} is gone")
        return found


__all__ = ["Tab"]
