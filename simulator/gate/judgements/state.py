"""Family n: the caller's history, interruptions, and going on after them."""

from __future__ import annotations

from simulator.gate.probe import Probe

PROBES: tuple[Probe, ...] = ()
