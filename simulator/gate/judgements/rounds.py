"""One round of a loop: an answer that asks for tools, what ran, and the request that carries the results.

Rules of this file:

1. Only an answer that ended in ``tool_use`` asks: a call within a cut or refused answer is not to be run.
2. A handler that was tried again counts by its last run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.gate.judgements.reading import Exchange, Ran, call_form, exchanges, result_text
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace


@dataclass(frozen=True, slots=True)
class Round:
    """An answer with calls, and the request after it; None where the loop asked no more."""

    before: Exchange
    after: Exchange | None

    def ran(self, call: wire.Block) -> Ran | None:
        """Return the last run of the handler for *call*, or None when it never ran."""
        return next((ran for ran in reversed(self.before.ran) if ran.id == call.get("id")), None)

    def result(self, call: wire.Block) -> wire.Block | None:
        """Return the block that answers *call* in the request after, or None."""
        blocks = wire.results(self.after.messages) if self.after else ()
        return next((block for block in blocks if block.get("tool_use_id") == call.get("id")), None)

    @property
    def muddled(self) -> bool:
        """True when the request after does not carry the round as a round.

        The call or the results are not in it, or not where they belong, or the ids name no call. That is told
        by ``history``, ``order`` and ``pairing``; whoever asks for more of the results has nothing to judge.
        """
        if self.after is None:
            return False
        known = len(list(wire.results(self.before.messages)))
        named = [block.get("tool_use_id") for block in wire.results(self.after.messages)][known:]
        asked = {call.get("id") for call in self.before.asked}
        told = {block.get("id") for block in wire.calls(self.after.messages)}
        return (
            self.after.request.repeats is not None
            or not asked <= told
            or misplaced(self.after) is not None
            or len(set(named)) < len(named)
            or not set(named) <= asked
        )


def rounds(trace: Trace) -> list[Round]:
    """Return the rounds of *trace* in order."""
    seen = exchanges(trace)
    nexts: list[Exchange | None] = [*seen[1:], None]
    return [
        Round(before, after)
        for before, after in zip(seen, nexts, strict=False)
        if before.signal == "tool_use" and before.asked
    ]


def form(call: wire.Block) -> str:
    """Return *call* as a person writes it."""
    return call_form(call.get("name"), call.get("input"))


def misplaced(one: Exchange) -> str | None:
    """Return the role of a turn that holds results and is not the user's; None where there is none."""
    for message in one.messages:
        if message.get("role") != "user" and wire.of_type(message.get("content"), "tool_result"):
            return str(message.get("role"))
    return None


def sent_text(block: wire.Block | None) -> str:
    """Return what a result block says, empty for none."""
    return result_text(block.get("content")) if block is not None else ""


def flagged(block: wire.Block | None) -> bool:
    """True when the result says that the call failed."""
    return block is not None and block.get("is_error") is True


def offered(trace: Trace) -> list[str]:
    """Return the names of the tools on offer."""
    return wire.tool_names({"tools": trace.tools})


def blank(block: Any) -> bool:
    """True for a text block that holds nothing but white space."""
    return (
        isinstance(block, dict) and block.get("type") == "text" and not str(block.get("text") or "").strip()
    )
