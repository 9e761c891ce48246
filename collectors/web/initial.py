"""What a browser was before the first action, as a prompt tells it."""

from __future__ import annotations

from worldtape.schemas import EnvironmentSpec


def initial_text(found: EnvironmentSpec, url: str | None) -> str:
    """Return a few lines: browser, viewport, locale, time zone, start page."""
    asked = found.parameters
    lines = [
        f"Browser: Chromium {found.versions.get('chromium', '')}".rstrip(),
        f"Viewport: {asked['width']} × {asked['height']} CSS pixels",
        f"Locale: {found.locale}",
        f"Time zone: {found.timezone}",
        f"Start page: {url or 'about:blank'}",
    ]
    if asked["dialogs"] != "ask":
        lines.append(f"Dialogs: {'accepted' if asked['dialogs'] == 'accept' else 'dismissed'} by themselves")
    if asked["files"]:
        lines.append(f"Files to upload: {', '.join(sorted(asked['files']))}")
    return "\n".join(lines)


__all__ = ["initial_text"]
