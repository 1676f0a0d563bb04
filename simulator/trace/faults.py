"""What can be wrong with a trace file or with what is asked of the observer."""

from __future__ import annotations

from pathlib import Path

from simulator.text import say


class TraceError(ValueError):
    """A trace is not whole, or not what it claims to be. Its text is one sentence: saw, rule, remedy."""

    def __init__(self, sentence: str, path: Path | None = None) -> None:
        super().__init__(say("trace.in_file", file=str(path), sentence=sentence) if path else sentence)
        self.path = path


class LoopError(TypeError):
    """What was given to ``observe`` cannot be run as a loop. Its text is one sentence: saw, rule, remedy."""
