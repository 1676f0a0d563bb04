"""How one call of a tool ended, and the block that answers it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simulator.loop.budget import NOTHING, Spend
from simulator.loop.exits import By
from simulator.text import say
from simulator.wire.message import Block


@dataclass(frozen=True, slots=True)
class Failed:
    """What a handler returns, rather than raises, to say that the call failed: *content* is for the model."""

    content: Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one call ended."""

    call: Block
    content: Any
    is_error: bool = False
    seconds: float = 0.0
    spend: Spend = NOTHING
    """What a sub-loop spent on it."""
    error: Exception | None = None
    """What the handler raised."""
    fatal: bool = False
    interrupted: By | None = None
    """Who interrupted a sub-loop: the whole run ends."""
    attempts: int = 1

    def block(self) -> Block:
        """Return the ``tool_result`` that answers the call."""
        result = {"type": "tool_result", "tool_use_id": self.call.get("id"), "content": self.content}
        return {**result, "is_error": True} if self.is_error else result


def not_run(call: Block, why: str) -> Outcome:
    """Return the outcome of a call that was not run, or not to its end; *why* names a sentence."""
    return Outcome(call, say(f"loop.model.not_run_{why}", name=str(call.get("name"))), True, attempts=0)


def late(call: Block, seconds: float | None) -> Outcome:
    """Return the outcome of a call whose handler did not come back within its deadline."""
    text = say("loop.model.late", name=str(call.get("name")), seconds=seconds)
    return Outcome(call, text, True, seconds=seconds or 0.0)
