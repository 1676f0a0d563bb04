"""What of a recording may be written down: the tables, each entry with its reason.

Rules of this file:

1. Headers are kept by name; a header nobody has thought about is dropped (``*``).
2. :data:`PATTERNS` are replaced in every text. :data:`SECRETS` must not be left anywhere, or nothing is
   written: a person has to look.
3. A pattern matches the real form of an id, long and with its usual start, so that ordinary words and code in
   a conversation (``req_handler``) stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

KEEP, DROP, STAND_IN = "keep", "drop", "stand-in"

REQUEST_HEADERS: dict[str, tuple[str, str]] = {
    "accept": (KEEP, "part of the request"),
    "anthropic-beta": (KEEP, "changes what the API accepts and answers"),
    "anthropic-version": (KEEP, "changes what the API accepts and answers"),
    "content-type": (KEEP, "part of the request"),
    "x-api-key": (DROP, "the key"),
    "authorization": (DROP, "the key, or a bearer token"),
    "cookie": (DROP, "names a visitor"),
    "x-stainless-*": (DROP, "describes the recording machine, and changes with every SDK version"),
    "user-agent": (DROP, "changes with every SDK version"),
    "host": (DROP, "already in the URI"),
    "content-length": (DROP, "follows from the body"),
    "accept-encoding": (DROP, "about the connection; bodies are stored decoded"),
    "connection": (DROP, "about the connection"),
    "*": (DROP, "nobody has decided that it is harmless"),
}

RESPONSE_HEADERS: dict[str, tuple[str, str]] = {
    "anthropic-ratelimit-*": (KEEP, "a loop that slows down reads it"),
    "content-type": (KEEP, "tells a stream from a message"),
    "date": (KEEP, "when it was recorded: provenance"),
    "request-id": (STAND_IN, "names a request of an account; SDK errors show it, so one has to be there"),
    "retry-after": (KEEP, "a loop that retries reads it"),
    "retry-after-ms": (KEEP, "a loop that retries reads it"),
    "x-should-retry": (KEEP, "the SDK's retries obey it"),
    "set-cookie": (DROP, "names a visitor"),
    "anthropic-organization-id": (DROP, "names the account"),
    "anthropic-workspace-id": (DROP, "names the account"),
    "cf-ray": (DROP, "names the request and the place it came from"),
    "traceresponse": (DROP, "names the request in the provider's tracing"),
    "x-cloud-trace-context": (DROP, "names the request in the provider's tracing"),
    "content-encoding": (DROP, "bodies are stored decoded"),
    "content-length": (DROP, "follows from the body"),
    "transfer-encoding": (DROP, "about the connection"),
    "connection": (DROP, "about the connection"),
    "server-timing": (DROP, "measures one moment of one server"),
    "*": (DROP, "nobody has decided that it is harmless"),
}

UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

PATTERNS: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("Anthropic key", re.compile(r"sk-ant-[A-Za-z0-9_-]{6,}"), "scrubbed-key"),
    (
        "bearer token",
        re.compile(r"(?<=\bBearer )(?=[^\s\"\\]*[0-9])[A-Za-z0-9._~+/=-]{20,}"),
        "scrubbed-token",
    ),
    ("request id", re.compile(r"\breq_(?:vrtx_)?0[A-Za-z0-9]{20,}\b"), "req_{:024d}"),
    ("container id", re.compile(r"\bcontainer_0[A-Za-z0-9]{16,}\b"), "container_{:024d}"),
    ("workspace id", re.compile(r"\bwrkspc_[A-Za-z0-9]{16,}\b"), "wrkspc_{:024d}"),
    (
        "organization id",
        re.compile(rf"(?<=\borg: ){UUID}|(?<=\borganization: ){UUID}|(?<=\borganization_id: ){UUID}"),
        "00000000-0000-4000-8000-{:012d}",
    ),
)
"""Name, what it looks like, and its stand-in; ``{}`` is a number that counts the different values met."""

SECRETS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("anthropic_key", re.compile(r"sk-ant-[A-Za-z0-9_-]{6,}")),
    ("api_key", re.compile(r"(?<![A-Za-z0-9_-])sk-(?:proj-|or-|svcacct-)?[A-Za-z0-9_-]{24,}")),
    ("bearer", re.compile(r"(?i)\bBearer (?=[^\s\"\\]*[0-9])[A-Za-z0-9._~+/=-]{20,}")),
    ("google_key", re.compile(r"(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")),
    ("aws_key", re.compile(r"(?<![A-Za-z0-9+/])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9+/])")),
    ("github_token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{36,})")),
    ("slack_token", re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}")),
    ("private_key", re.compile(r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----")),
    ("signed_token", re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}")),
    ("cookie", re.compile(r"(?i)\b(?:_cfuvid|__cf_bm|sessionKey)=[A-Za-z0-9._%-]{16,}")),
    ("password", re.compile(r"://[^\s/:@\"'<>]+:[^\s/:@\"'<>]+@[A-Za-z0-9]")),
)
"""What looks like a secret; the refusal calls it by ``cassette.secrets.<name>`` of the catalogue."""


def ruling(name: str, table: Mapping[str, tuple[str, str]]) -> str:
    """Return what *table* says about the header *name*, in any letter case: KEEP, DROP or STAND_IN."""
    lower = name.lower()
    if lower in table:
        return table[lower][0]
    for pattern, (action, _) in table.items():
        if pattern.endswith("*") and pattern != "*" and lower.startswith(pattern[:-1]):
            return action
    return table["*"][0]


def secret_in(text: str) -> str | None:
    """Return what kind of secret *text* seems to hold (``github_token``), or None; never the secret."""
    for name, pattern in SECRETS:
        if pattern.search(text):
            return name
    return None
