"""See an agent loop run step by step, fix broken ones, and check your own; offline, on recorded cassettes.

Importing this package is cheap: each public name is imported from its room when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator import loop as loop
    from simulator.player import compare, export, show
    from simulator.recording.replay import OffScript, RunawayLoop
    from simulator.recording.scenario import scenario, scenarios
    from simulator.trace.document import Trace
    from simulator.trace.observe import observe
    from simulator.wire.rules import ApiError, check_request

__version__ = "0.1.0"

_ROOMS = {
    "ApiError": "simulator.wire.rules",
    "OffScript": "simulator.recording.replay",
    "RunawayLoop": "simulator.recording.replay",
    "Trace": "simulator.trace.document",
    "check_request": "simulator.wire.rules",
    "compare": "simulator.player",
    "export": "simulator.player",
    "observe": "simulator.trace.observe",
    "scenario": "simulator.recording.scenario",
    "scenarios": "simulator.recording.scenario",
    "show": "simulator.player",
}

__all__ = [
    "ApiError",
    "OffScript",
    "RunawayLoop",
    "Trace",
    "check_request",
    "compare",
    "export",
    "observe",
    "scenario",
    "scenarios",
    "show",
]


def __getattr__(name: str) -> object:
    if name == "loop":  # a room with names of its own: simulator.loop.run
        return import_module("simulator.loop")
    if name not in _ROOMS:
        raise AttributeError(f"module 'simulator' has no attribute {name!r}; it has: {', '.join(__all__)}")
    return getattr(import_module(_ROOMS[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
