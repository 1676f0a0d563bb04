"""The reference loop: an agent loop that always ends by name.

Reading order: ``exits.py`` (how it can end), ``state.py`` (the machine), ``reducer.py`` (what each step
means), ``engine.py`` (the ``while``); then what they use: ``budget.py``, ``progress.py``, ``failures.py``,
``tools.py``, ``compaction.py``; ``subloop.py`` is a loop as a tool, ``article.py`` the article's signature,
``asynchronous.py`` the same loop in an event loop.

It needs the standard library, ``simulator.wire`` and ``simulator.text``; a client is given, never imported.
"""

from __future__ import annotations

from simulator.loop.article import (
    BudgetExceeded,
    LoopInterrupted,
    LoopStopped,
    UnhandledStop,
    run_agent_loop,
)
from simulator.loop.asynchronous import arun
from simulator.loop.budget import Budget, Spend
from simulator.loop.compaction import Compaction, Dropped
from simulator.loop.ended import Run
from simulator.loop.engine import run
from simulator.loop.events import Moved
from simulator.loop.exits import (
    ContextFull,
    Exit,
    Fatal,
    Finished,
    Interrupted,
    NoProgress,
    OverBudget,
    PausedTooOften,
    Refused,
    Truncated,
    UnhandledSignal,
    Unverified,
    sentence,
)
from simulator.loop.failures import FatalFailure, InvalidCall, Retry, TransientFailure
from simulator.loop.outcome import Failed
from simulator.loop.policy import Policy
from simulator.loop.prices import Rates, load_prices
from simulator.loop.progress import Patience
from simulator.loop.results import Memory, Results
from simulator.loop.subloop import SubLoop
from simulator.loop.tools import CatalogueMismatch

__all__ = [
    "Budget",
    "BudgetExceeded",
    "CatalogueMismatch",
    "Compaction",
    "ContextFull",
    "Dropped",
    "Exit",
    "Failed",
    "Fatal",
    "FatalFailure",
    "Finished",
    "Interrupted",
    "InvalidCall",
    "LoopInterrupted",
    "LoopStopped",
    "Memory",
    "Moved",
    "NoProgress",
    "OverBudget",
    "Patience",
    "PausedTooOften",
    "Policy",
    "Rates",
    "Refused",
    "Results",
    "Retry",
    "Run",
    "Spend",
    "SubLoop",
    "TransientFailure",
    "Truncated",
    "UnhandledSignal",
    "UnhandledStop",
    "Unverified",
    "arun",
    "load_prices",
    "run",
    "run_agent_loop",
    "sentence",
]
