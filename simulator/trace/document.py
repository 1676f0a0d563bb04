"""A trace: the steps of one run, from which ``messages[]`` can be rebuilt after each of them.

Rules of this file:

1. A trace does not change once it is made; what it hands out is a copy.
2. ``verify`` trusts nothing: it rebuilds ``messages[]`` at every request and compares it with what was sent.
3. The same run gives the same bytes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simulator.text import say
from simulator.trace.build import Builder, Step
from simulator.trace.events import Exit, Request
from simulator.trace.faults import TraceError
from simulator.trace.pool import Pool, apply, copy_json, numbers
from simulator.trace.steps import from_object, to_object

__all__ = ["FORMAT", "VERSION", "Step", "Trace", "TraceError"]

FORMAT = "agent-loop-trace"
VERSION = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trace:
    """What happened in one run of a loop, or in a recording alone."""

    scenario: dict[str, Any]
    """``{"name", "title", "provenance": {"kind", "model", "date", "origin"}, "seed", "what_if"?}``."""
    loop: dict[str, Any] | None
    """``{"name", "arguments"}``, or None where no loop ran."""
    source: dict[str, Any] | None
    """``{"file", "sha256", "text", "first_line"}`` of the loop, or None where its source is not known."""
    system: Any
    tools: list[Any]
    steps: tuple[Step, ...]
    """In order; the last is the exit, and there is only one."""
    pool: Pool = field(default_factory=Pool)

    @classmethod
    def build(cls, builder: Builder, **about: Any) -> Trace:
        """Return the trace of the steps that *builder* has collected; the last must be the exit."""
        return cls(steps=tuple(builder.steps), pool=builder.pool, **about)

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """Return the trace in the file *path*; raises TraceError for anything that is not a whole trace."""
        from simulator.trace.storage import read

        return cls.from_dict(read(Path(path)), Path(path))

    @classmethod
    def from_dict(cls, document: dict[str, Any], path: Path | None = None) -> Trace:
        """Return the trace that *document* (see :meth:`to_dict`) describes; raises TraceError."""
        from simulator.trace.schema import check

        check(document, path)
        pool = Pool(document["pool"])
        return cls(
            scenario=copy_json(document["scenario"]),
            loop=copy_json(document["loop"]),
            source=copy_json(document["source"]),
            system=copy_json(document["system"]),
            tools=copy_json(document["tools"]),
            steps=tuple(from_object(n, stated, pool) for n, stated in enumerate(document["steps"])),
            pool=pool,
        )

    @classmethod
    def from_cassette(cls, path: str | Path, branch: str | None = None) -> Trace:
        """Return the verified trace of the recording at *path* alone: no loop ran.

        It is the main line, or the recorded *branch* of that name with what leads to it. Raises CassetteError
        when the file is not a recording of the Messages API, and LookupError when it has no such branch.
        """
        from simulator.trace.recorded import recorded

        return recorded(Path(path), branch)

    @property
    def exit(self) -> Exit:
        """How the run ended."""
        event = self.steps[-1].event
        if not isinstance(event, Exit):
            raise TraceError(say("trace.no_exit", seen=event.kind))
        return event

    @property
    def requests(self) -> list[Step]:
        """The steps in which the loop asked the model."""
        return [step for step in self.steps if isinstance(step.event, Request)]

    @property
    def what_if(self) -> dict[int, tuple[str, bool]]:
        """Of each answer that was to end otherwise: the signal it was to end with, and whether it did.

        By the number of its request. It did not where the run ended before, and where that request got an
        error.
        """
        ended = {step.event.turn for step in self.steps if getattr(step.event, "instead_of", None)}
        asked = self.scenario.get("what_if", {})
        return {int(turn): (signal, int(turn) in ended) for turn, signal in asked.items()}

    def messages_at(self, n: int) -> list[Any]:
        """Return ``messages[]`` after step *n*, as fresh copies; at a request it is exactly what was sent.

        Raises IndexError when there is no step *n*; negative numbers count from the end.
        """
        if not -len(self.steps) <= n < len(self.steps):
            raise IndexError(say("trace.no_step", seen=n, last=len(self.steps) - 1))
        return [copy_json(self.pool.messages[ref]) for ref in self._refs_at(n % len(self.steps))]

    def _refs_at(self, n: int) -> list[int]:
        start = n
        while start > 0 and self.steps[start].keyframe is None:
            start -= 1
        keyframe = self.steps[start].keyframe
        refs: list[int] = []
        if keyframe is None:
            apply(refs, self.steps[start].ops)
        else:
            refs = numbers(keyframe)
        for step in self.steps[start + 1 : n + 1]:
            apply(refs, step.ops)
        return refs

    def verify(self) -> None:
        """Check the trace against itself; raises TraceError.

        The document keeps its schema, every number points into the pool, every keyframe is the state its
        operations lead to, and ``messages[]`` rebuilt at each request has the SHA-256 that was ``sent``.
        """
        from simulator.trace.schema import check

        check(self.to_dict(), None)
        refs: list[int] = []
        for step in self.steps:
            apply(refs, step.ops)
            if isinstance(step.event, Request) and self._sha256(refs) != step.event.sent:
                raise TraceError(say("trace.sent_differs", step=step.n, turn=step.event.turn))

    def _sha256(self, refs: list[int]) -> str:
        """Return the SHA-256 of the canonical JSON of the list *refs* stand for."""
        text = "[" + ",".join(self.pool.texts[ref] for ref in refs) + "]"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return the document: JSON values as in ``trace.schema.json``, the caller's own copy."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "scenario": copy_json(self.scenario),
            "loop": copy_json(self.loop),
            "source": copy_json(self.source),
            "system": copy_json(self.system),
            "tools": copy_json(self.tools),
            "pool": copy_json(self.pool.messages),
            "steps": [to_object(step, self.pool) for step in self.steps],
        }

    def save(self, path: str | Path) -> Path:
        """Write the document to *path* and return it. The old file or the new one is there, never half."""
        from simulator.trace.storage import write

        return write(Path(path), self.to_dict())

    def __repr__(self) -> str:
        name, reason = self.scenario.get("name"), self.exit.reason
        return f"<Trace of {name}: {len(self.steps)} steps, {len(self.requests)} requests, {reason}>"
