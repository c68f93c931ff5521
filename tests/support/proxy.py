"""A line between two machines that can be cut, silenced or slowed: a small TCP proxy on loopback."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

PIECE = 4096
_ABORT = struct.pack("ii", 1, 0)


@dataclass
class Line:
    """What the proxy does to what passes; may be changed at any time, for connections to come.

    ``cut_up`` and ``cut_down`` are the bytes to the server and from it after which both ends are cut off
    without a farewell; ``deaf_after`` those from the server after which nothing passes any more, with
    nobody told; ``pause`` the seconds that every few kilobytes from the server take.
    """

    port: int = 0
    cut_up: int | None = None
    cut_down: int | None = None
    deaf_after: int | None = None
    pause: float = 0.0
    up: int = 0
    down: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    def mend(self) -> None:
        """Let everything pass again."""
        self.cut_up = self.cut_down = self.deaf_after = None
        self.pause = 0.0


@contextmanager
def proxied(target: int) -> Iterator[Line]:
    """Listen on a free port of this machine and pass everything on to its port ``target``."""
    listener = socket.create_server(("127.0.0.1", 0))
    line = Line(listener.getsockname()[1])
    threading.Thread(target=_accept, args=(listener, target, line), daemon=True).start()
    try:
        yield line
    finally:
        line.ended.set()
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _accept(listener: socket.socket, target: int, line: Line) -> None:
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        try:
            server = socket.create_connection(("127.0.0.1", target))
        except OSError:
            client.close()
            continue
        both = (client, server)
        threading.Thread(target=_pump, args=(client, server, line, True, both), daemon=True).start()
        threading.Thread(target=_pump, args=(server, client, line, False, both), daemon=True).start()


def _pump(
    source: socket.socket, sink: socket.socket, line: Line, is_up: bool, both: tuple[socket.socket, ...]
) -> None:
    passed = 0
    limit = line.cut_up if is_up else line.cut_down
    deaf = None if is_up else line.deaf_after
    with suppress(OSError):
        while piece := source.recv(PIECE):
            passed += len(piece)
            if is_up:
                line.up += len(piece)
            else:
                line.down += len(piece)
            if limit is not None and passed > limit:
                sink.sendall(piece[: max(0, limit - (passed - len(piece)))])
                _abort(both)
                return
            if deaf is not None and passed > deaf:
                line.ended.wait()
                return
            if line.pause and not is_up:
                line.ended.wait(line.pause)
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)


def _abort(sockets: tuple[socket.socket, ...]) -> None:
    """Reset both ends, as a router does that was unplugged."""
    for each in sockets:
        with suppress(OSError):
            each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABORT)
            each.shutdown(socket.SHUT_RDWR)
            each.close()
