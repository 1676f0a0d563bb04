"""Criterion 7: every transition of a loop leaves a record, so that a run can be read afterwards.

Rules of this file:

1. A record is whatever the loop leaves of a step where a caller finds it: entries of a list or callable that
   it was given (``on_event``), lines of Python's ``logging``, fields of what it returned or raised, what it
   yielded.
2. What is asked is small: each answer's ``stop_reason`` by its value, each tool that ran by its name. Form
   and words are free; one entry may tell of several things.
3. The conversation itself is no record: its ``tool_use`` blocks say what was asked, not what the loop did.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simulator.gate.judgements.reading import Exchange, exchanges
from simulator.gate.options import OPTIONS
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown

if TYPE_CHECKING:
    from simulator.trace.document import Trace

BLOCKS = ("text", "tool_result", "thinking", "redacted_thinking", "server_tool_use")


def tells_every_transition(trace: Trace) -> Verdict:
    """Each answer and each tool run left a record.

    Findings: ``none``, ``signal_missing``, ``tool_missing``.
    """
    return _judged(trace)


def survives_a_failure(trace: Trace) -> Verdict:
    """The records are there when the run fails, too. Findings: ``lost``, and those of the other probe."""
    found = _judged(trace)
    if found.finding == "records.none":
        return broken(
            "records.lost", found.turn, **found.facts, reason=trace.exit.error_type or trace.exit.reason
        )
    return found


def _judged(trace: Trace) -> Verdict:
    seen = [one for one in exchanges(trace) if one.signal is not None]
    if not seen or trace.exit.reason not in ("returned", "raised", "exited"):
        return unknown()
    told = Counter[str]()
    signals, tools = _signals(seen), _tools(seen)
    for text in (text for source in _sources(trace) for text in _texts(source)):
        for name in {*signals, *tools}:
            told[name] += len(re.findall(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text, re.IGNORECASE))
    facts = {"answers": len(seen), "ran": sum(tools.values()), "names": ", ".join(OPTIONS["records"].names)}
    # How the last answer ended is part of what a loop hands back; that alone is no record.
    last = Counter({str(seen[-1].signal): 1})
    if not any((told - last)[name] for name in (*signals, *tools)) and not trace.exit.left.get("records"):
        return broken("records.none", None, **facts)
    for name, times in signals.items():
        if told[name] < times:
            turn = [one.turn for one in seen if one.signal == name][-1]
            return broken("records.signal_missing", turn, **facts, signal=name, times=times, told=told[name])
    for name, times in tools.items():
        if told[name] < times:
            turn = next(one.turn for one in seen if any(ran.name == name for ran in one.ran))
            return broken("records.tool_missing", turn, **facts, tool=name, times=times, told=told[name])
    return holds()


def _signals(seen: list[Exchange]) -> Counter[str]:
    return Counter(str(one.signal) for one in seen)


def _tools(seen: list[Exchange]) -> Counter[str]:
    return Counter(ran.name for one in seen for ran in one.ran)


def _sources(trace: Trace) -> list[Any]:
    """Return where records may stand (rule 1)."""
    value = trace.exit.value
    response = isinstance(value, dict) and value.get("type") == "message"
    left = trace.exit.left
    # The last thing that a generator yielded may be its value as well: it is looked at once.
    ended = response or value in left.get("yielded", [])
    return [left.get("records", []), left.get("yielded", []), None if ended else value]


def _texts(value: Any, inside: bool = False) -> Iterator[str]:
    """Yield the texts of *value*, those of conversations aside (rule 3); *inside*: of a list."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, inside=True)
    elif isinstance(value, dict) and not _is_conversation(value, inside):
        for item in value.values():
            yield from _texts(item, inside)


def _is_conversation(value: dict[str, Any], inside: bool) -> bool:
    """True for a turn, a block of one, and a response that stands by itself."""
    if "role" in value and "content" in value:
        return True
    if value.get("type") == "message":
        return not inside
    block = value.get("type") == "tool_use" and {"id", "input"} <= value.keys()
    return block or (value.get("type") in BLOCKS and bool({"text", "tool_use_id", "thinking"} & value.keys()))


RECORDED = {"records?": True}

PROBES: tuple[Probe, ...] = (
    probe(tells_every_transition, "w", Case("parallel_reads", RECORDED), criteria=(7,), katas=("10",)),
    probe(survives_a_failure, "w", Case("credit_runs_out", RECORDED), criteria=(7,), katas=("10",)),
)
