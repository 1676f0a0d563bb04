"""What is said of a run that ended before the matter of a probe came up: by what it ended, and where.

Rules of this file:

1. An end has a code, ``gate.end.raised``; its sentences are ``.saw``, ``.rule`` and ``.remedy`` of that id.
2. A request that the API refuses by a rule is the loop's own doing, whatever it made of the refusal.
3. Two runs ended alike when they have the same signature; one cause is then told once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.gate.judgements.ending import show
from simulator.gate.judgements.reading import Exchange, exchanges
from simulator.gate.ran import Ran

if TYPE_CHECKING:
    from simulator.trace.document import Trace

UNCHECKED = frozenset({"off_script", "recording_ends", "returned", "not_run"})
"""Ends that say nothing against the loop: nobody recorded what it did, or it came back before."""


def end_of(ran: Ran) -> tuple[str, int | None, dict[str, Any]]:
    """Return the code of the end of *ran*, the request it belongs to, and the facts of its sentences."""
    if ran.trace is None:
        problem = ran.problem
        assert problem is not None
        place = problem.frames[-1] if problem.frames else None
        known = {"line": place.line if place else "?", "text": place.text if place else ""}
        return problem.code.rpartition(".")[2], None, known | problem.facts
    seen = exchanges(ran.trace)
    turn = len(seen) or None
    refusal = _refusal(seen)
    if refusal is not None:
        return "refused", turn, refusal
    reason = str(ran.trace.exit.reason)
    if ran.tried is not None and not seen:
        return "elsewhere", turn, {"host": ran.tried}
    return reason, turn, _facts(ran.trace, len(seen))


def checkable(code: str) -> bool:
    """Return whether an end with this *code* speaks against the loop."""
    return code not in UNCHECKED


def signature(ran: Ran) -> tuple[Any, ...]:
    """Return what tells this end from others: of a crash, its type and its line."""
    code, _, facts = end_of(ran)
    if ran.trace is None:
        return (code, facts.get("line"))
    end, seen = ran.trace.exit, exchanges(ran.trace)
    match code:
        case "refused":
            return (code, facts["rule"])
        case "runaway":
            last = seen[-1] if seen else None
            again = last is not None and last.request.repeats is not None
            return (code, last.signal if last else None, again)
        case _:
            place = end.traceback[-1]["line"] if end.traceback else end.message
            return (code, end.error_type, place)


def _refusal(seen: list[Exchange]) -> dict[str, Any] | None:
    """Return the facts of the refusal that the run ended with, where one of the API's rules refused."""
    last = seen[-1].response if seen else None
    if last is None or last.by != "rule" or last.error is None:
        return None
    told = {name: str(last.error.get(name) or "") for name in ("type", "rule", "path")}
    return {
        "request": seen[-1].turn,
        "status": last.status,
        "type": told["type"],
        "error": last.error.get("message") or "",
        "rule": told["rule"],
        "place": " ".join(filter(None, (told["rule"], told["path"]))),
    }


def _facts(trace: Trace, requests: int) -> dict[str, Any]:
    end = trace.exit
    place = end.traceback[-1] if end.traceback else {}
    return {
        "type": end.error_type or "",
        "error": end.message or end.error_type or "",
        "value": show(end.value),
        "requests": requests,
        "line": place.get("line") or end.line or "?",
        "text": place.get("text", ""),
    }
