"""What is sent of a state, how large that is, and where it could be cut."""

from __future__ import annotations

from simulator.loop.compaction import choose, cuts, opening, view
from simulator.loop.state import State
from simulator.wire.message import Turn


def sent(state: State) -> list[Turn]:
    """Return the ``messages`` of the next request."""
    compaction = state.policy.compaction
    pinned = compaction.pinned if compaction else ()
    return view(state.messages, state.first, state.cut, state.findings, pinned)


def size(state: State, cut: int | None = None) -> int:
    """Return the estimated tokens of the next request, or of the one it would be with another *cut*."""
    compaction = state.policy.compaction
    if compaction is None or not state.messages:
        return state.fixed
    at = state.cut if cut is None else cut
    first = opening(state.messages, state.first, at, state.findings, compaction.pinned)
    return state.fixed + compaction.count(first) + state.weights[-1] - state.weights[max(1, at)]


def next_cut(state: State) -> int | None:
    """Return where the conversation should be cut now; None where that would not make it smaller."""
    compaction = state.policy.compaction
    assert compaction is not None, "only a run with compaction shrinks"
    keep = 1 if state.forced else compaction.keep
    room = compaction.share * compaction.context
    return choose(cuts(state.messages, state.first), state.cut, keep, lambda cut: size(state, cut) < room)
