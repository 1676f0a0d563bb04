"""All probes, in the order a report shows them: family by family.

Each judgement module states its own probes in ``PROBES``; this file only puts them in order.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

from simulator.gate.probe import Probe

MODULES = (
    "history",
    "pairing",
    "truncation",
    "parallel",
    "order",
    "progress",
    "budget",
    "signals",
    "tool_errors",
    "retries",
    "context",
    "subloops",
    "streaming",
    "state",
    "ending",
    "verification",
    "usage",
    "thinking",
    "tool_choice",
    "hygiene",
    "deadlines",
    "continuation",
    "server_tools",
    "records",
)
"""The judgement modules, in the order of the families a to v; ``records`` belongs to none."""


@lru_cache(maxsize=1)
def all_probes() -> tuple[Probe, ...]:
    """Return every probe."""
    found: list[Probe] = []
    for name in MODULES:
        found += getattr(import_module(f"simulator.gate.judgements.{name}"), "PROBES", ())
    return tuple(found)
