"""The child process that runs a learner's loops: ``python -P -m simulator.gate.child``.

Rules of this file:

1. One job, one line of JSON in; one report, one line of JSON out. The heavy imports happen once.
2. Whatever a loop does, its job is answered: a trace, or a problem with a code. What cannot be answered from
   inside (a loop that never returns) is answered by the watchdog, which then ends the process.
3. Nothing here decides whether a loop is right.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

from simulator.gate import loading
from simulator.gate.handed import Witness
from simulator.gate.output import Channel, Kept, take_over
from simulator.gate.perform import dressed, seeded
from simulator.gate.problems import Frame, Problem, UnloadableError

HUNG = 70
"""Exit status of a child that ended itself because a loop did not come back."""


def main() -> None:
    """Answer jobs until the parent closes the channel."""
    channel, kept = take_over()
    sys.breakpointhook = _no_breakpoint
    import simulator.recording.client
    import simulator.trace.observe  # noqa: F401  # imported here so that no job pays for it

    channel.send({"ready": True})
    for job in channel.jobs():
        watchdog = _Watchdog(channel, kept, job)
        watchdog.start()
        try:
            report = run(job)
        finally:
            watchdog.cancel()
        channel.send({**report, "output": kept.take()})


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Return ``{"trace": document | None, "problem": problem | None}`` for one job.

    A job is ``{"loop": path, "scenario", "seed", "arguments", "max_requests", "deadline"}``.
    """
    from simulator.trace.observe import LoopError, observe

    path = Path(job["loop"])
    # Last, so that a helper module beside the loop is found and nothing of ours is hidden by one.
    sys.path[:] = [*(entry for entry in sys.path if entry != str(path.parent)), str(path.parent)]
    try:
        loop = loading.load(path, tuple(job["arguments"]))
    except UnloadableError as unloadable:
        return {"trace": None, "problem": unloadable.problem.to_dict()}
    limits = {"max_requests": job["max_requests"], "deadline": job["deadline"]}
    witness = Witness(loop)
    try:
        trace = observe(
            witness.wrapped(), dressed(job["scenario"], job["seed"]), **limits, **job["arguments"]
        )
    except LoopError as error:
        return {"trace": None, "problem": Problem("G-NOT-A-LOOP", {"error": str(error)}).to_dict()}
    return {"trace": seeded(witness.complete(trace), job["seed"]).to_dict(), "problem": None}


class _Watchdog(threading.Thread):
    """Ends the process when a job takes longer than its deadline and a grace of two seconds."""

    def __init__(self, channel: Channel, kept: Kept, job: dict[str, Any]) -> None:
        super().__init__(daemon=True)
        self._channel, self._kept, self._job = channel, kept, job
        self._over = threading.Event()
        self._watched = threading.main_thread().ident

    def cancel(self) -> None:
        """Let the job's report stand."""
        self._over.set()

    def run(self) -> None:
        """Wait; then say where the loop was, and end the process."""
        if self._over.wait(self._job["deadline"] + 2):
            return
        frames = self._frames()
        problem = Problem("G-HANGS", {"seconds": f"{self._job['deadline']:g}"}, frames)
        self._channel.send({"trace": None, "problem": problem.to_dict(), "output": self._kept.take()})
        os._exit(HUNG)

    def _frames(self) -> tuple[Frame, ...]:
        frame = sys._current_frames().get(self._watched or 0)
        stack = traceback.extract_stack(frame)
        return tuple(
            Frame(one.lineno or 0, one.name, (one.line or "").strip())
            for one in stack
            if one.filename == self._job["loop"]
        )


def _no_breakpoint(*args: object, **keywords: object) -> None:
    print("breakpoint() does nothing while a loop is graded")


if __name__ == "__main__":
    main()
