"""The reference loop: its own cost per turn against a bare loop, and its memory over a thousand turns.

Both loops run on the same replay, each in a session that was made before. The reference loop has its default
policy; only its limit of steps is lifted. It is measured twice: calling its tools in place, as the bare loop
does (what the engine itself costs), and with the deadline for tools that it has by default, for which every
call goes to a thread and back.
"""

from __future__ import annotations

import gc
import itertools
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from benchmarks import conversation
from benchmarks.measure import Call, Figure, ratio
from simulator.loop import Budget, Compaction, Policy, run
from simulator.loop.events import Moved
from simulator.recording.scenario import Scenario, Session

ENDLESS = 10**9
TURNS = 1_000


def figures(quick: bool) -> Iterator[Figure]:
    """Yield the figures of time, then those of memory."""
    # A run of ten requests takes some milliseconds: its median needs more rounds to stand still.
    for requests, many in ((10, 100), (40, 25)):
        if quick and requests != 10:
            continue
        scenario, rounds = conversation.scenario(requests), 2 if quick else many
        for what, loop in KINDS.items():
            yield ratio(
                what,
                f"{requests} requests",
                ("reference", ready(scenario, rounds, loop)),
                ("bare", ready(scenario, rounds, bare)),
                rounds,
                1.3,
            )
    turns = 100 if quick else TURNS
    yield growth("memory kept, second half against first", turns, None)
    yield growth("the same with compaction", turns, Compaction(context=20_000))


def ready(scenario: Scenario, rounds: int, loop: Callable[[Session], object]) -> Call:
    """Return a call that runs *loop* in the next of as many sessions as there are rounds."""
    sessions = [scenario.start(max_requests=ENDLESS) for _ in range(rounds + 1)]
    for session in sessions:
        _ = session.client  # built here, where nobody measures
    waiting = iter(sessions)
    return lambda: loop(next(waiting))


def bare(session: Session) -> object:
    """Run the ordinary loop."""
    return conversation.loop(session.client, session.messages, session.tools, session.handlers)


def in_place(session: Session) -> object:
    """Run the reference loop, its tools called in place."""
    return reference(session, tool_seconds=None)


def with_deadline(session: Session) -> object:
    """Run the reference loop as it is by default."""
    return reference(session)


def reference(session: Session, **stated: Any) -> object:
    """Run the reference loop by its default policy and what is *stated*."""
    policy = Policy(session.model, session.max_tokens, session.system, budget=Budget(), **stated)
    return run(session.client, session.messages, session.tools, session.handlers, policy)


KINDS: dict[str, Callable[[Session], object]] = {
    "a turn of the reference loop against the bare loop's": in_place,
    "the same with a deadline for tools": with_deadline,
}


def growth(what: str, turns: int, compaction: Compaction | None) -> Figure:
    """Return how much more a run keeps for the second half of its *turns* than for the first."""
    client, kept = Endless(), dict[int, int]()

    def look(entry: Moved) -> None:
        if entry.step == "acted" and entry.spend.steps in (1, turns // 2 + 1, turns + 1):
            gc.collect()
            kept[entry.spend.steps] = tracemalloc.get_traced_memory()[0]

    budget = Budget(steps=turns + 2)  # one more than is looked at: the calls of the last one do not run
    policy = Policy(conversation.MODEL, budget=budget, compaction=compaction, on_move=look)
    tracemalloc.start()
    try:
        run(
            client,
            conversation.request(0)["messages"],
            conversation.TOOLS,
            {"read_file": client.read},
            policy,
        )
    finally:
        tracemalloc.stop()
    start, half, end = (kept[step] for step in sorted(kept))
    detail = f"{(end - half) / 1000:,.0f} KB, {(half - start) / 1000:,.0f} KB"
    return Figure(what, f"{turns} turns", (end - half) / (half - start), "x", 1.2, detail)


@dataclass
class Endless:
    """A client in memory that asks for one chapter after another and keeps none of it."""

    numbers: Iterator[int] = field(default_factory=itertools.count)
    number: int = 0

    @property
    def messages(self) -> Endless:
        """Where ``create`` is."""
        return self

    def create(self, **body: Any) -> dict[str, Any]:
        """Return the next answer."""
        self.number = next(self.numbers)
        return conversation.answer(self.number, ENDLESS)

    def read(self, path: str) -> str:
        """Return the text of a chapter."""
        text: str = conversation.result(self.number)["content"]
        return text
