"""A child process that answers in lines of JSON: started, asked, and outlived.

Rules of this file:

1. The SDK is never imported here: its import costs more than everything else together, and the child pays it
   while its parent does something else.
2. A question always comes back, at the latest some seconds after its deadline: answered, or lost. After a
   loss the child is gone, and the next question starts another one.
3. No fork: the same on Linux, macOS and Windows. But where there are groups of processes, a child is the head
   of its own, and what its loop started and forgot ends with it.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

GRACE = 5.0
"""Seconds that the child has beyond a job's deadline to answer by itself."""

START = 120.0
"""Seconds that the child has to import the SDK; a cold disk and a virus scanner can make it slow."""

PUMP = 1.0
"""Seconds that it may take to hear that a child is gone."""

SECRETS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "PYTHONSTARTUP", "PYTHONINSPECT")
"""Variables of the environment that a loop has no use for."""

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Lost:
    """A question that was not answered."""

    why: Literal["no start", "died", "silent"]
    status: int | None
    """The exit status of the child, where it has one."""


class Process:
    """One child, ``python -m simulator.gate.child``, with the *words* that say what it is for."""

    def __init__(
        self,
        python: str = sys.executable,
        words: tuple[str, ...] = (),
        folder: Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._command = [python, "-P", "-X", "utf8", "-m", "simulator.gate.child", *words]
        self._folder, self._variables = folder, dict(variables or {})
        self._child: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._pump: threading.Thread | None = None
        self._ready = self._ended = False

    @property
    def alive(self) -> bool:
        """True while there is a child to ask."""
        return self._child is not None

    def start(self) -> None:
        """Start the child without waiting for it."""
        if self._child is not None:
            return
        self._child = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            cwd=self._folder,
            env=_environment() | self._variables,
            start_new_session=sys.platform != "win32",
        )
        self._lines, self._ready, self._ended = queue.Queue(), False, False
        self._pump = threading.Thread(target=_pump, args=(self._child.stdout, self._lines), daemon=True)
        self._pump.start()

    def ask(self, stated: Answer, seconds: float) -> Answer | Lost:
        """Return the answer to *stated*, for which the child has *seconds* and a grace of some more."""
        self.start()
        if not self._ready and self._answer(START) is None:
            return self._lost("no start")
        self._ready = True
        if not self._send(stated):
            return self._lost("died")
        answer = self._answer(seconds + GRACE)
        return answer if answer is not None else self._lost("died" if self._ended else "silent")

    def stop(self) -> None:
        """End the child, and what it started."""
        child, self._child = self._child, None
        if child is None or self._pump is None:
            return
        _end(child)
        _close(child.stdin)
        self._pump.join(PUMP)
        if not self._pump.is_alive():
            # While somebody who left the group holds the other end, the pump reads, and closing would wait.
            _close(child.stdout)

    def _send(self, stated: Answer) -> bool:
        assert self._child is not None
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(json.dumps(stated) + "\n")
            self._child.stdin.flush()
        except OSError:
            return False
        return True

    def _answer(self, seconds: float) -> Answer | None:
        """Return the child's next line, or None when it ended or said nothing for *seconds*."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return None
        self._ended = line is None
        return json.loads(line) if line is not None else None

    def _lost(self, why: Literal["no start", "died", "silent"]) -> Lost:
        lost = Lost(why, self._status())
        self.stop()
        return lost

    def _status(self) -> int | None:
        if self._child is None:
            return None
        try:
            return self._child.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            return None


def _end(child: subprocess.Popen[str]) -> None:
    """Kill *child* and its group. A group whose head is gone keeps its number as long as anybody is in it."""
    if sys.platform != "win32":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.wait()


def _close(stream: IO[str] | None) -> None:
    try:
        if stream is not None:
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
