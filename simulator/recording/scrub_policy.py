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
from typing import NamedTuple

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

# A word begins after anything but a letter or digit, or after an escape of JSON: "\nsk-..." holds n before s.
_START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4}))"
_BEARER = r"(?=[^\s\"\\]*[0-9])[A-Za-z0-9._~+/=-]{20,}"


class Pattern(NamedTuple):
    """A kind of text to look for. Every hit holds one of the *needles*, which are fast to find."""

    kind: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    form: str = ""

    def may_be_in(self, text: str) -> bool:
        """Say whether a search is worth its time."""
        return any(needle in text for needle in self.needles)


PATTERNS: tuple[Pattern, ...] = (
    Pattern("Anthropic key", ("sk-ant-",), re.compile(r"sk-ant-[A-Za-z0-9_-]{6,}"), "scrubbed-key"),
    Pattern("bearer token", ("Bearer ",), re.compile(rf"(?<=Bearer ){_BEARER}"), "scrubbed-token"),
    Pattern(
        "request id", ("req_",), re.compile(_START + r"req_(?:vrtx_)?0[A-Za-z0-9]{20,}\b"), "req_{:024d}"
    ),
    Pattern(
        "container id",
        ("container_0",),
        re.compile(_START + r"container_0\w{16,}\b"),
        "container_{:024d}",
    ),
    Pattern("workspace id", ("wrkspc_",), re.compile(_START + r"wrkspc_\w{16,}\b"), "wrkspc_{:024d}"),
    Pattern(
        "organization id",
        ("org: ", "organization: ", "organization_id: "),
        re.compile(rf"(?<=\borg: ){UUID}|(?<=organization: ){UUID}|(?<=organization_id: ){UUID}"),
        "00000000-0000-4000-8000-{:012d}",
    ),
)
"""What is replaced, in this order; ``{}`` in the form is a number that counts the different values met."""

SECRETS: tuple[Pattern, ...] = (
    Pattern("anthropic_key", ("sk-ant-",), re.compile(r"sk-ant-[A-Za-z0-9_-]{6,}")),
    Pattern("api_key", ("sk-",), re.compile(_START + r"sk-(?:proj-|or-|svcacct-)?[A-Za-z0-9_-]{24,}")),
    Pattern("bearer", ("earer ", "EARER "), re.compile(rf"(?i:Bearer ){_BEARER}")),
    Pattern("google_key", ("AIza",), re.compile(_START + r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")),
    Pattern(
        "aws_key",
        ("AKIA", "ASIA"),
        re.compile(
            r"(?:(?<![A-Za-z0-9+/])|(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4}))(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9+/])"
        ),
    ),
    Pattern(
        "github_token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        re.compile(_START + r"(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{36,})"),
    ),
    Pattern("slack_token", ("xox",), re.compile(_START + r"xox[abprs]-[A-Za-z0-9-]{10,}")),
    Pattern("private_key", ("PRIVATE KEY-",), re.compile(r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----")),
    Pattern(
        "signed_token",
        (".eyJ",),
        re.compile(r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ),
    Pattern(
        "cookie",
        ("_cfuvid=", "__cf_bm=", "sessionKey="),
        re.compile(r"(?:_cfuvid|__cf_bm|sessionKey)=[A-Za-z0-9._%-]{16,}"),
    ),
    Pattern("password", ("://",), re.compile(r"://[^\s/:@\"'<>\\]+:[^\s/:@\"'<>\\]+@[A-Za-z0-9]")),
)
"""What looks like a secret; the refusal calls it by ``cassette.secrets.<kind>`` of the catalogue."""


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
    for secret in SECRETS:
        if secret.may_be_in(text) and secret.pattern.search(text):
            return secret.kind
    return None
