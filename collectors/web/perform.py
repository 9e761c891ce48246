"""Carries out one call in a tab."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from worldtape.collectors.web.calls import Call
from worldtape.collectors.web.faults import ActionError
from worldtape.collectors.web.tab import Tab
from worldtape.schemas import Status

if TYPE_CHECKING:
    from worldtape.collectors.web.session import Session

_MOST_WAIT_S = 60.0
_PLAIN = {"http", "https", "data", "about"}
_TRUE = {"true", "1", "on", "yes", "checked"}


class Doing:
    """One call being carried out.

    Args:
        session: whose tabs and settings are used.
        tab: where it happens.
        deadline: no navigation is waited for longer (monotonic s).
    """

    def __init__(self, session: Session, tab: Tab, deadline: float) -> None:
        self.session, self.tab, self.deadline = session, tab, deadline
        self.page = tab.page
        self.action_ms = session.config.action_s * 1000

    async def do(self, call: Call) -> None:
        """Carry out `call`.

        Raises:
            ActionError: it cannot be done.
        """
        method = getattr(self, f"_do_{call.name}", None)
        if method is None:
            raise ActionError(Status.REJECTED, "unknown_action", f"{call.said} is not done here")
        given = dict(call.given)
        if "bid" in given:
            element = await self.tab.element(given.pop("bid"))
            await method(element, **given)
        else:
            await method(**given)

    @property
    def left_ms(self) -> float:
        """Milliseconds until the deadline, at least one: 0 would mean for ever."""
        return max(1.0, (self.deadline - asyncio.get_running_loop().time()) * 1000)

    async def _do_noop(self, wait_ms: float = 1000) -> None:
        await self._hold(wait_ms / 1000)

    async def _do_send_msg_to_user(self, text: str) -> None:
        self.session.note("message", text=text)

    async def _do_report_infeasible(self, reason: str) -> None:
        self.session.note("infeasible", reason=reason)

    async def _do_scroll(self, delta_x: float, delta_y: float) -> None:
        await self.page.mouse.wheel(delta_x, delta_y)

    async def _do_fill(self, element: Any, value: str) -> None:
        await element.fill(value, timeout=self.action_ms)

    async def _do_type(self, element: Any, value: str, submit: bool = False, slowly: bool = False) -> None:
        if slowly:
            await element.type(value, timeout=self.action_ms)
        else:
            await element.fill(value, timeout=self.action_ms)
        if submit:
            await element.press("Enter", timeout=self.action_ms)

    async def _do_fill_form(self, fields: list[dict[str, Any]]) -> None:
        for one in fields:
            element = await self.tab.element(one["ref"])
            if one["type"] in {"checkbox", "radio"}:
                await element.set_checked(one["value"].lower() in _TRUE, timeout=self.action_ms)
            elif one["type"] == "combobox":
                await element.select_option(label=one["value"], timeout=self.action_ms)
            else:
                await element.fill(one["value"], timeout=self.action_ms)

    async def _do_select_option(self, element: Any, options: str | list[str]) -> None:
        await element.select_option(options, timeout=self.action_ms)

    async def _do_click(self, element: Any, button: Any = "left", modifiers: Any = ()) -> None:
        await element.click(button=button, modifiers=list(modifiers), timeout=self.action_ms)

    async def _do_dblclick(self, element: Any, button: Any = "left", modifiers: Any = ()) -> None:
        await element.dblclick(button=button, modifiers=list(modifiers), timeout=self.action_ms)

    async def _do_check(self, element: Any) -> None:
        await element.check(timeout=self.action_ms)

    async def _do_uncheck(self, element: Any) -> None:
        await element.uncheck(timeout=self.action_ms)

    async def _do_hover(self, element: Any) -> None:
        await element.hover(timeout=self.action_ms)

    async def _do_press(self, element: Any, key_comb: str) -> None:
        await element.press(key_comb, timeout=self.action_ms)

    async def _do_focus(self, element: Any) -> None:
        await element.focus()

    async def _do_clear(self, element: Any) -> None:
        await element.fill("", timeout=self.action_ms)

    async def _do_upload_file(self, element: Any, file: str | list[str]) -> None:
        files = self.session.config.files
        names = [file] if isinstance(file, str) else file
        for name in names:
            if name not in files:
                known = ", ".join(sorted(files)) or "none"
                raise ActionError(Status.REJECTED, "unknown_file", f"there is no file {name!r}; there is: {known}")
        payload = [{"name": name, "mimeType": "text/plain", "buffer": files[name].encode()} for name in names]
        await element.set_input_files(payload, timeout=self.action_ms)

    async def _do_drag_and_drop(self, from_bid: str, to_bid: str) -> None:
        mouse = self.page.mouse
        places = []
        for ref in (from_bid, to_bid):
            element = await self.tab.element(ref)
            await element.scroll_into_view_if_needed(timeout=self.action_ms)
            box = await element.bounding_box()
            if box is None:
                raise ActionError(Status.TOOL_ERROR, "not_actionable", "drag_and_drop: element is not visible")
            places.append((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
        await self._drag(mouse, *places)

    async def _do_mouse_move(self, x: float, y: float) -> None:
        await self.page.mouse.move(x, y)

    async def _do_mouse_click(self, x: float, y: float, button: Any = "left") -> None:
        await self.page.mouse.click(x, y, button=button)

    async def _do_mouse_dblclick(self, x: float, y: float, button: Any = "left") -> None:
        await self.page.mouse.dblclick(x, y, button=button)

    async def _do_mouse_drag_and_drop(self, from_x: float, from_y: float, to_x: float, to_y: float) -> None:
        await self._drag(self.page.mouse, (from_x, from_y), (to_x, to_y))

    async def _do_keyboard_press(self, key: str) -> None:
        await self.page.keyboard.press(key)

    async def _do_keyboard_type(self, text: str) -> None:
        await self.page.keyboard.type(text)

    async def _do_keyboard_insert_text(self, text: str) -> None:
        await self.page.keyboard.insert_text(text)

    async def _do_goto(self, url: str) -> None:
        await goto(self.session, self.tab, url, self.left_ms)

    async def _do_go_back(self) -> None:
        await self.page.go_back(wait_until="commit", timeout=self.left_ms)

    async def _do_go_forward(self) -> None:
        await self.page.go_forward(wait_until="commit", timeout=self.left_ms)

    async def _do_reload(self) -> None:
        await self.page.reload(wait_until="commit", timeout=self.left_ms)

    async def _do_new_tab(self) -> None:
        await self.session.open_tab()

    async def _do_tab_close(self, index: int | None = None) -> None:
        await self.session.close_tab(index)

    async def _do_tab_focus(self, index: int) -> None:
        await self.session.focus_tab(index)

    async def _do_handle_dialog(self, accept: bool, text: str | None = None) -> None:
        await self.session.dialogs.answer(accept=accept, text=text)

    async def _do_wait_for(
        self, seconds: float | None = None, text: str | None = None, gone: str | None = None
    ) -> None:
        if seconds is not None:
            await self._hold(seconds)
        for what, state in ((text, "visible"), (gone, "hidden")):
            if what is not None:
                wanted: Any = state
                await self.page.get_by_text(what).first.wait_for(state=wanted, timeout=self.left_ms)

    async def _hold(self, seconds: float) -> None:
        """Wait as the action asks; this is the action, not a way to settle."""
        await asyncio.sleep(min(seconds, _MOST_WAIT_S, self.left_ms / 1000))

    async def _drag(self, mouse: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
        await mouse.move(*start)
        await mouse.down()
        await mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        await mouse.move(*end)
        await mouse.up()


async def goto(session: Session, tab: Tab, url: str, timeout_ms: float) -> None:
    """Open an address, and return when its page begins.

    Raises:
        ActionError: it is of a scheme that is not opened: a policy must not read this machine's files.
    """
    own = _scheme(session.start_url or "")
    if _scheme(url) not in _PLAIN | ({own} - {""}):
        known = "http://…, https://…"
        raise ActionError(Status.REJECTED, "bad_address", f"goto: {url[:200]!r} is not opened here: use {known}")
    await tab.page.goto(url, wait_until="commit", timeout=timeout_ms)


def _scheme(url: str) -> str:
    try:
        return urlsplit(url).scheme
    except ValueError:  # such as http://[
        return ""


__all__ = ["Doing", "goto"]
