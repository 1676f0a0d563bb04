"""Scrub a recording by the policy of :mod:`simulator.recording.scrub_policy`.

Rules of this file:

1. The same value gets the same stand-in through the whole cassette, counted in order of appearance, so that
   scrubbing again gives the same bytes.
2. Texts are changed in place: what is not scrubbed stays as it was on the wire, spaces and key order too.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from simulator.recording.scrub_policy import (
    DROP,
    PATTERNS,
    REQUEST_HEADERS,
    RESPONSE_HEADERS,
    STAND_IN,
    UUID,
    ruling,
)

_SECRET_PARAMETERS = frozenset({"key", "api_key", "apikey", "token", "access_token", "signature"})
_MAX_DECODED = 64 * 1024 * 1024


def decoded(body: bytes) -> bytes:
    """Return *body* without its gzip, told by its first two bytes: headers lie in both directions.

    Raises ValueError when the gzip is broken, cut off, or unpacks to more than 64 MB.
    """
    if body[:2] != b"\x1f\x8b":
        return body
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(body)) as file:
            plain = file.read(_MAX_DECODED + 1)
    except (OSError, EOFError, zlib.error) as fault:
        raise ValueError(str(fault)) from None
    if len(plain) > _MAX_DECODED:
        raise ValueError(f"more than {_MAX_DECODED // 1024**2} MB unpacked")
    return plain


class Scrubber:
    """Scrubs the exchanges of one cassette: equal values get equal stand-ins."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def text(self, text: str) -> str:
        """Return *text* with stand-ins for what :data:`PATTERNS` names."""
        for each in PATTERNS:
            if each.may_be_in(text):
                text = each.pattern.sub(partial(self._replaced, each.kind, each.form), text)
        return text

    def _replaced(self, kind: str, form: str, hit: re.Match[str]) -> str:
        return self.stand_in(kind, hit.group(), form)

    def stand_in(self, kind: str, value: str, form: str) -> str:
        """Return the stand-in for *value*: *form* with the number of this value among those of its *kind*.

        A value that is a stand-in already stays.
        """
        if value.startswith(form.partition("{")[0] + "0" * 8):
            return value
        if (kind, value) not in self._given:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._given[kind, value] = form.format(self._counts[kind])
        return self._given[kind, value]

    def body(self, body: bytes) -> bytes:
        """Return *body* decoded and scrubbed; what is not UTF-8 text stays as it is."""
        plain = decoded(body)
        try:
            return self.text(plain.decode("utf-8")).encode("utf-8")
        except UnicodeDecodeError:
            return plain

    def request_body(self, body: bytes) -> bytes:
        """As :meth:`body`, and with a stand-in for ``metadata.user_id``, which names a person."""
        plain = self.body(body)
        try:
            parsed = json.loads(plain)
        except (ValueError, RecursionError):
            return plain
        metadata = parsed.get("metadata") if isinstance(parsed, dict) else None
        user = metadata.get("user_id") if isinstance(metadata, dict) else None
        if not isinstance(user, str) or not user:
            return plain
        new = json.dumps(self.stand_in("user id", user, "user_{:024d}"))
        for old in (json.dumps(user, ensure_ascii=False), json.dumps(user)):
            hit = re.compile(rb'("user_id"\s*:\s*)' + re.escape(old.encode("utf-8", "surrogatepass")))
            plain = hit.sub(lambda match: match.group(1) + new.encode(), plain)
        return plain

    def response_body(self, body: bytes, status: int) -> bytes:
        """As :meth:`body`; in an error also any ``request_id``, and every UUID: it names the account."""
        plain = self.body(body)
        if status < 400:
            return plain
        text = plain.decode("utf-8", "surrogateescape")
        text = re.sub(UUID, lambda hit: self._organization(hit.group()), text)
        text = re.sub(
            r'("request_id"\s*:\s*")([^"\\]+)(")',
            lambda hit: hit.group(1) + self._request_id(hit.group(2)) + hit.group(3),
            text,
        )
        return text.encode("utf-8", "surrogateescape")

    def request_headers(self, headers: Mapping[str, Any]) -> dict[str, list[str]]:
        """Return the headers of a request that are kept: lower-case names in order, each with its values."""
        return self._headers(headers, REQUEST_HEADERS)

    def response_headers(self, headers: Mapping[str, Any]) -> dict[str, list[str]]:
        """Return the headers of a response that are kept, ``request-id`` as a stand-in."""
        return self._headers(headers, RESPONSE_HEADERS)

    def _headers(
        self, headers: Mapping[str, Any], table: Mapping[str, tuple[str, str]]
    ) -> dict[str, list[str]]:
        kept: dict[str, list[str]] = {}
        for name in sorted(headers, key=str.lower):
            action = ruling(name, table)
            if action == DROP:
                continue
            values = [self.text(value) for value in header_values(headers[name])]
            if action == STAND_IN:
                values = [self._request_id(value) for value in values]
            kept.setdefault(name.lower(), []).extend(values)
        return kept

    def uri(self, uri: str) -> str:
        """Return *uri* with no user information, and stand-ins for keys in its query."""
        parts = urlsplit(uri)
        query = parse_qsl(parts.query, keep_blank_values=True)
        if any(name.lower() in _SECRET_PARAMETERS for name, _ in query):
            clean = [
                (name, "scrubbed" if name.lower() in _SECRET_PARAMETERS else value) for name, value in query
            ]
            parts = parts._replace(query=urlencode(clean))
        return self.text(urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])))

    def _request_id(self, value: str) -> str:
        return self.stand_in("request id", value, "req_{:024d}")

    def _organization(self, value: str) -> str:
        return self.stand_in("organization id", value, "00000000-0000-4000-8000-{:012d}")


def header_values(value: Any) -> list[str]:
    """Return the values of one header, which stand in cassettes as a list, a text, a number or null."""
    if value is None:
        return []
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in header_values(item)]
    if isinstance(value, bytes):
        return [value.decode("latin-1")]
    return [str(value)]


def scrub_request(request: Mapping[str, Any], scrubber: Scrubber | None = None) -> dict[str, Any]:
    """Return a request ``{"method", "uri", "headers", "body": bytes | None}`` as it may be written down.

    Pass one *scrubber* for all exchanges of a cassette. Raises ValueError for a broken gzip body.
    """
    scrubber = scrubber or Scrubber()
    body = as_bytes(request.get("body"))
    return {
        "method": str(request.get("method", "POST")),
        "uri": scrubber.uri(str(request.get("uri", ""))),
        "headers": scrubber.request_headers(request.get("headers") or {}),
        "body": None if body is None else scrubber.request_body(body),
    }


def scrub_response(response: Mapping[str, Any], scrubber: Scrubber | None = None) -> dict[str, Any]:
    """Return a response ``{"status": {code, message}, "headers", "body": {"string": bytes}}`` to be written.

    Pass one *scrubber* for all exchanges of a cassette. Raises ValueError for a broken gzip body.
    """
    scrubber = scrubber or Scrubber()
    status = dict(response["status"])
    body = as_bytes((response.get("body") or {}).get("string")) or b""
    headers = scrubber.response_headers(response.get("headers") or {})
    return {
        "status": {"code": status["code"], "message": status.get("message") or ""},
        "headers": headers,
        "body": {"string": scrubber.response_body(body, int(status["code"]))},
    }


def as_bytes(body: Any) -> bytes | None:
    """Return a body as bytes; vcrpy holds it as text, bytes, a file or an iterator. None stays None."""
    if body is None or isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode("utf-8", "surrogatepass")
    if hasattr(body, "read"):
        return as_bytes(body.read())
    return b"".join(as_bytes(part) or b"" for part in body)
