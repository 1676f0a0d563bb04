"""Family r: a forced choice is forced once."""

from __future__ import annotations

from simulator.gate.probe import Probe

PROBES: tuple[Probe, ...] = ()
