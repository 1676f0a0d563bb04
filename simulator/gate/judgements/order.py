"""Family e: roles and order, results first."""

from __future__ import annotations

from simulator.gate.probe import Probe

PROBES: tuple[Probe, ...] = ()
