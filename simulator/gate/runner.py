"""The parent's side of the child process: start it, give it jobs, and outlive whatever a loop does to it.

Rules of this file:

1. The SDK is never imported here: its import costs more than everything else together, and the child pays it
   while pytest is still collecting.
2. A job always comes back, at the latest some seconds after its deadline; a child that hangs or dies is
   replaced, and the runs after it are graded as if nothing had happened.
3. No signals and no fork: the same on Linux, macOS and Windows.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from simulator.gate.problems import Problem

if TYPE_CHECKING:
    from simulator.trace.document import Trace

GRACE = 5.0
"""Seconds that the child has beyond a job's deadline to answer by itself."""

START = 120.0
"""Seconds that the child has to import the SDK; a cold disk and a virus scanner can make it slow."""

SECRETS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "PYTHONSTARTUP", "PYTHONINSPECT")
"""Variables of the environment that a graded loop has no use for."""


@dataclass(frozen=True, slots=True)
class Job:
    """One run of one loop."""

    loop: Path
    scenario: str
    seed: int
    arguments: dict[str, Any] = field(default_factory=dict)
    max_requests: int = 12
    deadline: float = 10.0

    def line(self) -> str:
        """Return the job as the child reads it."""
        stated = {name: getattr(self, name) for name in self.__slots__}
        return json.dumps({**stated, "loop": str(self.loop)}) + "\n"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a job: a trace, or the problem that stood in its way."""

    trace: Trace | None
    problem: Problem | None
    printed: str = ""
    printed_count: int = 0
    """Characters that the loop printed; ``printed`` holds the first of them."""


class Runner:
    """Runs jobs in a child process, one after another."""

    def __init__(self, python: str = sys.executable) -> None:
        self._python = python
        self._child: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._folder: str | None = None
        self._ready = False
        self._ended = False

    def start(self) -> None:
        """Start the child without waiting for it."""
        if self._child is not None:
            return
        self._folder = self._folder or tempfile.mkdtemp(prefix="kata-")
        self._child = subprocess.Popen(
            [self._python, "-P", "-X", "utf8", "-m", "simulator.gate.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            cwd=self._folder,
            env=_environment(),
        )
        self._lines, self._ready, self._ended = queue.Queue(), False, False
        threading.Thread(target=_pump, args=(self._child.stdout, self._lines), daemon=True).start()

    def run(self, job: Job) -> Outcome:
        """Run *job* and return its outcome; never raises for anything that a loop does."""
        self.start()
        if not self._ready and self._answer(START) is None:
            return self._lost(Problem("G-NOSTART", {"python": self._python}))
        self._ready = True
        if not self._send(job):
            return self._lost(Problem("G-DIED", {"status": self._status() or "?"}))
        answer = self._answer(job.deadline + GRACE)
        if answer is None:
            code = "G-DIED" if self._ended else "G-HANGS"
            return self._lost(
                Problem(code, {"status": self._status() or "?", "seconds": f"{job.deadline:g}"})
            )
        outcome = _outcome(answer)
        if outcome.problem is not None and outcome.problem.code == "G-HANGS":
            self._stop()
        return outcome

    def close(self) -> None:
        """End the child and remove its folder."""
        self._stop()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _send(self, job: Job) -> bool:
        assert self._child is not None
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(job.line())
            self._child.stdin.flush()
        except OSError:
            return False
        return True

    def _answer(self, seconds: float) -> dict[str, Any] | None:
        """Return the child's next report, or None when it ended or said nothing for *seconds*."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return None
        self._ended = line is None
        return json.loads(line) if line is not None else None

    def _lost(self, problem: Problem) -> Outcome:
        self._stop()
        return Outcome(None, problem)

    def _status(self) -> int | None:
        if self._child is None:
            return None
        try:
            return self._child.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            return None

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                _close(stream)


def _close(stream: IO[str]) -> None:
    try:
        stream.close()
    except (OSError, ValueError):
        # A job that a dead child never read is still in the buffer; nobody waits for it.
        return


def _pump(stream: IO[str] | None, lines: queue.Queue[str | None]) -> None:
    """Carry lines from the child to the queue; None marks its end."""
    try:
        for line in stream or ():
            lines.put(line)
    except (OSError, ValueError):
        pass
    lines.put(None)


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in SECRETS}
    clone = Path(__file__).parents[2]
    if not (clone / "pyproject.toml").is_file():
        return kept
    # In a clone that was never installed, the child would not find what its parent found beside itself.
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, [str(clone), kept.get("PYTHONPATH")]))}


def _outcome(answer: dict[str, Any]) -> Outcome:
    output = answer["output"]
    problem = Problem.from_dict(answer["problem"]) if answer["problem"] else None
    trace = _trace(answer["trace"]) if answer["trace"] else None
    return Outcome(trace, problem, output["text"], output["count"])


def _trace(document: dict[str, Any]) -> Trace:
    """Return the trace of *document*, which our own child has just made: no need to check it as a file is."""
    from simulator.trace.document import Trace
    from simulator.trace.pool import Pool
    from simulator.trace.steps import from_object

    pool = Pool(document["pool"])
    steps = tuple(from_object(n, stated, pool) for n, stated in enumerate(document["steps"]))
    about = {name: document[name] for name in ("scenario", "loop", "source", "system", "tools")}
    return Trace(**about, steps=steps, pool=pool)
