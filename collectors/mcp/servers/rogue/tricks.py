"""Everything that can go wrong in one call; the name of a function is what `how` says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from worldtape.collectors.mcp.servers.rogue.pipe import Message, notification, result

if TYPE_CHECKING:
    from worldtape.collectors.mcp.servers.rogue.server import Rogue

Trick = Callable[["Rogue", Message, Message], None]
TRICKS: dict[str, Trick] = {}
"""How to what is done with a request and its arguments."""
_ENDED = "the right answer"


def trick(do: Trick) -> Trick:
    """Register a way to misbehave."""
    TRICKS[do.__name__] = do
    return do


@trick
def garbage(rogue: Rogue, request: Message, given: Message) -> None:
    """Log to stdout before the answer."""
    rogue.pipe.raw("🖥️ Server mode: STDIO\nloading plugins ... ok\n\n".encode())
    rogue.pipe.answer(request, given.get("text", _ENDED))


@trick
def late(rogue: Rogue, request: Message, given: Message) -> None:
    """Answer after `seconds`; other calls are answered meanwhile."""
    rogue.pipe.later(given["seconds"], lambda: rogue.pipe.answer(request, "the late answer"))


@trick
def after_cancel(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Answer only once the client has given up the call."""
    rogue.on_cancel[str(request.get("id"))] = lambda: rogue.pipe.answer(request, "the answer nobody waits for")


@trick
def duplicate(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Answer twice, the second time wrongly."""
    rogue.pipe.send(result(request, _ENDED), result(request, "the second answer"))


@trick
def duplicate_later(rogue: Rogue, request: Message, given: Message) -> None:
    """Answer now, and again after `seconds`."""
    rogue.pipe.answer(request, _ENDED)
    rogue.pipe.later(given["seconds"], lambda: rogue.pipe.answer(request, "the second answer"))


@trick
def wrong_id(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Answer a question that nobody asked first."""
    rogue.pipe.send(result({"id": 987_654}, "the answer to another question"), result(request, _ENDED))


@trick
def string_id(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Give the id back as text."""
    rogue.pipe.send(result(request | {"id": str(request.get("id"))}, _ENDED))


@trick
def sampling(rogue: Rogue, request: Message, given: Message) -> None:
    """Ask the client for a model's words in between."""
    words = {"role": "user", "content": {"type": "text", "text": given.get("text", "Say something.")}}
    _ask(rogue, request, "sampling/createMessage", {"messages": [words], "maxTokens": 50})


@trick
def elicitation(rogue: Rogue, request: Message, given: Message) -> None:
    """Ask the user a question in between."""
    form = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    asked = {"message": given.get("text", "Who are you?"), "requestedSchema": form}
    _ask(rogue, request, "elicitation/create", asked)


@trick
def roots(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Ask for the client's folders in between."""
    _ask(rogue, request, "roots/list", {})


@trick
def ping(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Ask whether the client is still there in between."""
    _ask(rogue, request, "ping", {})


@trick
def same_id_as_client(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Send a request whose id is that of the call, before the answer."""
    rogue.pipe.send({"jsonrpc": "2.0", "id": request.get("id"), "method": "ping"}, result(request, _ENDED))


@trick
def progress(rogue: Rogue, request: Message, given: Message) -> None:
    """Report progress `count` times, and once more after the answer."""
    meta = request.get("params", {}).get("_meta", {})
    token = meta.get("progressToken", request.get("id"))
    steps = given.get("count", 3)
    for step in [*range(1, steps + 1), steps + 1]:
        told = {"progressToken": token, "progress": step, "total": steps, "message": f"step {step}"}
        if step > steps:
            rogue.pipe.answer(request, _ENDED)
        rogue.pipe.notify("notifications/progress", told)


@trick
def notifications(rogue: Rogue, request: Message, given: Message) -> None:
    """Log by notifications before and after the answer."""
    told = {"level": "info", "data": given.get("text", "working")}
    rogue.pipe.notify("notifications/message", told)
    rogue.pipe.notify("notifications/rogue/unheard_of")
    rogue.pipe.send(result(request, _ENDED), notification("notifications/message", told))


@trick
def tools_changed(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Offer one more tool from now on, and say so before the answer."""
    rogue.grow()
    rogue.pipe.send(notification("notifications/tools/list_changed"), result(request, _ENDED))


@trick
def tools_gone(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Offer only this tool from now on, and say so after the answer."""
    rogue.shrink()
    rogue.pipe.send(result(request, _ENDED), notification("notifications/tools/list_changed"))


@trick
def batch(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Answer as a JSON-RPC batch with a notification and an answer that nobody asked for."""
    told = notification("notifications/message", {"level": "info", "data": "batched"})
    rogue.pipe.send([told, result(request, _ENDED), result({"id": "nobody"}, "another answer")])


@trick
def huge(rogue: Rogue, request: Message, given: Message) -> None:
    """Answer in one line of `bytes` bytes."""
    frame = json.dumps(result(request, "@")).encode()
    size = max(1, given.get("bytes", 34_086_001) - len(frame))
    rogue.pipe.raw(frame.replace(b"@", (b"0123456789abcde " * (size // 16 + 1))[:size]) + b"\n")


@trick
def split(rogue: Rogue, request: Message, given: Message) -> None:
    """Write the answer byte by byte, with letters of several bytes."""
    frame = json.dumps(result(request, given.get("text", "zerlegt: ä, 水, 🦋")), ensure_ascii=False).encode() + b"\n"
    for index in range(len(frame)):
        rogue.pipe.raw(frame[index : index + 1])


@trick
def carriage_return(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """End the line as Windows does."""
    rogue.pipe.raw(json.dumps(result(request, _ENDED)).encode() + b"\r\n")


@trick
def separators(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Put characters into the answer, as they are, that many tools take for line ends or cannot keep in XML."""
    text = "one\u2028two\u2029three\u0085four"
    rogue.pipe.raw(json.dumps(result(request, text), ensure_ascii=False).encode() + b"\n")


@trick
def surrogates(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Put half a character, NUL and control characters into the answer, escaped."""
    rogue.pipe.send(result(request, "half \ud800, nul \x00, bell \x07, escape \x1b[31m, no character \uffff"))


@trick
def invalid_utf8(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Put bytes into the answer that are no UTF-8."""
    rogue.pipe.raw(json.dumps(result(request, "caf@ au lait")).encode().replace(b"@", b"\xe9") + b"\n")


@trick
def invalid_json(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Write a line that stops in the middle, then the answer."""
    whole = json.dumps(result(request, "the broken answer")).encode()
    rogue.pipe.raw(whole[: len(whole) // 2] + b"\n" + json.dumps(result(request, _ENDED)).encode() + b"\n")


@trick
def not_a_number(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Answer with NaN and Infinity, which are no JSON."""
    rogue.pipe.send(result(request, _ENDED, structuredContent={"mean": float("nan"), "most": float("inf")}))


@trick
def big_number(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Answer with an integer of 40 digits."""
    rogue.pipe.send(result(request, _ENDED, structuredContent={"count": 10**39 + 7}))


@trick
def deep(rogue: Rogue, request: Message, given: Message) -> None:
    """Answer with arrays inside arrays, `count` deep."""
    count = given.get("count", 600)
    nested = "[" * count + "]" * count
    frame = json.dumps(result(request, _ENDED, structuredContent={"deep": "@"}))
    rogue.pipe.raw(frame.replace('"@"', nested).encode() + b"\n")


@trick
def not_rpc(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Write JSON that is no JSON-RPC, then the answer."""
    rogue.pipe.send({"hello": "world"}, 42, "text", None, [], result(request, _ENDED))


@trick
def no_result(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Answer with neither result nor error; nothing else comes."""
    rogue.pipe.send({"jsonrpc": "2.0", "id": request.get("id")})


@trick
def odd_result(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Answer with a result that is no object."""
    rogue.pipe.send({"jsonrpc": "2.0", "id": request.get("id"), "result": "fine"})


@trick
def result_and_error(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Answer with a result and an error at once."""
    rogue.pipe.send(result(request, _ENDED) | {"error": {"code": -32603, "message": "and yet it failed"}})


@trick
def error(rogue: Rogue, request: Message, given: Message) -> None:
    """Answer with an error of the protocol."""
    told = {"code": -32050, "message": given.get("text", "the backend is away"), "data": {"retry": True}}
    rogue.pipe.send({"jsonrpc": "2.0", "id": request.get("id"), "error": told})


@trick
def error_without_id(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Complain about a message that cannot be read, then answer."""
    told = {"code": -32700, "message": "Parse error"}
    rogue.pipe.send({"jsonrpc": "2.0", "id": None, "error": told}, result(request, _ENDED))


@trick
def tool_error(rogue: Rogue, request: Message, given: Message) -> None:
    """Answer with an error of the tool."""
    rogue.pipe.send(result(request, given.get("text", "it did not work"), isError=True))


@trick
def every_content(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Answer with every type of content, and with one that nobody knows."""
    parts = [
        {"type": "text", "text": "one of each"},
        {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="},
        {"type": "audio", "mimeType": "audio/wav", "data": "UklGRg=="},
        {"type": "resource", "resource": {"uri": "rogue://a", "mimeType": "text/plain", "text": "inside"}},
        {"type": "resource_link", "uri": "rogue://b", "name": "b"},
        {"type": "hologram", "depth": 3},
    ]
    rogue.pipe.send({"jsonrpc": "2.0", "id": request.get("id"), "result": {"content": parts}})


@trick
def stderr(rogue: Rogue, request: Message, given: Message) -> None:
    """Write `bytes` bytes to stderr before the answer, some of them no UTF-8."""
    size = given.get("bytes", 200_000)
    sys.stderr.buffer.write((b"warning: \xff something\n" * (size // 20 + 1))[:size])
    sys.stderr.buffer.flush()
    rogue.pipe.answer(request, _ENDED)


@trick
def hang(rogue: Rogue, request: Message, given: Message) -> None:
    """Never answer; other calls are answered."""


@trick
def freeze(rogue: Rogue, request: Message, given: Message) -> None:
    """Do nothing at all for `seconds`, nor read."""
    time.sleep(given["seconds"])
    rogue.pipe.answer(request, _ENDED)


@trick
def die(rogue: Rogue, request: Message, given: Message) -> None:
    """Write half of the answer and exit with `status`."""
    whole = json.dumps(result(request, "the broken answer")).encode()
    rogue.pipe.raw(whole[: len(whole) // 2])
    sys.stderr.write("fatal: out of cheese\n")
    sys.stderr.flush()
    os._exit(given.get("status", 3))


@trick
def killed(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Be killed in the middle of the call."""
    os.kill(os.getpid(), signal.SIGKILL)


@trick
def close(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Close stdout and go on living."""
    os.close(1)


@trick
def leave_child(rogue: Rogue, request: Message, given: Message) -> None:  # noqa: ARG001
    """Start a program that holds stdout and outlives the server, and tell its number."""
    child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], stdin=subprocess.DEVNULL)
    rogue.pipe.answer(request, str(child.pid))


def _ask(rogue: Rogue, request: Message, method: str, params: Message) -> None:
    """Ask the client something; the answer to the call tells what it said."""

    def then(message: Message) -> None:
        said = {key: message[key] for key in ("result", "error") if key in message}
        rogue.pipe.answer(request, json.dumps(said, sort_keys=True))

    rogue.pipe.ask(method, params, then)


__all__ = ["TRICKS", "Trick"]
