"""What is kept of a page: its tree, its HTML, a picture."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worldtape.collectors.web._dom import STYLES
from worldtape.collectors.web.merge import Merged, frames_of, merge
from worldtape.collectors.web.tab import Tab

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

    from worldtape.collectors.web.config import WebConfig

_TRIES = 4
_SHAPE = {"computedStyles": list(STYLES), "includePaintOrder": False}


@dataclass(slots=True)
class Captured:
    """One look at one tab."""

    url: str
    title: str
    scroll: tuple[float, float]
    size: tuple[float, float]
    """Width and height of the whole document, CSS pixels."""
    merged: Merged
    html: list[str]
    """Of each frame, the page's own first."""
    picture: bytes


async def capture(tab: Tab, config: WebConfig) -> Captured:
    """Look at a tab. A frame that goes away or navigates meanwhile makes it look again.

    Raises:
        playwright.async_api.Error: the page is gone.
    """
    from playwright.async_api import Error

    for left in reversed(range(_TRIES)):
        try:
            loads = tab.loads
            tree = (await tab.cdp.send("Page.getFrameTree"))["frameTree"]
            found = await _look(tab, config, tree)
        except Error as error:
            if not left or tab.crashed or tab.page.is_closed() or "closed" in str(error):
                raise
            await tab.page.wait_for_load_state("domcontentloaded", timeout=config.timeout_s * 1000)
        else:
            if tab.loads == loads or not left:
                return found
    raise AssertionError


async def _look(tab: Tab, config: WebConfig, tree: dict[str, Any]) -> Captured:
    frames = list(frames_of(tree))
    ids = [frame["id"] for frame in frames]
    asked = [_axtree(tab.cdp, one, must=not i) for i, one in enumerate(ids)]
    snapshot, picture, html, *trees = await asyncio.gather(
        tab.cdp.send("DOMSnapshot.captureSnapshot", _SHAPE),
        _picture(tab.cdp, config.screenshot),
        _html(tab, config.html),
        *asked,
    )
    merged = merge(tree, dict(zip(ids, trees, strict=True)), snapshot, tab.numbers)
    strings = snapshot["strings"]
    top = next((one for one in snapshot["documents"] if strings[one["frameId"]] == ids[0]), snapshot["documents"][0])
    return Captured(
        url=tree["frame"]["url"] + tree["frame"].get("urlFragment", ""),
        title=strings[top["title"]] if top["title"] >= 0 else "",
        scroll=(round(top.get("scrollOffsetX") or 0, 1), round(top.get("scrollOffsetY") or 0, 1)),
        size=(round(top.get("contentWidth") or 0, 1), round(top.get("contentHeight") or 0, 1)),
        merged=merged,
        html=html,
        picture=picture,
    )


async def _axtree(cdp: CDPSession, frame: str, *, must: bool) -> list[dict[str, Any]]:
    from playwright.async_api import Error

    try:
        return list((await cdp.send("Accessibility.getFullAXTree", {"frameId": frame}))["nodes"])
    except Error:
        if must:
            raise
        return []  # a frame that went away while we looked, or one of another process


async def _picture(cdp: CDPSession, form: str) -> bytes:
    if form == "none":
        return b""
    given = {"format": form, "optimizeForSpeed": True} | ({"quality": 80} if form == "jpeg" else {})
    return base64.b64decode((await cdp.send("Page.captureScreenshot", given))["data"])


async def _html(tab: Tab, wanted: bool) -> list[str]:
    from playwright.async_api import Error

    if not wanted:
        return []
    found = [await tab.page.content()]
    for frame in tab.page.frames:
        if frame is not tab.page.main_frame and not frame.is_detached():
            try:
                found.append(await frame.content())
            except Error:
                found.append("")
    return found


__all__ = ["Captured", "capture"]
