"""Family i: a failing tool is a message to the model or an exception, never silence."""

from __future__ import annotations

from simulator.gate.probe import Probe

PROBES: tuple[Probe, ...] = ()
