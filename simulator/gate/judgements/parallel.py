"""Family d: every call of one answer is run, and all results go back in one user turn."""

from __future__ import annotations

from simulator.gate.probe import Probe

PROBES: tuple[Probe, ...] = ()
