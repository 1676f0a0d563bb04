"""A whole run: observed against bare, and how its trace grows.

The bare run is the same loop on the same replay, called directly. Both sides make a new session each time, so
that the SDK's client is built in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from benchmarks import conversation
from benchmarks.measure import Figure, ratio
from simulator.recording.scenario import Scenario
from simulator.trace.document import Trace
from simulator.trace.observe import observe
from simulator.trace.storage import to_bytes

REQUESTS = 40
"""Of the run that is timed: a long one for an agent."""

ENDLESS = 10**9


def figures(quick: bool) -> Iterator[Figure]:
    """Yield the figures of time, then those of size."""
    scenario = conversation.scenario(10 if quick else REQUESTS)
    at, rounds = f"{len(scenario.recording.exchanges)} requests", 2 if quick else 15
    for way, loop in (("", conversation.loop), (", streaming", conversation.streaming_loop)):
        bare = ("bare", partial(run_bare, loop, scenario))
        blind = ("observed", partial(observe, loop, scenario, lines=False))
        seeing = ("observed", partial(observe, loop, scenario, lines=True))
        yield ratio(f"an observed run against the bare run{way}", at, blind, bare, rounds, 1.5)
        yield ratio(f"the same with source lines{way}", at, seeing, bare, rounds, 2.0)
    yield from growth(320 if quick else 1280)


def run_bare(loop: Callable[..., object], scenario: Scenario) -> object:
    """Run *loop* on *scenario* with nobody watching."""
    session = scenario.start(max_requests=ENDLESS)
    return loop(session.client, session.messages, session.tools, session.handlers)


def growth(most: int) -> Iterator[Figure]:
    """Yield, doubling up to *most* steps, the bytes of a trace against those of one with half its steps."""
    small, steps = None, 80
    while steps <= most:
        trace = of_steps(steps)
        size = len(to_bytes(trace.to_dict()))
        if small is not None:
            detail = f"{size:,} bytes for {len(trace.steps)} steps, {small:,} for half as many"
            yield Figure(
                "bytes of a trace against half its steps", f"{steps} steps", size / small, "x", 2.2, detail
            )
        small, steps = size, steps * 2


def of_steps(steps: int) -> Trace:
    """Return the trace of a run of very nearly *steps* steps."""
    per_request = len(observe(conversation.loop, conversation.scenario(11)).steps) / 11
    requests = round(steps / per_request)
    return observe(conversation.loop, conversation.scenario(requests), max_requests=ENDLESS)
