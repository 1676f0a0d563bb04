"""Family t: a tool that never returns does not hold the loop."""

from __future__ import annotations

from simulator.gate.probe import Probe

PROBES: tuple[Probe, ...] = ()
