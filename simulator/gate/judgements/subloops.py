"""Family l: a loop as a tool: its own context, one budget, a report."""

from __future__ import annotations

from simulator.gate.probe import Probe

PROBES: tuple[Probe, ...] = ()
