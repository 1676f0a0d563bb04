"""Family n: whose list it is, what an interruption leaves behind, and how a run goes on from there.

Rules of this file:

1. A good loop always leaves a lawful history (``leaves_a_lawful_history``). Whether it may write into the
   caller's list at all (``leaves_history_alone``) is a matter of its contract; without one, it may not.
2. Where a loop keeps what happened is its own choice: the caller's list, a value it returns, nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simulator.gate.judgements.alarm import heard
from simulator.gate.judgements.ending import outcome
from simulator.gate.judgements.reading import Exchange, Ran, call_form, clip, exchanges, hollow, result_text
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown
from simulator.trace.events import Request, ToolCall
from simulator.wire import message as wire
from simulator.wire.rules import check_request

if TYPE_CHECKING:
    from simulator.trace.document import Trace

SAYS_STOPPED = re.compile(
    r"interrupt|cancel|abort|ctrl.?c|keyboard|stopped by|stop(?:ped)? requested|interrump|detenid|par[oó]\b",
    re.IGNORECASE,
)
"""Words by which a caller learns that the run was stopped from outside."""

SAYS_NOT_RUN = re.compile(
    r"not (?:been )?(?:run|executed|finished|completed|known)|never (?:ran|run)"
    r"|did not (?:run|finish|complete)|interrupt|cancel|abort|unknown|lost|no (?:result|output)|unavailable"
    r"|skipped|resum|no se (?:ejecut|complet|termin)|sin (?:resultado|ejecutar)|interrump|desconocid|perdid",
    re.IGNORECASE,
)
"""Words by which a model learns that a call of an earlier run has no result."""

_ROLES = ("user", "assistant")
_ENDED = ("returned", "raised", "exited", "interrupted")


def leaves_history_alone(trace: Trace) -> Verdict:
    """The list that the caller gave is what it was when the run is over. Finding: ``changed``."""
    seen = exchanges(trace)
    if not seen or trace.exit.reason not in _ENDED:
        return unknown()
    left = trace.exit.left.get("messages")
    if left is None:
        return holds()
    turns = left if isinstance(left, list) else [left]
    last = turns[-1] if turns and isinstance(turns[-1], dict) else {}
    facts = {"given": len(seen[0].messages), "turns": len(turns), "last": _shown(last)}
    return broken("state.changed", None, **facts)


def leaves_a_lawful_history(trace: Trace) -> Verdict:
    """After Ctrl-C, the caller can put a new user turn behind what it holds, and the API takes it.

    Findings: ``unlawful``, ``results_lost`` (a finished result is not in it under its call).
    """
    seen = exchanges(trace)
    if _interrupted(seen) is None or trace.exit.reason not in _ENDED:
        return unknown()
    for history in _histories(trace):
        refusal = check_request(_going_on(seen[0], history))
        if refusal is not None:
            return broken("state.unlawful", None, turns=len(history), error=clip(refusal.message, 110))
        lost = _lost(seen, history)
        if lost is not None:
            sent, ran = lost
            facts = {"call": call_form(ran.name, ran.input), "result": clip(result_text(ran.content), 50)}
            return broken("state.results_lost", None, **facts, sent=clip(sent, 50))
    return holds()


def says_it_was_interrupted(trace: Trace) -> Verdict:
    """A run that Ctrl-C has ended does not look as if it had come to its own end. Finding: ``quiet``."""
    seen = exchanges(trace)
    found = _interrupted(seen)
    if found is None or seen[-1].turn > found[0].turn:
        return unknown()
    one, ran = found
    told = heard(trace, seen, SAYS_STOPPED)
    if told is None:
        return unknown()
    facts = {"call": call_form(ran.name, ran.input), "value": outcome(trace)}
    return holds() if told else broken("state.quiet", one.turn, **facts)


def resumes_lawfully(trace: Trace) -> Verdict:
    """Of a history whose last call has no result, that call is answered before the model is asked again.

    By running it, or by saying that it was not run; a loop may also drop the turn. Findings: ``sent_open``
    (the API refused the first request), ``made_up`` (a result of a tool that never ran, told as a success).
    """
    seen = exchanges(trace)
    if not seen:
        return unknown()
    first = seen[0]
    if first.response is not None and first.response.by == "rule":
        error = clip(str((first.response.error or {}).get("message")), 110)
        return broken("state.sent_open", first.turn, error=error)
    call: wire.Block = next(reversed(list(wire.calls(first.messages))), {})
    for block in wire.results(first.messages):
        said = result_text(block.get("content"))
        told = block.get("is_error") is True or bool(SAYS_NOT_RUN.search(said))
        if block.get("tool_use_id") == call.get("id") and not told and _key(call) not in _ran_before(trace):
            return broken("state.made_up", first.turn, call=call_form(*_key(call)), sent=clip(said, 50))
    return holds()


def keeps_what_was_done(trace: Trace) -> Verdict:
    """Of two calls that a run had left, the first answered and the second not, the first stays as it is.

    Findings: ``done_again``, ``replaced``, ``forgotten`` (it is not in the conversation any more), and those
    of :func:`resumes_lawfully`.
    """
    found = resumes_lawfully(trace)
    if found.outcome != "pass":
        return found
    first = exchanges(trace)[0]
    done = next(wire.calls(first.messages), None)
    if done is None:
        return broken("state.forgotten", first.turn, turns=len(first.messages))
    form = call_form(*_key(done))
    if _key(done) in _ran_before(trace):
        return broken("state.done_again", first.turn, call=form)
    for block in wire.results(first.messages):
        said = result_text(block.get("content"))
        if block.get("tool_use_id") == done.get("id") and (block.get("is_error") or not said.strip()):
            return broken("state.replaced", first.turn, call=form, sent=clip(said, 50))
    return holds()


def _interrupted(seen: list[Exchange]) -> tuple[Exchange, Ran] | None:
    """Return the call that never came back, and its exchange."""
    return next(((one, ran) for one in seen for ran in one.ran if not ran.ended), None)


def _histories(trace: Trace) -> Iterator[list[Any]]:
    """Yield every conversation that the caller holds: its own list if changed, and those handed back."""
    left = trace.exit.left.get("messages")
    if isinstance(left, list):
        yield left
    yield from _conversations(trace.exit.value)


def _conversations(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _conversations(item)
    elif isinstance(value, list):
        if value and all(isinstance(item, dict) and item.get("role") in _ROLES for item in value):
            yield value
            return
        for item in value:
            yield from _conversations(item)


def _going_on(first: Exchange, history: list[Any]) -> dict[str, Any]:
    """Return the request that goes on from *history* with a new user turn."""
    model = first.request.parameters.get("model", "claude-sonnet-5-5")
    more = {"role": "user", "content": "Please go on."}
    return {"model": model, "max_tokens": 1024, "messages": [*history, more]}


def _lost(seen: list[Exchange], history: list[Any]) -> tuple[str, Ran] | None:
    """Return what stands in *history* for a call that had come back by then, where it says nothing of it."""
    done = {ran.id: ran for one in seen for ran in one.ran if ran.ended}
    for block in wire.results(history):
        ran = done.get(block.get("tool_use_id"))
        if ran is not None and hollow(block.get("content"), ran):
            return result_text(block.get("content")), ran
    return None


def _ran_before(trace: Trace) -> list[tuple[object, object]]:
    """Return what ran before the first request."""
    found: list[tuple[object, object]] = []
    for step in trace.steps:
        if isinstance(step.event, Request):
            break
        if isinstance(step.event, ToolCall):
            found.append((step.event.name, step.event.input))
    return found


def _key(call: wire.Block) -> tuple[object, object]:
    return call.get("name"), call.get("input")


def _shown(turn: dict[str, Any]) -> str:
    content = turn.get("content")
    results = [result_text(block.get("content")) for block in wire.of_type(content, "tool_result")]
    calls = [call_form(*_key(block)) for block in wire.of_type(content, "tool_use")]
    return clip(" ".join([wire.text_of(content), *calls, *results]).strip(), 60)


PROBES: tuple[Probe, ...] = (
    probe(leaves_history_alone, "n", "list_then_read", "parallel_reads", katas=("21",)),
    probe(leaves_a_lawful_history, "n", "ctrl_c_in_a_batch", katas=("21",)),
    probe(says_it_was_interrupted, "n", "ctrl_c_in_a_batch", criteria=(6,), katas=("21",)),
    probe(
        resumes_lawfully,
        "n",
        "left_open",
        Case("left_half_done", judgement=keeps_what_was_done),
        katas=("21",),
    ),
)
