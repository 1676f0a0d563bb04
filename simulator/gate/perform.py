"""One run of a loop for a probe: the options matched, the waits counted, what was handed back looked into.

Rules of this file:

1. The client is the SDK as anybody would make it, its own two retries included. Nothing is really waited for
   where :mod:`simulator.gate.waits` is installed (as in the child process): a sleep is counted and over.
2. Chance is seeded, so a loop with jitter waits the same each time.
3. The deadline is real time, whatever the loop takes for the time.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from simulator.gate import options, waits
from simulator.gate.handed import Witness
from simulator.gate.logged import Listening
from simulator.gate.probe import Case

if TYPE_CHECKING:
    from simulator.recording.scenario import Scenario
    from simulator.trace.document import Trace

RETRIES = 2
"""The SDK's own default."""

MAX_REQUESTS = 30
DEADLINE = 6.0


def perform(
    loop: Callable[..., Any],
    case: Case,
    seed: int,
    *,
    max_requests: int = MAX_REQUESTS,
    deadline: float = DEADLINE,
    lines: bool = False,
) -> Trace:
    """Return the trace of *loop* on *case*, dressed by *seed*; with *lines*, its source is followed.

    Raises NotOfferedError when the loop lacks an option of the case, LoopError when it cannot be called.
    """
    from simulator.trace.observe import observe

    witness = Witness(loop)
    given: dict[str, Any] = options.arguments(loop, case.options, witness.records)
    if case.what_if:
        given["what_if"] = dict(case.what_if)
    random.seed(seed)
    with Listening() as log:
        trace = observe(
            witness.wrapped(),
            dressed(case.scenario, seed),
            max_requests=max_requests,
            deadline=deadline,
            clock=waits.now,
            lines=lines,
            retries=RETRIES,
            waits=waits.Stopwatch(),
            **given,
        )
    witness.logged = log.told()
    return seeded(witness.complete(trace), seed)


@lru_cache(maxsize=256)
def dressed(name: str, seed: int) -> Scenario:
    """Return the scenario *name* with the values of *seed*, prepared once for all runs that ask for it."""
    from simulator.recording.scenario import scenario

    return scenario(name).skinned(seed)


def seeded(trace: Trace, seed: int) -> Trace:
    """Return *trace*, which says by which *seed* its scenario was dressed."""
    return dataclasses.replace(trace, scenario={**trace.scenario, "seed": seed})
