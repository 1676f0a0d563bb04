"""What a caller gets back: how the run ended, and everything it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simulator.loop.budget import Spend
from simulator.loop.compaction import Dropped
from simulator.loop.events import Moved
from simulator.loop.exits import Exit, Finished, sentence
from simulator.wire.message import Turn


@dataclass(frozen=True)
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

    @property
    def finished(self) -> bool:
        """Whether the task is done; every other exit is none."""
        return isinstance(self.exit, Finished)

    def sentence(self, lang: str | None = None) -> str:
        """Return one sentence for a user on how it ended."""
        return sentence(self.exit, lang)
