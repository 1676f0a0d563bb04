"""One run of a loop for a probe: the options matched, the waits counted, what was handed back looked into.

Rules of this file:

1. The client is the SDK as anybody would make it, its own two retries included. Nothing is really waited for
   where :mod:`simulator.gate.waits` is installed (as in the child process): a sleep is counted and over.
2. Chance is seeded, so a loop with jitter waits the same each time.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from simulator.gate import options, waits
from simulator.gate.handed import Witness
from simulator.gate.probe import Case

if TYPE_CHECKING:
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
) -> Trace:
    """Return the trace of *loop* on *case*, dressed by *seed*.

    Raises NotOfferedError when the loop lacks an option of the case, LoopError when it cannot be called.
    """
    from simulator.trace.observe import observe

    given = options.arguments(loop, case.options)
    witness = Witness(loop)
    random.seed(seed)
    trace = observe(
        witness.wrapped(),
        dressed(case.scenario, seed),
        max_requests=max_requests,
        deadline=deadline,
        lines=False,
        retries=RETRIES,
        waits=waits.total,
        **given,
    )
    return witness.complete(trace)


def dressed(name: str, seed: int) -> Any:
    """Return the scenario *name* with the values of *seed*, prepared once for all runs that ask for it."""
    from simulator.gate.child import _dressed

    return _dressed(name, seed)
