"""Nothing that runs in a child of the gate leaves this machine; that a loop tried to is noted.

Rules of this file:

1. Python itself reports each connection and look-up before it happens; nothing is patched. Loopback is free.
2. What is refused looks like a connection that was refused, which any client can deal with.
"""

from __future__ import annotations

import ipaddress
import sys
from typing import Any

EVENTS = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
}
"""The audit events that name an address or a host, and which of their arguments does."""

tried: list[str] = []
"""The hosts that were asked for and refused, since the list was last cleared."""


class LeavesError(ConnectionRefusedError):
    """A loop under judgement wanted to reach another machine."""


def start() -> None:
    """Watch this process from now on; an audit hook cannot be taken away again."""
    sys.addaudithook(_watch)


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    place = EVENTS.get(event)
    if place is None or len(arguments) <= place:
        return
    host = _host(arguments[place])
    if host is None or _is_loopback(host):
        return
    tried.append(host)
    raise LeavesError(f"{host}: nothing may leave this machine while a loop is checked")


def _host(address: Any) -> str | None:
    """Return the host that *address* names; None for a socket of this machine's own."""
    host = address[0] if isinstance(address, tuple) and address else address
    if isinstance(host, bytes):
        host = host.decode("utf-8", "replace")
    return host if isinstance(host, str) and "/" not in host and host[:1] not in ("", "\0") else None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.split("%")[0]).is_loopback
    except ValueError:
        return host == "localhost"
