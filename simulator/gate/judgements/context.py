"""Family k: a conversation that grows is kept within bounds, and nothing that matters is lost."""

from __future__ import annotations

from simulator.gate.probe import Probe

PROBES: tuple[Probe, ...] = ()
