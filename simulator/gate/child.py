"""The child process that runs other people's loops: ``python -P -m simulator.gate.child [gate]``.

Without a word it grades katas, each job a file read afresh (:mod:`simulator.gate.kata_job`); as ``gate`` it
loads one loop and runs that (:mod:`simulator.gate.gate_job`).

Rules of this file:

1. One job, one line of JSON in; one report, one line of JSON out. The heavy imports happen once.
2. Whatever a loop does, its job is answered: a trace, or a problem with a code. What cannot be answered from
   inside (a loop that never returns) is answered by the watchdog, which then ends the process.
3. Only as ``gate`` are sleeps counted and connections refused, from before the SDK is imported.
4. A copy of this process, made by a loop that forks, answers nothing: it ends where the original would.
5. Nothing here decides whether a loop is right.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, Protocol

from simulator.gate.output import Channel, Kept, take_over
from simulator.gate.problems import Frame, Problem

HUNG = 70
"""Exit status of a child that ended itself because a loop did not come back."""

GATE = "gate"
"""The word that makes it a child of the gate."""


class Bench(Protocol):
    """What carries out the jobs of one kind of child."""

    hangs: str
    """Code of the problem that a job did not come back."""

    def warm_up(self) -> None:
        """Get ready for the first job."""

    def run(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the report on *job*."""

    def own(self, file: str, job: dict[str, Any]) -> bool:
        """Return whether a frame of *file* is the user's own."""


def main(words: list[str]) -> None:
    """Answer jobs until the parent closes the channel."""
    channel, kept, own = *take_over(), os.getpid()
    sys.breakpointhook = _no_breakpoint
    bench = _bench(words)
    import simulator.recording.client
    import simulator.trace.observe  # noqa: F401  # imported here so that no job pays for it

    bench.warm_up()
    channel.send({"ready": True})
    for job in channel.jobs():
        watchdog = _Watchdog(channel, kept, bench, job)
        watchdog.start()
        try:
            report = bench.run(job)
        finally:
            watchdog.cancel()
        if os.getpid() != own:
            os._exit(0)
        channel.send({**report, "output": kept.take()})


def _bench(words: list[str]) -> Bench:
    if words != [GATE]:
        from simulator.gate.kata_job import KataBench

        return KataBench()
    from simulator.gate import offline, waits

    waits.install()
    offline.start()
    from simulator.gate.gate_job import GateBench

    return GateBench()


class _Watchdog(threading.Thread):
    """Ends the process when a job takes longer than its deadline and a grace of two seconds."""

    def __init__(self, channel: Channel, kept: Kept, bench: Bench, job: dict[str, Any]) -> None:
        super().__init__(daemon=True)
        self._channel, self._kept, self._bench, self._job = channel, kept, bench, job
        self._over = threading.Event()
        self._watched = threading.main_thread().ident

    def cancel(self) -> None:
        """Let the job's report stand."""
        self._over.set()

    def run(self) -> None:
        """Wait; then say where the loop was, and end the process."""
        if self._over.wait(self._job["deadline"] + 2):
            return
        facts = {"seconds": f"{self._job['deadline']:g}"}
        problem = Problem(self._bench.hangs, facts, self._frames())
        self._channel.send({"trace": None, "problem": problem.to_dict(), "output": self._kept.take()})
        os._exit(HUNG)

    def _frames(self) -> tuple[Frame, ...]:
        frame = sys._current_frames().get(self._watched or 0)
        stack = traceback.extract_stack(frame)
        return tuple(
            Frame(one.lineno or 0, one.name, (one.line or "").strip())
            for one in stack
            if self._bench.own(one.filename, self._job)
        )


_no_breakpoint: Callable[..., None] = lambda *_, **__: print(  # noqa: E731
    "breakpoint() does nothing while a loop is graded"
)


if __name__ == "__main__":
    main(sys.argv[1:])
