"""Family q: thinking belongs to the turn it came with, and goes back with it as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.gate.judgements.echo import as_sent, turns_with
from simulator.gate.judgements.reading import Exchange, call_form, clip, exchanges, steps_from
from simulator.gate.probe import Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

THOUGHTS = ("thinking", "redacted_thinking")


def returns_thinking(trace: Trace) -> Verdict:
    """The thinking of the turn whose results are sent is in it, each block once, unchanged, in its place.

    Findings: ``dropped``, ``altered``, ``moved``, ``copied`` (it stands more than once), ``invented`` (one
    that no answer had).
    """
    judged = False
    known = [block for one in exchanges(trace)[:1] for block in _thoughts(one.messages)]
    for before, after in steps_from(trace):
        had = wire.of_type(before.content, *THOUGHTS)
        known += had
        if not before.asked or after.request.digest == before.request.digest:
            continue
        found = _invented(known, after) or (_returned(before, after, had) if had else None)
        if found is not None:
            return found
        judged = judged or bool(had)
    return holds() if judged else unknown()


def _returned(before: Exchange, after: Exchange, had: list[wire.Block]) -> Verdict | None:
    """Judge the turn of *before*, with its thoughts *had*, as *after* sends it back."""
    holding = list(turns_with(before.asked, after))
    if not holding:
        return None
    sent = wire.of_type(holding[0], *THOUGHTS)
    facts = {"before": before.turn, "call": _calls(before)}
    missing = next((block for block in had if block not in sent), None)
    if missing is not None:
        facts |= {"kind": missing.get("type"), "thought": _shown(missing)}
        return broken(f"thinking.{_changed(missing, sent)}", after.turn, **facts)
    times = [sum(wire.of_type(content, *THOUGHTS).count(block) for content in holding) for block in had]
    if max(times) > 1:
        return broken("thinking.copied", after.turn, **facts, thought=_shown(had[0]), times=max(times))
    was, now = _places(as_sent(before)), _places(holding[0])
    # A turn that was divided, or lost a call, holds the same as far as it goes: another family's matter.
    if was[: len(now)] == now:
        return None
    return broken("thinking.moved", after.turn, **facts, was=", ".join(was), now=", ".join(now))


def _changed(block: wire.Block, sent: list[wire.Block]) -> str:
    """Say whether *block* is gone, or there with another text or signature."""
    alike = any(_alike(piece, other) for piece in _pieces(block) for each in sent for other in _pieces(each))
    return "altered" if alike else "dropped"


def _invented(known: list[wire.Block], after: Exchange) -> Verdict | None:
    """Find a thinking block that shares nothing with any that the run has seen."""
    pieces = [piece for block in known for piece in _pieces(block)]
    for block in _thoughts(after.messages):
        if not any(_alike(own, piece) for own in _pieces(block) for piece in pieces):
            return broken("thinking.invented", after.turn, kind=block.get("type"), thought=_shown(block))
    return None


def _pieces(block: wire.Block) -> list[str]:
    return [str(block[key]) for key in ("thinking", "signature", "data") if block.get(key)]


def _alike(piece: str, other: str) -> bool:
    """True when both begin alike: a thought that was cut or gone over is still the same one."""
    return piece[:20] == other[:20]


def _thoughts(messages: list[dict[str, Any]]) -> list[wire.Block]:
    return [block for turn in messages for block in wire.of_type(turn.get("content"), *THOUGHTS)]


def _places(content: list[Any]) -> list[str]:
    """Return the kinds of blocks in their order, as far as they are thoughts and calls."""
    return [block["type"] for block in content if block.get("type") in (*THOUGHTS, "tool_use")]


def _calls(one: Exchange) -> str:
    return ", ".join(call_form(block.get("name"), block.get("input")) for block in one.asked)


def _shown(block: wire.Block) -> str:
    return clip(str(block.get("thinking") or block.get("data") or ""), 50)


PROBES: tuple[Probe, ...] = (probe(returns_thinking, "q", "thinks_before_calls", katas=("23",)),)
