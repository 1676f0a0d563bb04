"""Does a run end by a name of its own? What was handed back, without the conversation and bare responses.

Rules of this file:

1. A conversation that is handed back tells what happened in it, not how the run ended; the loop's own words
   to the model stand in it, too. So it is set aside, and so are responses as the client gave them.
2. An exception that any slip raises (``KeyError``) is a crash: it names nothing, whatever its text says.
3. The name of a setting (``max_iterations``: 20) states a limit and not that it was reached, that of a count
   (``steps``: 3) what was done.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simulator.gate.judgements.alarm import SLIPS
from simulator.gate.judgements.reading import Exchange
from simulator.gate.judgements.telling import tells
from simulator.gate.options import OPTIONS

if TYPE_CHECKING:
    from simulator.trace.document import Trace

SETTINGS = frozenset(name for option in OPTIONS.values() for name in option.names) | {
    "budget",
    "config",
    "limits",
    "options",
    "policy",
    "settings",
}
"""Keys that state how a run was set up (rule 3)."""

COUNTS = frozenset(
    f"{start}{unit}{end}"
    for start in ("", "total_", "used_", "num_", "n_")
    for unit in (
        "step",
        "turn",
        "iteration",
        "round",
        "request",
        "token",
        "second",
        "cost",
        "money",
        "time",
        "check",
    )
    for end in ("", "s", "_used", "_count", "s_used")
)
"""Keys that state how much there was of something (rule 3)."""

LIMIT = re.compile(
    r"budget|limit|exceed|exhaust|ceiling|quota|time[ _-]?(?:d )?out|time(?: is)? up|deadline|\bcap(?:ped)?\b"
    r"|max(?:imum)?[ _-]?(?:iter|turn|step|round|loop|token|second|cost|time|request)"
    r"|\b(?:steps?|turns?|iterations?|rounds?|requests?|tokens?|seconds?|cost|money|usd)\b"
    r"|too[ _-]?(?:many|much|long)|out[ _-]?of[ _-]?(?:time|money|budget|steps|turns|tokens)"
    r"|presupuesto|l[ií]mite|agotad|exced|superad|\btope\b|\bpasos?\b|\bvueltas?\b|iteraciones|segundos|dinero",
    re.IGNORECASE,
)
"""Words that name a limit, in English and Spanish."""

UNVERIFIED = re.compile(
    r"verif|\bcheck(?:ed|s|er|ing)?\b|check[ _-]?fail|reject|unconfirmed|not (?:accepted|approved|confirmed)"
    r"|overrul|still (?:wrong|failing|fails)|valida|\bproblems?\b"
    r"|comprob|revis|rechaz|sin confirmar|no (?:aceptad|aprobad|confirmad)|sigue (?:mal|fallando)",
    re.IGNORECASE,
)
"""Words that say that a check did not agree."""

SUCCESS = re.compile(
    r"(?:is_?)?(?:success(?:ful|fully)?|succeeded|finished|completed?|done|ok|verified|solved)", re.IGNORECASE
)
"""Names of a state that is success, and of flags that claim it."""

STATES = frozenset({"status", "state", "outcome", "ending", "exit", "reason", "result", "stopped_by"})
"""Keys under which a result states how it ended."""


def named(trace: Trace, seen: list[Exchange], words: re.Pattern[str]) -> bool:
    """True when the end of the run names what *words* describe (rules 1 to 3)."""
    if trace.exit.reason == "raised" and trace.exit.error_type in SLIPS:
        return False
    end = dataclasses.replace(trace.exit, value=bare(trace.exit.value))
    steps = (*trace.steps[:-1], dataclasses.replace(trace.steps[-1], event=end))
    return tells(dataclasses.replace(trace, steps=steps), seen, words, SETTINGS | COUNTS)


def crashed(trace: Trace) -> bool:
    """True when the run ended by a slip, or was ended: it says nothing of the matter."""
    end = trace.exit
    return end.reason not in ("returned", "raised") or (end.reason == "raised" and end.error_type in SLIPS)


def bare(value: Any) -> Any:
    """Return *value* without conversations and without responses of the API."""
    if is_response(value) or is_conversation(value):
        return None
    if isinstance(value, dict):
        return {name: bare(item) for name, item in value.items()}
    return [bare(item) for item in value] if isinstance(value, list) else value


def is_response(value: Any) -> bool:
    """True for a response as the client gave it."""
    return isinstance(value, dict) and value.get("type") == "message" and "stop_reason" in value


def is_conversation(value: Any) -> bool:
    """True for a list of turns."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(turn, dict) and "role" in turn and "content" in turn for turn in value)
    )


def conversations(trace: Trace) -> list[list[dict[str, Any]]]:
    """Return the conversations that the caller has: its own list, and the outermost that came back."""
    own = list(_conversations(trace.exit.left.get("messages")))[:1]
    handed = sorted(_conversations(trace.exit.value), key=lambda found: found[0])[:1]
    return [turns for _, turns in own + handed]


def says_unverified(trace: Trace, seen: list[Exchange]) -> bool:
    """True when the end of the run says that a check did not agree: by a word, or by ``verified: False``."""
    value = trace.exit.value
    fields = value.items() if isinstance(value, dict) and not is_response(value) else ()
    denied = any(SUCCESS.fullmatch(str(key)) and item is False for key, item in fields)
    return denied or named(trace, seen, UNVERIFIED)


def claims_success(trace: Trace) -> bool:
    """True when the returned value states success: by a flag that is true, or as its state or type."""
    value = trace.exit.value
    if trace.exit.reason != "returned" or not isinstance(value, dict) or is_response(value):
        return False
    return any(_claims(str(key), item) for key, item in value.items())


def _claims(key: str, item: Any) -> bool:
    if SUCCESS.fullmatch(key):
        return item is True
    if key not in STATES and key != "class":
        return False
    stated = (item.get("class"), item.get("name"), item.get("value")) if isinstance(item, dict) else (item,)
    return any(isinstance(each, str) and bool(SUCCESS.fullmatch(each)) for each in stated)


def _conversations(value: Any, depth: int = 0) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    if is_conversation(value):
        yield depth, value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _conversations(item, depth + 1)
