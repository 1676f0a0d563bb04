"""Family m: a stream is put together, and a cut one runs nothing."""

from __future__ import annotations

from simulator.gate.probe import Probe

PROBES: tuple[Probe, ...] = ()
