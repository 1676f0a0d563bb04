"""One run of the loop under judgement, in a child of the gate.

Rules of this file:

1. The first job loads the loop (``{"load": target, "folder"}``), each further one runs it (``{"case",
   "seed"}``). What the loop keeps between two runs is its own affair.
2. What a run leaves behind is counted: threads that still run, and hosts that it tried to reach.
"""

from __future__ import annotations

import concurrent.futures.thread
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

from simulator.gate import loaded, offline
from simulator.gate.options import OPTIONS, NotOfferedError, offered
from simulator.gate.perform import perform
from simulator.gate.probe import Case
from simulator.gate.problems import Problem, UnloadableError
from simulator.gate.target import Target

SMALL = "list_then_read"
"""A scenario that takes no time."""

PATIENCE = 0.2
"""Seconds that the threads of a run have to end after it."""

OURS = ("gate", "trace", "recording", "wire")
"""Rooms of ours that lie between the process and the loop."""


class GateBench:
    """Holds the one loop that this child judges."""

    hangs = "gate.end.hangs"

    def __init__(self) -> None:
        self._loop: loaded.Loaded | None = None
        self._threads: set[int | None] = set()

    def run(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the report on one job; ``fault`` is the traceback of a bug of ours."""
        try:
            return self._load(job) if "load" in job else self._run(job)
        except Exception:
            return {"trace": None, "problem": None, "fault": traceback.format_exc()}

    def warm_up(self) -> None:
        """Make one run, so that all it needs is imported before the user's folder is looked into."""
        perform(_idle, Case(SMALL), 0)

    def own(self, file: str, job: dict[str, Any]) -> bool:
        """Return whether *file* is the user's own."""
        rooms = Path(__file__).parents[1]
        return loaded.own(file) and not any(Path(file).is_relative_to(rooms / room) for room in OURS)

    def _load(self, job: dict[str, Any]) -> dict[str, Any]:
        stated = job["load"]
        file = Path(stated["file"]) if stated["file"] else None
        target = Target(stated["text"], file, stated["module"], stated["name"])
        sys.argv = [stated["file"] or stated["text"]]
        try:
            found = self._loop = loaded.load(target, Path(job["folder"]))
        except UnloadableError as unloadable:
            return {"loop": None, "problem": unloadable.problem.to_dict()}
        offers = {option: offered(found.function, option) for option in OPTIONS}
        about = {"name": found.name, "file": found.file, "line": found.line, "offers": offers}
        return {"loop": about, "problem": None}

    def _run(self, job: dict[str, Any]) -> dict[str, Any]:
        from simulator.trace.observe import LoopError

        assert self._loop is not None
        stated = job["case"]
        what_if = {int(turn): signal for turn, signal in stated["what_if"].items()}
        case = Case(stated["scenario"], stated["options"], what_if)
        limits = {name: job[name] for name in ("max_requests", "deadline", "lines")}
        self._threads = {thread.ident for thread in threading.enumerate()}
        offline.tried.clear()
        report: dict[str, Any] = {"trace": None, "problem": None, "lacks": None}
        try:
            report["trace"] = perform(self._loop.function, case, job["seed"], **limits).to_dict()
        except NotOfferedError as lacking:
            report["lacks"] = lacking.option
        except LoopError as error:
            report["problem"] = Problem("gate.end.not_a_loop", {"error": str(error)}).to_dict()
        return report | {"threads": self._left(), "tried": offline.tried[:1]}

    def _left(self) -> int:
        """Return how many threads of the run are still at work."""
        new = [thread for thread in threading.enumerate() if thread.ident not in self._threads]
        for thread in new:
            thread.join(PATIENCE / len(new))
        return sum(thread.is_alive() and not _excused(thread) for thread in new)


def _idle(client: Any, messages: Any, tools: Any, handlers: Any) -> None:
    """Ask once, both ways, and leave it at that."""
    asked = {"model": "m", "max_tokens": 64, "messages": messages, "tools": tools}
    client.messages.create(**asked)
    with client.messages.stream(**asked) as stream:
        stream.get_final_message()


def _excused(thread: threading.Thread) -> bool:
    """Return whether *thread* waits for work in a pool, or hangs in a tool of ours: nobody can end that."""
    frame = sys._current_frames().get(thread.ident or 0)
    if frame is not None and frame.f_code.co_filename == concurrent.futures.thread.__file__:
        return True
    tools = Path(__file__).parents[1] / "recording"
    while frame is not None:
        if Path(frame.f_code.co_filename).is_relative_to(tools):
            return True
        frame = frame.f_back
    return False
