"""Family h, ``pause_turn``: the API's own tool is not finished, and the turn is sent back as it is.

Rules of this file:

1. A loop that knows no paused turns and says so by name is honest: nothing is judged of what it does not do.
   The bare response says nothing: it looks to its caller as every other answer does.
2. Sent back as it is: the conversation, then the model's turn, and nothing after it; the same tools.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.gate.judgements.ending import outcome
from simulator.gate.judgements.named import LIMIT, crashed, named
from simulator.gate.judgements.reading import FINAL, Exchange, clip, exchanges
from simulator.gate.verdict import Verdict, broken, holds, not_applicable, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

MOST = 12
"""Paused turns in a row that a loop may take up."""

PAUSED = re.compile(
    r"pause|unhandled|unsupported|not supported|unexpected|pausa|no (?:admitid|soportad|contemplad|esperad)",
    re.IGNORECASE,
)
"""Words that name a pause, or a signal that a loop has no answer to."""


def resumes(trace: Trace) -> Verdict:
    """A paused turn is sent back unchanged, and goes on where it was. Findings of ``signals``:

    ``pause_taken_for_the_end``, ``pause_unnamed`` (an exception that does not say what happened),
    ``pause_lost``, ``pause_altered``, ``pause_with_words``, ``pause_without_tools``.
    """
    seen = exchanges(trace)
    paused = next((one for one in seen if one.signal == "pause_turn"), None)
    if paused is None:
        return unknown()
    after = next((one for one in seen if one.turn > paused.turn), None)
    facts = {"text": clip(paused.text, 60), "blocks": len(paused.content), "before": paused.turn}
    if after is not None:
        return _sent_back(paused, after, facts)
    if crashed(trace):
        return unknown()
    if named(trace, seen, PAUSED):
        return not_applicable("signals.no_pauses")
    finding = "pause_unnamed" if trace.exit.reason == "raised" else "pause_taken_for_the_end"
    return broken(f"signals.{finding}", paused.turn, **facts, value=outcome(trace))


def bounds(trace: Trace) -> Verdict:
    """However often the turn is paused, the run comes to an end, and says why.

    Findings of ``signals``: ``paused_for_ever``, ``paused_end_unsaid``.
    """
    seen = exchanges(trace)
    paused = [one for one in seen if one.signal == "pause_turn"]
    if len(paused) > MOST:
        return broken("signals.paused_for_ever", paused[MOST].turn, pauses=len(paused))
    if len(paused) < 2 or crashed(trace) or seen[-1].signal in FINAL:
        return unknown() if not _named_at_once(trace, seen) else holds()
    if seen[-1].signal != "pause_turn" and seen[-1].response and seen[-1].response.error:
        return unknown()
    if named(trace, seen, PAUSED) or named(trace, seen, LIMIT):
        return holds()
    return broken("signals.paused_end_unsaid", seen[-1].turn, pauses=len(paused), value=outcome(trace))


def _named_at_once(trace: Trace, seen: list[Exchange]) -> bool:
    """True when the loop ended by name at the first pause: that is a bound, too."""
    return len(seen) == 1 and not crashed(trace) and named(trace, seen, PAUSED)


def _sent_back(paused: Exchange, after: Exchange, facts: dict[str, object]) -> Verdict:
    was, now = _canonical(paused.messages), _canonical(after.messages)
    whole = _canonical([*paused.messages, {"role": "assistant", "content": paused.content}])
    if after.request.repeats is not None or now == was:
        return broken("signals.pause_lost", after.turn, **facts)
    if "tools" in after.request.parameters:
        return broken("signals.pause_without_tools", after.turn, **facts)
    if now == whole:
        return holds()
    if now[: len(whole)] == whole:
        said = clip(wire.text_of(now[len(whole)]["content"]), 60)
        return broken("signals.pause_with_words", after.turn, **facts, said=said)
    return broken("signals.pause_altered", after.turn, **facts)


def _canonical(messages: list[dict[str, object]]) -> list[wire.Turn]:
    turns: list[wire.Turn] = wire.conversation({"messages": messages})["messages"]
    return turns
