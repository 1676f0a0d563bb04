"""``simulator validate``: what the Messages API would say to a request, or to each request of a cassette.

Rules of this file:

1. A file is what its content says, not its name: JSON is a request (or a trace), the rest a cassette.
2. A recorded request that was answered 200 is still checked: the API may have become stricter since.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.commands.parser import Parser, UsageError
from simulator.text import say
from simulator.text.visible import visible

if TYPE_CHECKING:
    from simulator.wire.rules import ApiError

MAX_BYTES = 64 * 1024 * 1024
"""Largest file that is read; the API itself takes requests up to 32 MB."""

NOT_JSON = object()


def main(argv: Sequence[str]) -> int:
    """Check the file that *argv* names; return 0 when the API would accept all of it, else 1."""
    parser = Parser("validate")
    parser.words.add_argument("file", metavar="FILE", help=say("cli.validate.file"))
    parser.options.add_argument("--json", action="store_true", help=say("cli.json"))
    asked = parser.read(argv)
    findings = check(asked.file)
    if asked.json:
        print(json.dumps({"file": asked.file, "requests": findings}, ensure_ascii=False, indent=1))
    else:
        print("\n".join(told(visible(asked.file), findings)))
    return 1 if any(finding["error"] for finding in findings) else 0


def check(name: str) -> list[dict[str, Any]]:
    """Return one finding for each request in the file *name* (``-``: a request on standard input).

    ``{"request": index, "error": None | {"status", "type", "message", "path", "rule", "explanation"}}``.
    A trace gives one for each request of its run, the first that does not verify raises TraceError. Raises
    CassetteError for what is neither JSON nor a cassette.
    """
    raw = _read(name)
    value = _json(raw)
    if isinstance(value, dict) and value.get("format") == "agent-loop-trace":
        return _trace(Path(name))
    is_cassette = isinstance(value, dict) and "interactions" in value
    looks_like_json = value is not NOT_JSON or raw.lstrip().startswith((b"{", b"["))
    if is_cassette or not (looks_like_json or name == "-"):
        return _cassette(Path(name))
    from simulator.wire.rules import check_json

    return [_finding(0, check_json(raw))]


def _read(name: str) -> bytes:
    """Return the bytes of the file *name*; raises UsageError when it cannot be read or is far too large."""
    try:
        # Not by the size it claims: a pipe and a device claim none, and may never end.
        with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or error
        raise UsageError(say("cli.unreadable", path=name, problem=problem)) from None
    if len(raw) > MAX_BYTES:
        raise UsageError(say("cli.too_large", path=name, limit=MAX_BYTES // 2**20))
    return raw


def _json(raw: bytes) -> Any:
    """Return the JSON value in *raw*, or :data:`NOT_JSON`."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return NOT_JSON


def _cassette(path: Path) -> list[dict[str, Any]]:
    from simulator.recording.cassette import read
    from simulator.wire.rules import check_request

    return [_finding(each.index, check_request(each.request)) for each in read(path).exchanges]


def _trace(path: Path) -> list[dict[str, Any]]:
    """Return the findings of a trace: what it knows of each request, which is all but the tools' schemas."""
    from simulator.trace.document import Trace
    from simulator.trace.events import Request
    from simulator.wire.rules import check_request

    trace = Trace.load(path)
    trace.verify()
    findings: list[dict[str, Any]] = []
    for step in trace.requests:
        stated = step.event.parameters if isinstance(step.event, Request) else {}
        body = {"tools": trace.tools, **stated, "messages": trace.messages_at(step.n)}
        findings.append(_finding(len(findings), check_request(body)))
    return findings


def _finding(index: int, error: ApiError | None) -> dict[str, Any]:
    from simulator.wire.rules import explain

    if error is None:
        return {"request": index, "error": None}
    fields = ("status", "type", "message", "path", "rule")
    stated = {field: getattr(error, field) for field in fields}
    return {"request": index, "error": {**stated, "explanation": explain(error)}}


def told(name: str, findings: Sequence[dict[str, Any]]) -> list[str]:
    """Return *findings* as lines for a person."""
    lines = []
    for finding in findings:
        error = finding["error"]
        if error is None:
            continue
        lines += [
            say("cli.validate.refused", file=name, number=finding["request"] + 1, of=len(findings)),
            f"  {error['status']} {error['type']}",
            f"  {visible(error['message'])}",
            *([say("cli.validate.at", path=visible(error["path"]))] if error["path"] else []),
            f"  {error['explanation']}",
            say("cli.validate.rule", rule=error["rule"]),
            "",
        ]
    refused = sum(finding["error"] is not None for finding in findings)
    summary = "cli.validate.some" if refused else "cli.validate.fine"
    return [*lines, say(summary, file=name, of=len(findings), **({"refused": refused} if refused else {}))]
