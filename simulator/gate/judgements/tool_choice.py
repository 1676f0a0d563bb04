"""Family r: a choice that is forced on the model holds for one step, or the model can never end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.gate.judgements import views
from simulator.gate.judgements.reading import FINAL, Exchange, exchanges
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown

if TYPE_CHECKING:
    from simulator.trace.document import Trace

FORCED = ("any", "tool")


def forces_the_first_step_only(trace: Trace) -> Verdict:
    """The choice goes with the first request, and after the first call with none. Findings: ``not_sent``,
    ``still_forced``.

    A first request that failed, or whose answer was no call, may be sent again as it was.
    """
    seen, asked = exchanges(trace), views.option(trace, "tool_choice")
    if not seen or not isinstance(asked, dict):
        return unknown()
    facts = {"choice": _form(asked)}
    if {key: _choice(seen[0]).get(key) for key in ("type", "name")} != {
        key: asked.get(key) for key in ("type", "name")
    }:
        return broken("tool_choice.not_sent", seen[0].turn, **facts, sent=_form(_choice(seen[0])) or "-")
    called = next((one for one in seen if one.signal == "tool_use"), None)
    if called is None:
        return unknown()
    forced = [one for one in seen if one.turn > called.turn and _choice(one).get("type") in FORCED]
    if forced:
        times = len(forced) + 1
        return broken("tool_choice.still_forced", forced[0].turn, **facts, times=times, last=seen[-1].turn)
    return holds() if seen[-1].signal in FINAL else unknown()


def _choice(one: Exchange) -> dict[str, Any]:
    choice = one.request.parameters.get("tool_choice")
    return choice if isinstance(choice, dict) else {}


def _form(choice: dict[str, Any]) -> str:
    return ": ".join(str(choice[key]) for key in ("type", "name") if choice.get(key))


PROBES: tuple[Probe, ...] = (
    probe(
        forces_the_first_step_only,
        "r",
        Case("forced_first", {"tool_choice": {"type": "any"}}),
        Case("forced_first", {"tool_choice": {"type": "tool", "name": "sluice_level"}}),
        katas=("24",),
    ),
)
