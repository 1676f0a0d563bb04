"""A loopback HTTP server that answers ``POST /v1/messages`` the way the API's own front does.

Rules of this file:

1. It listens on 127.0.0.1 only, on a port the system chooses, for as long as the ``with`` block lasts.
2. It decides nothing: ``answer`` is given the raw request body and returns what to send.
3. It adds no clock and no machine name to what it sends.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOST = "127.0.0.1"
PATH = "/v1/messages"

FRONT = {
    "server": "cloudflare",
    "cf-cache-status": "DYNAMIC",
    "x-robots-tag": "none",
    "strict-transport-security": "max-age=31536000; includeSubDomains; preload",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}
"""Headers on every response of the API, whatever its status."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What to send: HTTP ``status``, ``body`` bytes and ``headers`` besides the length."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def serving(answer: Callable[[bytes], Reply]) -> Iterator[str]:
    """Serve *answer* on a loopback port; the value of the ``with`` block is the base URL."""

    class Handler(_Handler):
        reply = staticmethod(answer)

    server = ThreadingHTTPServer((HOST, 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    reply: Callable[[bytes], Reply]

    def do_POST(self) -> None:
        """Answer one request; anything but the Messages endpoint is 404."""
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path.split("?", 1)[0] == PATH:
            self._send(self.reply(body))
        else:
            error = b'{"type":"error","error":{"type":"not_found_error","message":"Not found"}}'
            self._send(Reply(404, error, {"content-type": "application/json", "x-should-retry": "false"}))

    def log_message(self, *_: object) -> None:
        """Keep still: a command that records prints its own lines."""

    def _send(self, reply: Reply) -> None:
        # Not send_response: that adds the date and the version of Python.
        self.send_response_only(reply.status)
        for name, value in {**FRONT, **reply.headers, "content-length": str(len(reply.body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)
