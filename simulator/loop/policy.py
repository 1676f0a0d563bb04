"""What a caller decides about a run, in one frozen value; everything has a default but the model."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from simulator.loop.budget import Budget
from simulator.loop.compaction import Compaction
from simulator.loop.failures import Retry
from simulator.loop.prices import Rates, rates_for, shipped_prices
from simulator.loop.progress import Patience
from simulator.loop.results import Results
from simulator.wire.message import Turn

if TYPE_CHECKING:
    from simulator.loop.events import Moved

Check = Callable[[str, Sequence[Turn]], str | None]
"""``check(text, messages)``: None when the task is done, else the problem, in words the model can work
with.
"""


def never() -> bool:
    """Return False: nobody cancels."""
    return False


@dataclass(frozen=True)
class Policy:
    """How a loop runs. Raises ValueError for what cannot work."""

    model: str
    max_tokens: int = 4096
    system: str | Sequence[Mapping[str, Any]] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What else a request states: ``thinking``, ``temperature``, ``tool_choice``. A ``tool_choice`` that
    forces a tool is sent once: forced on every turn, the model could never end."""
    budget: Budget = field(default_factory=lambda: Budget(steps=20))
    rates: Rates | None = None
    """Prices for a money limit; the shipped ones of ``model`` where there are none."""
    patience: Patience | None = field(default_factory=Patience)
    """None: repetition is never looked at."""
    retry: Retry = field(default_factory=Retry)
    compaction: Compaction | None = None
    results: Results = field(default_factory=Results)
    check: Check | None = None
    rounds: int = 2
    """How often a failed check goes back to the model."""
    nudges: int = 1
    """How often an empty answer is met with one more question."""
    pauses: int = 10
    """How often in a row a paused turn is taken up again."""
    truncation_retries: int = 0
    """How often an answer cut at ``max_tokens`` is asked for again with twice the room."""
    on_tool_error: Literal["tell", "propagate"] = "tell"
    """Tell the model, or end the run with the handler's exception in ``Fatal.error``."""
    tool_seconds: float | None = 120.0
    """Deadline of one call, by ``clock`` or in real seconds, whichever is over first; None waits for ever."""
    parallel: int = 1
    """How many calls of one turn run at once."""
    depth: int = 2
    """How deep loops may be nested below this one."""
    on_stream: Callable[[dict[str, Any]], None] | None = None
    """Stream, and call this with each event of the API; ``{"type": "discarded"}`` takes back a cut answer."""
    on_move: Callable[[Moved], None] | None = None
    """Called with every transition as it happens."""
    cancelled: Callable[[], bool] = never
    """Asked before every step, and while a tool is waited for; True ends the run."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep
    now: Callable[[], float] = time.time
    """Unix time, for a ``retry-after`` that is a date."""

    def __post_init__(self) -> None:
        counts = (self.rounds, self.nudges, self.pauses, self.truncation_retries, self.depth)
        if min(counts) < 0 or self.parallel < 1 or self.max_tokens < 1:
            raise ValueError(
                "rounds, nudges, pauses, truncation_retries and depth are 0 or more, "
                "parallel and max_tokens 1 or more"
            )
        if self.budget.money is not None and self.priced() is None:
            raise ValueError(
                f"a budget of money needs prices, and none are known for {self.model!r}: "
                "give Policy(rates=Rates(...)), or leave the money limit out"
            )

    def under(self, parent: Policy) -> Policy:
        """Return this policy for a loop within a loop: what ends *parent* ends it, and where it leaves
        ``clock``, ``sleep`` and ``now`` as they are by default, those of *parent* hold.
        """
        names = [name for name in ("clock", "sleep", "now") if getattr(self, name) is getattr(Policy, name)]
        times = {name: getattr(parent, name) for name in names}
        both = self.cancelled if parent.cancelled is never else lambda: parent.cancelled() or self.cancelled()
        return replace(self, cancelled=both, **times)

    def priced(self) -> Rates | None:
        """Return the rates of this run: the caller's, else the shipped ones of the model, else None."""
        return self.rates or rates_for(self.model, shipped_prices())
