"""Family w, no family of its own: each transition leaves a record."""

from __future__ import annotations

from simulator.gate.probe import Probe

PROBES: tuple[Probe, ...] = ()
