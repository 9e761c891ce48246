"""Runs one action: Python code that arrives by standard input; how it ended is told on a pipe of its own."""

from __future__ import annotations

import json
import linecache
import os
import sys
import time
import traceback
from typing import Any

_NAME = "<action>"


def main() -> None:
    """Run the code with `pyautogui` and `time` at hand; write its error, if it has one, to the pipe."""
    pipe = int(sys.argv[1])
    code = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    os.set_inheritable(pipe, False)
    linecache.cache[_NAME] = (len(code), None, code.splitlines(keepends=True), _NAME)
    told: dict[str, Any] = {}
    try:
        _run(code)
    except SystemExit as error:
        if error.code not in {None, 0}:
            told = {"type": "SystemExit", "message": str(error.code), "text": f"SystemExit: {error.code}"}
    except BaseException as error:  # noqa: BLE001 — whatever it is, it is the action's
        told = {"type": type(error).__name__, "message": str(error), "text": _text(error)}
    sys.stdout.flush()
    sys.stderr.flush()
    os.write(pipe, json.dumps(told).encode())
    if told:
        sys.exit(1)


def _run(code: str) -> None:
    import pyautogui

    os.set_inheritable(0, False)
    names = {"__name__": "__main__", "pyautogui": pyautogui, "time": time}
    exec(compile(code, _NAME, "exec", dont_inherit=True), names)  # noqa: S102 — the code is the action


def _text(error: BaseException) -> str:
    """Return the traceback without the frames that are not the action's."""
    found = traceback.TracebackException.from_exception(error)
    seen: Any = found
    while seen is not None:
        seen.stack = traceback.StackSummary.from_list([frame for frame in seen.stack if frame.filename == _NAME])
        seen = seen.__cause__ or seen.__context__
    return "".join(found.format())


if __name__ == "__main__":
    main()
