"""One run of a learner's loop, in the child that grades katas."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from simulator.gate import loading
from simulator.gate.handed import Witness
from simulator.gate.perform import dressed, seeded
from simulator.gate.problems import Problem, UnloadableError


class KataBench:
    """Loads the learner's file afresh for each job."""

    hangs = "G-HANGS"

    def warm_up(self) -> None:
        """Nothing: whoever waits for one kata should not wait for more."""

    def run(self, job: dict[str, Any]) -> dict[str, Any]:
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
            problem = Problem("G-NOT-A-LOOP", {"error": str(error)})
            return {"trace": None, "problem": problem.to_dict()}
        return {"trace": seeded(witness.complete(trace), job["seed"]).to_dict(), "problem": None}

    def own(self, file: str, job: dict[str, Any]) -> bool:
        """Return whether *file* is the learner's."""
        return file == str(job["loop"])
