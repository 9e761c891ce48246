"""The calls of PyAutoGUI that an action may use, carried out by xdotool; it stands in for the library of that name.

It is stricter: a point beyond the screen, a key or a button that does not exist is an error and nothing is done, where
the library is silent. There is no fail-safe, no pause between calls, and nothing that looks for pictures.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

FAILSAFE = False
PAUSE = 0.0
PRIMARY, LEFT, MIDDLE, RIGHT, SECONDARY = "primary", "left", "middle", "right", "secondary"
_BUTTONS: dict[Any, str] = {LEFT: "1", PRIMARY: "1", MIDDLE: "2", RIGHT: "3", SECONDARY: "3", 1: "1", 2: "2", 3: "3"}
_SPELLED = """
tab Tab escape Escape esc Escape delete Delete del Delete up Up down Down left Left right Right home Home end End
enter Return return Return backspace BackSpace space space pageup Prior pgup Prior pagedown Next pgdn Next
insert Insert clear Clear shift Shift_L shiftleft Shift_L shiftright Shift_R capslock Caps_Lock
ctrl Control_L ctrlleft Control_L ctrlright Control_R control Control_L alt Alt_L altleft Alt_L altright Alt_R
option Alt_L win Super_L winleft Super_L winright Super_R super Super_L command Super_L apps Menu menu Menu
printscreen Print prtsc Print pause Pause numlock Num_Lock scrolllock Scroll_Lock help Help execute Execute
select Select add KP_Add subtract KP_Subtract multiply KP_Multiply divide KP_Divide decimal KP_Decimal
separator KP_Separator
"""
_KEYS = dict(zip(_SPELLED.split()[::2], _SPELLED.split()[1::2], strict=True))
_KEYS |= {f"num{digit}": f"KP_{digit}" for digit in range(10)} | {f"f{number}": f"F{number}" for number in range(1, 25)}
_KEYS |= {"\n": "Return", "\r": "Return", "\t": "Tab", "\b": "BackSpace", " ": "space"}
KEYBOARD_KEYS = sorted(_KEYS)
_TYPED = {"\n", "\r", "\t", "\b"}
_ASCII, _LATIN, _UNICODE = 0x80, 0x100, 0x1000000
_STEPS = 12
_TYPE_MS = 3


class PyAutoGUIException(Exception):  # noqa: N818 — the library's own name
    """A call asks for what cannot be."""


class Point(NamedTuple):
    """A place on the screen."""

    x: int
    y: int


class Size(NamedTuple):
    """Width and height of the screen."""

    width: int
    height: int


def _xdotool(*words: object) -> str:
    done = subprocess.run(["xdotool", *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise PyAutoGUIException(said[-1] if said else f"xdotool ended with {done.returncode}")
    return done.stdout


def size() -> Size:
    """Return the size of the screen in pixels."""
    width, height = _xdotool("getdisplaygeometry").split()
    return Size(int(width), int(height))


resolution = size


def position() -> Point:
    """Return where the pointer is."""
    told = dict(line.split("=") for line in _xdotool("getmouselocation", "--shell").split())
    return Point(int(told["X"]), int(told["Y"]))


def onScreen(x: Any, y: Any = None) -> bool:  # noqa: N802 — the library's own names from here on
    """Whether a point is on the screen."""
    x, y = x if y is None else (x, y)
    width, height = size()
    return bool(0 <= x < width and 0 <= y < height)


def isValidKey(key: str) -> bool:  # noqa: N802
    """Whether there is such a key."""
    return len(key) == 1 or key.lower() in _KEYS


isShiftCharacter = str.isupper  # noqa: N816


def _point(x: Any, y: Any) -> Point:
    if isinstance(x, str):
        raise PyAutoGUIException(f"{x!r} names a picture: pictures are not looked for, give x and y")
    if x is not None and y is None and not isinstance(x, (int, float)):
        x, y = x
    here = position() if x is None or y is None else Point(0, 0)
    point = Point(int(here.x if x is None else x), int(here.y if y is None else y))
    if not onScreen(*point):
        raise PyAutoGUIException(f"{point} is not on the screen ({'x'.join(map(str, size()))})")
    return point


def _button(name: Any) -> str:
    if name not in _BUTTONS:
        raise PyAutoGUIException(f"button argument must be one of 'left', 'middle', 'right', not {name!r}")
    return _BUTTONS[name]


def _key(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise PyAutoGUIException(f"a key is named by a string, not by {name!r}")
    found = _KEYS.get(name if len(name) == 1 else name.lower())
    if found is not None:
        return found
    if len(name) > 1:
        raise PyAutoGUIException(f"there is no key {name!r}")
    return name if name.isascii() and name.isalnum() else f"U{ord(name):04X}"


def moveTo(x: Any = None, y: Any = None, duration: float = 0.0, *_: Any, **__: Any) -> None:  # noqa: N802
    """Move the pointer to a point, in `duration` seconds."""
    there = _point(x, y)
    if duration > 0:
        here = position()
        for step in range(1, _STEPS):
            _xdotool("mousemove", *(int(a + (b - a) * step / _STEPS) for a, b in zip(here, there, strict=True)))
            time.sleep(duration / _STEPS)
    _xdotool("mousemove", *there)


def moveRel(xOffset: Any = 0, yOffset: Any = 0, duration: float = 0.0, *_: Any, **__: Any) -> None:  # noqa: N802, N803
    """Move the pointer by so many pixels."""
    here = position()
    moveTo(here.x + (xOffset or 0), here.y + (yOffset or 0), duration)


move = moveRel


def click(
    x: Any = None,
    y: Any = None,
    clicks: int = 1,
    interval: float = 0.0,
    button: Any = PRIMARY,
    duration: float = 0.0,
    *_: Any,
    **__: Any,
) -> None:
    """Click, at a point or where the pointer is."""
    number = _button(button)
    moveTo(x, y, duration)
    if clicks > 0:
        _xdotool("click", "--repeat", int(clicks), "--delay", max(20, int(interval * 1000)), number)


def leftClick(x: Any = None, y: Any = None, interval: float = 0.0, duration: float = 0.0, *_: Any, **__: Any) -> None:  # noqa: N802
    """Click with the left button."""
    click(x, y, 1, interval, LEFT, duration)


def rightClick(x: Any = None, y: Any = None, interval: float = 0.0, duration: float = 0.0, *_: Any, **__: Any) -> None:  # noqa: N802
    """Click with the right button."""
    click(x, y, 1, interval, RIGHT, duration)


def middleClick(x: Any = None, y: Any = None, interval: float = 0.0, duration: float = 0.0, *_: Any, **__: Any) -> None:  # noqa: N802
    """Click with the middle button."""
    click(x, y, 1, interval, MIDDLE, duration)


def doubleClick(  # noqa: N802
    x: Any = None, y: Any = None, interval: float = 0.0, button: Any = LEFT, duration: float = 0.0, *_: Any, **__: Any
) -> None:
    """Click twice."""
    click(x, y, 2, interval, button, duration)


def tripleClick(  # noqa: N802
    x: Any = None, y: Any = None, interval: float = 0.0, button: Any = LEFT, duration: float = 0.0, *_: Any, **__: Any
) -> None:
    """Click three times."""
    click(x, y, 3, interval, button, duration)


def mouseDown(x: Any = None, y: Any = None, button: Any = PRIMARY, duration: float = 0.0, *_: Any, **__: Any) -> None:  # noqa: N802
    """Press a button and hold it."""
    number = _button(button)
    moveTo(x, y, duration)
    _xdotool("mousedown", number)


def mouseUp(x: Any = None, y: Any = None, button: Any = PRIMARY, duration: float = 0.0, *_: Any, **__: Any) -> None:  # noqa: N802
    """Let a button go."""
    number = _button(button)
    moveTo(x, y, duration)
    _xdotool("mouseup", number)


def dragTo(  # noqa: N802
    x: Any = None,
    y: Any = None,
    duration: float = 0.0,
    tween: Any = None,  # noqa: ARG001
    button: Any = PRIMARY,
    _pause: bool = True,
    mouseDownUp: bool = True,  # noqa: N803
    **_: Any,
) -> None:
    """Drag from where the pointer is to a point, in at least a tenth of a second."""
    there, number = _point(x, y), _button(button)
    if mouseDownUp:
        _xdotool("mousedown", number)
    moveTo(*there, max(0.1, duration))
    if mouseDownUp:
        _xdotool("mouseup", number)


def dragRel(xOffset: Any = 0, yOffset: Any = 0, duration: float = 0.0, *rest: Any, **more: Any) -> None:  # noqa: N802, N803
    """Drag by so many pixels."""
    here = position()
    dragTo(here.x + (xOffset or 0), here.y + (yOffset or 0), duration, *rest, **more)


drag = dragRel


def scroll(clicks: float, x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:
    """Turn the wheel: up where `clicks` is positive, else down."""
    _wheel(clicks, x, y, "4", "5")


def hscroll(clicks: float, x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:
    """Turn the wheel to the right where `clicks` is positive, else to the left."""
    _wheel(clicks, x, y, "7", "6")


vscroll = scroll


def _wheel(clicks: float, x: Any, y: Any, ahead: str, back: str) -> None:
    if x is not None or y is not None:
        moveTo(x, y)
    if int(clicks):
        _xdotool("click", "--repeat", abs(int(clicks)), "--delay", 10, ahead if clicks > 0 else back)


def write(message: str | Sequence[str], interval: float = 0.0, *_: Any, **__: Any) -> None:
    """Type a text, or press keys one after the other."""
    if not isinstance(message, str):
        for name in message:
            press(name, interval=interval)
    elif message:
        if not message.isascii():
            _give_keys(message)
        delay = ("--delay", max(_TYPE_MS, int(interval * 1000)))
        for piece in re.split(r"([\n\r\t\b])", message.replace("\r\n", "\n")):
            if piece in _TYPED:
                _xdotool("key", *delay, _KEYS[piece])
            elif piece:
                _xdotool("type", *delay, "--", piece)


typewrite = write


def _give_keys(text: str) -> None:
    """Give unused keys to characters that no key has, and leave them so.

    xdotool would take each away again, often before the program has looked what the key means.
    """
    from Xlib.display import Display

    display = Display()
    first, last = display.display.info.min_keycode, display.display.info.max_keycode
    rows = [list(row) for row in display.get_keyboard_mapping(first, last - first + 1)]
    known = {symbol for row in rows for symbol in row if symbol}
    symbols = [code if code < _LATIN else _UNICODE | code for code in map(ord, dict.fromkeys(text)) if code >= _ASCII]
    wanted = [symbol for symbol in symbols if symbol not in known]
    spare = [at for at, row in enumerate(rows) if not any(row) or any(symbol & _UNICODE for symbol in row)]
    for at, symbol in zip(reversed(spare), wanted, strict=False):
        display.change_keyboard_mapping(first + at, [[symbol] * len(rows[at])])
    display.sync()
    display.close()


def press(keys: str | Sequence[str], presses: int = 1, interval: float = 0.0, *_: Any, **__: Any) -> None:
    """Press and let go one key, or several one after the other."""
    names = [_key(name) for name in ([keys] if isinstance(keys, str) else keys)]
    for _time in range(int(presses)):
        for name in names:
            _xdotool("key", "--delay", _TYPE_MS, name)
            if interval:
                time.sleep(interval)


def keyDown(key: str, *_: Any, **__: Any) -> None:  # noqa: N802
    """Press a key and hold it."""
    _xdotool("keydown", _key(key))


def keyUp(key: str, *_: Any, **__: Any) -> None:  # noqa: N802
    """Let a key go."""
    _xdotool("keyup", _key(key))


@contextmanager
def hold(keys: str | Sequence[str], *_: Any, **__: Any) -> Iterator[None]:
    """Hold keys for as long as the block lasts."""
    names = [keys] if isinstance(keys, str) else list(keys)
    for name in names:
        keyDown(name)
    try:
        yield
    finally:
        for name in reversed(names):
            keyUp(name)


def hotkey(*keys: Any, interval: float = 0.0, **_: Any) -> None:
    """Press keys together: all down in their order, then up in the opposite one."""
    names = [_key(name) for name in (keys[0] if len(keys) == 1 and not isinstance(keys[0], str) else keys)]
    for name in names:
        _xdotool("keydown", name)
        if interval:
            time.sleep(interval)
    for name in reversed(names):
        _xdotool("keyup", name)


def sleep(seconds: float) -> None:
    """Wait so many seconds."""
    time.sleep(seconds)
