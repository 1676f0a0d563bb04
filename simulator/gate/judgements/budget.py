"""Family g: limits that hold exactly, and say so."""

from __future__ import annotations

from simulator.gate.probe import Probe

PROBES: tuple[Probe, ...] = ()
