"""When a loop ends and what it hands back: the typed ``stop_reason`` decides, prose never does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.gate.judgements.reading import FINAL, Exchange, call_form, clip, exchanges, steps_from
from simulator.gate.probe import Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown

if TYPE_CHECKING:
    from simulator.trace.document import Trace


def waits_for_the_end(trace: Trace) -> Verdict:
    """The loop does not come back while the model is waiting for a tool. Finding: ``left_early``."""
    seen = exchanges(trace)
    if not seen:
        return unknown()
    last = seen[-1]
    if last.signal == "tool_use" and trace.exit.reason == "returned":
        return broken("ending.left_early", last.turn, **_facts(last), ran=len(last.ran))
    return holds() if last.signal in FINAL or len(seen) > 1 else unknown()


def stops_at_the_end(trace: Trace) -> Verdict:
    """No request is sent once the model has ended its turn. Finding: ``went_on``."""
    for before, after in steps_from(trace):
        if before.signal in FINAL:
            return broken("ending.went_on", after.turn, **_facts(before), before=before.turn)
    seen = exchanges(trace)
    return holds() if seen and seen[-1].signal in FINAL else unknown()


def returns_the_final_response(trace: Trace) -> Verdict:
    """The loop returns the response that ended the conversation. Findings: ``nothing``, ``not_response``."""
    seen = exchanges(trace)
    if not seen or seen[-1].signal not in FINAL or trace.exit.reason != "returned":
        return unknown()
    value, last = trace.exit.value, seen[-1]
    if value is None:
        return broken("ending.nothing", last.turn, **_facts(last))
    if not _is_response(value, last):
        return broken("ending.not_response", last.turn, **_facts(last), value=show(value))
    return holds()


def hands_back_the_answer(trace: Trace) -> Verdict:
    """The loop comes back with the model's last words in some form. Findings: ``nothing``, ``not_answer``."""
    seen = exchanges(trace)
    if not seen or seen[-1].signal not in FINAL or trace.exit.reason != "returned":
        return unknown()
    value, last = trace.exit.value, seen[-1]
    if value is None:
        return broken("ending.nothing", last.turn, **_facts(last))
    if squeeze(last.text) not in squeeze(" ".join(texts(value))) and not yielded(trace, last.text):
        return broken("ending.not_answer", last.turn, **_facts(last), value=show(value))
    return holds()


def texts(value: Any) -> list[str]:
    """Return every string inside a JSON value, in order; keys are not among them."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts(item)]
    return [text for item in value for text in texts(item)] if isinstance(value, list) else []


def yielded(trace: Trace, text: str) -> bool:
    """True when a generator gave *text* before its end: in one piece, or in many under one key."""
    pieces: dict[str, list[str]] = {}
    _gather(trace.exit.left.get("yielded"), "", pieces)
    return any("".join(text.split()) in "".join("".join(each).split()) for each in pieces.values())


def _gather(value: Any, key: str, pieces: dict[str, list[str]]) -> None:
    if isinstance(value, str):
        pieces.setdefault(key, []).append(value)
    for name, item in value.items() if isinstance(value, dict) else ():
        _gather(item, str(name), pieces)
    for item in value if isinstance(value, list) else ():
        _gather(item, key, pieces)


def squeeze(text: str) -> str:
    """Return *text* with every run of white space as one space: joining and stripping do not matter."""
    return " ".join(text.split())


def show(value: Any, width: int = 70) -> str:
    """Return a returned value in at most about *width* characters; of a long text, both ends are shown."""
    if isinstance(value, dict) and value.get("type") == "message":
        return f'Message(stop_reason="{value.get("stop_reason")}")'
    if isinstance(value, str):
        return f'"{ends(value, width)}"'
    return clip(repr(value), width)


def ends(text: str, width: int) -> str:
    """Return the beginning and the end of *text* on one line."""
    line = clip(text, len(text) * 2)
    half = (width - 3) // 2
    return line if len(line) <= width else f"{line[:half]} … {line[-half:]}"


def outcome(trace: Trace) -> str:
    """Return what the caller gets, in a few words: the value, or the exception."""
    end = trace.exit
    return show(end.value) if end.reason == "returned" else f"{end.error_type}: {show(end.message or '')}"


def _is_response(value: Any, last: Exchange) -> bool:
    if not isinstance(value, dict) or value.get("stop_reason") != last.signal or not last.response:
        return False
    given = value.get("id")
    return given is None or given == last.response.id


def _facts(exchange: Exchange) -> dict[str, object]:
    calls = ", ".join(call_form(block.get("name"), block.get("input")) for block in exchange.asked)
    return {"signal": exchange.signal, "text": clip(exchange.text, 70), "call": calls}


PROBES: tuple[Probe, ...] = (
    probe(waits_for_the_end, "o", "not_done_yet", "unfinished_in_words", criteria=(1,), katas=("01",)),
    probe(stops_at_the_end, "o", "not_done_yet", "unfinished_in_words", criteria=(1,), katas=("01",)),
    probe(hands_back_the_answer, "o", "todo_list", katas=("01", "02", "03")),
)
