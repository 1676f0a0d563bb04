"""The promise "nothing leaves this machine", watched: an audit hook on every socket of this process.

Rules of this file:

1. Python itself reports each connection, look-up and listening address before it happens; nothing is patched.
2. A breach raises at once, and is remembered as well: code under test may swallow what is raised.
"""

import ipaddress
import socket
import sys
from typing import Any

EVENTS = {
    "socket.bind": 1,
    "socket.connect": 1,
    "socket.sendmsg": 1,
    "socket.sendto": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
}
"""The audit events that name an address or a host, and which of their arguments does."""

breaches: list[str] = []
"""What was tried and refused since the list was last cleared."""


class OutsideLoopbackError(RuntimeError):
    """Code under test tried to reach, or be reached from, another machine."""


def is_loopback(address: Any) -> bool:
    """Return whether *address* (of a socket, or a host's name) stays on this machine."""
    if address is None:
        return True
    host = address[0] if isinstance(address, tuple) and address else address
    if isinstance(host, bytes):
        host = host.decode("utf-8", "replace")
    if not isinstance(host, str) or not isinstance(address, tuple | str | bytes):
        return True  # a local socket of another family
    if isinstance(address, str | bytes) and "/" in host:
        return True  # the path of a Unix socket
    try:
        return ipaddress.ip_address(host.split("%")[0]).is_loopback
    except ValueError:
        return host in ("localhost", "\0") or host.startswith("\0")


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse what *event* is about to do where it leaves loopback."""
    place = EVENTS.get(event)
    if place is None or len(arguments) <= place:
        return
    address = arguments[place]
    if not is_loopback(address):
        breaches.append(f"{event} {address!r}")
        raise OutsideLoopbackError(
            f"{event} with {address!r}: nothing here may leave loopback; use 127.0.0.1 or a replay."
        )


def start() -> None:
    """Watch this process from now on; an audit hook cannot be taken away again."""
    if not getattr(socket, "_guarded_by_tests", False):
        socket._guarded_by_tests = True  # type: ignore[attr-defined]  # one hook per process, however often imported
        sys.addaudithook(watch)
