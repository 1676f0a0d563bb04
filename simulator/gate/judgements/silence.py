"""Family h, answers that hold nothing to go on with: an end without a word, ``tool_use`` without a call.

Rules of this file:

1. To send the same request again changes nothing: the model gave its answer to it.
2. A loop may ask once or twice in words of its own. What it hands back after that, it may decide, as long as
   it covers nothing up.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.gate.judgements.ending import outcome, squeeze
from simulator.gate.judgements.named import crashed, named
from simulator.gate.judgements.reading import FINAL, Exchange, clip, exchanges
from simulator.gate.verdict import Verdict, broken, holds, unknown

if TYPE_CHECKING:
    from simulator.trace.document import Trace

MOST = 2
"""Further requests that a loop may spend on an answer of which another try changes nothing."""

EMPTY = re.compile(
    r"empty|no (?:answer|text|content|words)|nothing|blank|vac[ií]|sin (?:respuesta|texto)|nada",
    re.IGNORECASE,
)


def empty_end(trace: Trace) -> Verdict:
    """``end_turn`` without a word: at most two further questions, in words of the loop, then an end.

    Findings of ``signals``: ``empty_resent`` (the same request again), ``empty_pressed`` (asked for ever),
    ``empty_covered`` (an earlier remark handed back in the answer's place).
    """
    seen = exchanges(trace)
    empty = [one for one in seen if one.signal in FINAL and not one.text.strip() and not one.asked]
    if not empty:
        return unknown()
    for one in seen:
        if one.turn > empty[0].turn and same_request(one, empty[0]):
            return broken("signals.empty_resent", one.turn, before=empty[0].turn)
    after = [one for one in seen if one.turn > empty[0].turn]
    if len(after) > MOST:
        return broken("signals.empty_pressed", after[MOST].turn, before=empty[0].turn, times=len(after))
    if crashed(trace) or failed(seen[-1]):
        return unknown()
    value = trace.exit.value
    covers = isinstance(value, str) and any(squeeze(value) == squeeze(one.text) for one in seen if one.text)
    if trace.exit.reason == "returned" and covers and not named(trace, seen, EMPTY):
        return broken("signals.empty_covered", seen[-1].turn, value=outcome(trace), before=empty[0].turn)
    return holds()


def no_call(trace: Trace) -> Verdict:
    """``tool_use`` and no call: nothing empty is sent, and the run ends.

    Findings of ``signals``: ``no_call_empty_turn`` (a user turn without content), ``no_call_alone`` (the
    model's own turn last), ``no_call_resent``, ``no_call_pressed``.
    """
    seen = exchanges(trace)
    odd = next((one for one in seen if one.signal == "tool_use" and not one.asked), None)
    if odd is None:
        return unknown()
    facts = {"text": clip(odd.text, 60), "before": odd.turn}
    after = [one for one in seen if one.turn > odd.turn]
    for one in after:
        if same_request(one, odd):
            return broken("signals.no_call_resent", one.turn, **facts)
        if failed(one) and one.messages:
            last = one.messages[-1]
            finding = "no_call_alone" if last.get("role") == "assistant" else "no_call_empty_turn"
            return broken(f"signals.{finding}", one.turn, **facts, error=_error(one))
    if len(after) > 1 + MOST:
        return broken("signals.no_call_pressed", after[1 + MOST].turn, **facts, times=len(after))
    return unknown() if crashed(trace) else holds()


def same_request(one: Exchange, other: Exchange) -> bool:
    """True when *one* asks what *other* asked, of the same model: it gets the same answer."""
    asked = [each.request.parameters.get("model") for each in (one, other)]
    return one.request.digest == other.request.digest and asked[0] == asked[1]


def failed(one: Exchange) -> bool:
    """True when the API answered *one* with an error."""
    return one.response is not None and one.response.error is not None


def _error(one: Exchange) -> str:
    return clip(str((one.response.error or {}).get("message")) if one.response else "", 90)
