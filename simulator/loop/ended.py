"""What a caller gets back: how the run ended, and everything it did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from simulator.loop.budget import Spend
from simulator.loop.compaction import Dropped
from simulator.loop.events import Moved
from simulator.loop.exits import Exit, Finished, sentence
from simulator.loop.state import State
from simulator.wire.message import Turn


@dataclass(frozen=True, repr=False)
class Run:
    """What came of a run."""

    exit: Exit
    response: Any
    """The last response as the client gave it (the assembled message where it was streamed); None without
    one.
    """
    messages: list[Turn]
    """The whole conversation, as JSON: lawful to send again with a further user turn, or, where it ends in a
    paused turn of a server tool, as it is."""
    spend: Spend
    events: tuple[Moved, ...]
    dropped: tuple[Dropped, ...] = ()
    text: str = ""
    """What the model said last; partial where the exit is not ``Finished``."""

    @classmethod
    def of(cls, state: State, response: Any, events: Iterable[Moved]) -> Run:
        """Return what came of a run that is done; nobody else holds its messages any more."""
        assert state.exit is not None, "a run that is done has an exit"
        text = state.answer.text if state.answer else ""
        messages = list(state.messages)
        return cls(state.exit, response, messages, state.spend, tuple(events), state.dropped, text)

    def __repr__(self) -> str:
        # By hand, and without what a clock said: a trace keeps it, and the same run gives the same trace.
        spent = f"steps={self.spend.steps}, tokens={self.spend.tokens}"
        return f"Run(exit={self.exit!r}, text={self.text!r}, {spent}, turns={len(self.messages)})"

    @property
    def finished(self) -> bool:
        """Whether the task is done; every other exit is none."""
        return isinstance(self.exit, Finished)

    def sentence(self, lang: str | None = None) -> str:
        """Return one sentence for a user on how it ended."""
        return sentence(self.exit, lang)
