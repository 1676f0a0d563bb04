"""How one call of a tool ended, and the block that answers it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from simulator.loop.budget import Spend
from simulator.text import say
from simulator.wire.message import Block


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one call ended."""

    call: Block
    content: Any
    is_error: bool = False
    seconds: float = 0.0
    spend: Spend = field(default_factory=Spend)
    """What a sub-loop spent on it."""
    error: Exception | None = None
    """What the handler raised."""
    fatal: bool = False
    interrupted: bool = False
    """Ctrl-C ended a sub-loop: the whole run ends."""
    attempts: int = 1

    def block(self) -> Block:
        """Return the ``tool_result`` that answers the call."""
        result = {"type": "tool_result", "tool_use_id": self.call.get("id"), "content": self.content}
        return {**result, "is_error": True} if self.is_error else result


def not_run(call: Block, why: str) -> Outcome:
    """Return the outcome of a call that was not run, or not to its end; *why* names a sentence."""
    return Outcome(call, say(f"loop.model.not_run_{why}", name=str(call.get("name"))), True, attempts=0)
