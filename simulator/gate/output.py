"""What a learner's loop prints, kept apart from the grader's own channel and never without bounds.

Rules of this file:

1. The channel is a private copy of the child's standard output; what the loop writes to its standard output
   can neither break nor forge a report.
2. Of the prints, the first ``LIMIT`` characters are kept; the rest is counted.
"""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LIMIT = 4000
"""Characters of one run's output that are kept."""


class Kept(io.TextIOBase):
    """A text stream that keeps the first ``LIMIT`` characters and counts the others.

    It has what a program may expect of its standard output: ``buffer``, ``encoding``, ``reconfigure``.
    """

    encoding = "utf-8"
    errors = "replace"

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.count = 0
        self.buffer = _Bytes(self)

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: str) -> int:
        """Keep *text* as far as there is room."""
        self.count += len(text)
        self.text += text[: max(0, LIMIT - len(self.text))]
        return len(text)

    def reconfigure(self, **unused: Any) -> None:
        """Stay as it is."""

    def take(self) -> dict[str, Any]:
        """Return ``{"text", "count"}`` since the last call, and begin anew."""
        taken = {"text": self.text, "count": self.count}
        self.text, self.count = "", 0
        return taken


class _Bytes(io.RawIOBase):
    """What is below a :class:`Kept`, for a program that writes bytes."""

    def __init__(self, kept: Kept) -> None:
        super().__init__()
        self._kept = kept

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, content: Any) -> int:
        """Keep *content* as far as there is room."""
        self._kept.write(bytes(content).decode("utf-8", "replace"))
        return len(content)


class Channel:
    """Jobs in, reports out: one JSON object a line, over the child's original stdin and stdout."""

    def __init__(self) -> None:
        self._in = os.fdopen(os.dup(0), "r", encoding="utf-8", errors="surrogatepass")
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogatepass", newline="\n")
        self._lock = threading.Lock()

    def jobs(self) -> Iterator[dict[str, Any]]:
        """Yield jobs until the parent closes the channel."""
        for line in self._in:
            yield json.loads(line)

    def send(self, report: dict[str, Any]) -> None:
        """Send one report. ASCII only, so that no console setting can garble it."""
        with self._lock:
            self._out.write(json.dumps(report) + "\n")
            self._out.flush()


def take_over() -> tuple[Channel, Kept]:
    """Give the loop an empty standard input and a bounded output; return the channel and the output."""
    channel, kept = Channel(), Kept()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115  # open as long as the process
    sys.stdout = sys.stderr = kept
    return channel, kept
