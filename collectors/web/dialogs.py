"""What pages ask by alert, confirm, prompt and beforeunload."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from worldtape.collectors.web.faults import ActionError
from worldtape.schemas import Status

if TYPE_CHECKING:
    from playwright.async_api import Dialog


class Dialogs:
    """Answers dialogs at once, or keeps one open until an action answers it.

    Args:
        how: `accept`, `dismiss` or `ask`.
        note: takes what happened, for the next observation.
    """

    def __init__(self, how: str, note: Callable[..., None]) -> None:
        self._how, self._note = how, note
        self._jobs: set[asyncio.Task[None]] = set()
        self.open: Dialog | None = None
        self.opened = asyncio.Event()
        """Set while a dialog waits for an answer."""

    def on_dialog(self, dialog: Dialog) -> None:
        """Take a dialog that a page has opened."""
        if self._how == "ask":
            self.open = dialog
            self.opened.set()
            return
        accept = self._how == "accept" or dialog.type == "beforeunload"
        self._said(dialog, accept=accept, text=None)
        job = asyncio.get_running_loop().create_task(_answer(dialog, accept=accept, text=None))
        self._jobs.add(job)
        job.add_done_callback(self._jobs.discard)

    async def answer(self, *, accept: bool, text: str | None) -> None:
        """Answer the open dialog.

        Raises:
            ActionError: there is none.
        """
        dialog, self.open = self.open, None
        self.opened.clear()
        if dialog is None:
            raise ActionError(Status.TOOL_ERROR, "no_dialog", "handle_dialog: no dialog is open")
        self._said(dialog, accept=accept, text=text)
        await _answer(dialog, accept=accept, text=text)

    def shown(self) -> dict[str, Any] | None:
        """Return the open dialog as an observation has it."""
        if self.open is None:
            return None
        found = {"type": self.open.type, "message": self.open.message}
        return found | ({"default": self.open.default_value} if self.open.type == "prompt" else {})

    def _said(self, dialog: Dialog, *, accept: bool, text: str | None) -> None:
        given = {} if text is None else {"text": text}
        answered = "accepted" if accept else "dismissed"
        self._note("dialog", type=dialog.type, message=dialog.message, answer=answered, **given)


async def _answer(dialog: Dialog, *, accept: bool, text: str | None) -> None:
    from playwright.async_api import Error

    try:
        if accept and text is not None:
            await dialog.accept(text)
        elif accept:
            await dialog.accept(dialog.default_value if dialog.type == "prompt" else None)
        else:
            await dialog.dismiss()
    except Error:
        return  # its page is gone, and the dialog with it


__all__ = ["Dialogs"]
