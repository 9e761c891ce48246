"""A file descriptor for connections that have none that can be read plainly: TLS, SSH."""

import socket
import ssl
import threading
from contextlib import suppress
from typing import Any

_CHUNK = 65536


def plain(sock: Any) -> socket.socket:
    """Return `sock` itself where its descriptor carries plain bytes, else one end of a pair that two threads serve.

    It waits without end from here on: docker-py leaves its own deadline for answers on it, and a terminal may be silent
    for longer than that.
    """
    sock.settimeout(None)
    if isinstance(sock, socket.socket) and not isinstance(sock, ssl.SSLSocket):
        return sock
    return bridged(sock)


def bridged(sock: Any) -> socket.socket:
    """Return one end of a socket pair; what is written there goes to `sock`, and the other way round."""
    ours, theirs = socket.socketpair()
    for source, target in ((sock, ours), (ours, sock)):
        threading.Thread(target=_carry, args=(source, target), name="docker-bridge", daemon=True).start()
    return theirs


def _carry(source: Any, target: Any) -> None:
    with suppress(OSError):
        while data := source.recv(_CHUNK):
            target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        with suppress(OSError):
            end.close()
