"""Family s: nothing empty and no trailing assistant turn is sent."""

from __future__ import annotations

from simulator.gate.probe import Probe

PROBES: tuple[Probe, ...] = ()
