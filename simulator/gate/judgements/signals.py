"""Family h: each of the seven stop_reason values, an unknown one, and an empty answer."""

from __future__ import annotations

from simulator.gate.probe import Probe

PROBES: tuple[Probe, ...] = ()
