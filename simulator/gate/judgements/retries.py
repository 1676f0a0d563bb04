"""Family j: what is transient is waited for, what is not is not repeated."""

from __future__ import annotations

from simulator.gate.probe import Probe

PROBES: tuple[Probe, ...] = ()
