"""What a loop records of itself: in a list or a callable it was given for that, and in Python's ``logging``.

Rules of this file:

1. One object serves every way in which a loop may report: it is a list to append to, a callable to call, a
   logger to write to, and its answer may be awaited.
2. What is reported by a call is kept as it was at that moment; a list that is kept by reference would show
   the end of the run in every entry.
3. Of ``logging``, every record counts, from ``DEBUG`` on, but those of the SDK and of what it stands on.
4. At most :data:`MOST` entries are kept of each kind.
"""

from __future__ import annotations

import logging
from collections.abc import Generator
from types import TracebackType
from typing import Any

from simulator.gate.structured import structured

MOST = 2000
"""Entries that are kept."""

FOREIGN = (
    "anthropic",
    "httpx2",
    "httpx",
    "httpcore2",
    "httpcore",
    "asyncio",
    "urllib3",
    "simulator.recording",
)
"""Loggers of the machinery; what they say is no word of the loop's."""

_PLAIN = frozenset(vars(logging.makeLogRecord({})))
"""Attributes that every log record has; the others are the loop's own fields."""


class _Done:
    """What reporting comes to: nothing, and it may be awaited."""

    def __bool__(self) -> bool:
        return False

    def __await__(self) -> Generator[Any, None, None]:
        return
        yield


class Records(list[Any]):
    """A list, a callable and a logger in one: whatever a loop expects of what it reports to."""

    def __bool__(self) -> bool:
        """Return True: ``if on_event:`` asks whether there is one."""
        return True

    def __call__(self, *given: Any, **named: Any) -> _Done:
        """Keep what the loop reports: the one value it gives, or all of them by name."""
        if len(self) < MOST:
            alone = len(given) == 1 and not named
            self.append(structured(given[0] if alone else {**_listed(given), **named}))
        return _Done()

    # By the names that loggers, tracers and queues have.
    debug = info = warning = error = exception = critical = log = emit = record = write = put = send = add = (
        __call__
    )


def _listed(given: tuple[Any, ...]) -> dict[str, Any]:
    return {"args": list(given)} if given else {}


class Listening:
    """Inside it, what is logged is collected in ``heard``, whichever logger says it."""

    def __init__(self) -> None:
        self.heard: list[tuple[logging.LogRecord, str]] = []
        self._levels: dict[str, int] = {}
        self._factory = logging.getLogRecordFactory()

    def __enter__(self) -> Listening:
        self._factory = logging.getLogRecordFactory()
        logging.setLogRecordFactory(self._made)
        # A logger that does not propagate never asks the root's handlers, so records are met at their birth.
        for name in ("", *FOREIGN):
            logger = logging.getLogger(name)
            self._levels[name] = logger.level
            logger.setLevel(max(logger.level, logging.WARNING) if name else logging.DEBUG)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        logging.setLogRecordFactory(self._factory)
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)

    def told(self) -> list[dict[str, Any]]:
        """Return what was logged: ``{"logger", "level", "message"}`` and the fields given as ``extra``."""
        return [_told(record, message) for record, message in self.heard]

    def _made(self, *given: Any, **named: Any) -> logging.LogRecord:
        record: logging.LogRecord = self._factory(*given, **named)
        foreign = any(record.name == name or record.name.startswith(f"{name}.") for name in FOREIGN)
        if not foreign and len(self.heard) < MOST:
            self.heard.append((record, _message(record)))
        return record


def _message(record: logging.LogRecord) -> str:
    """Return the record's text now: what it names may have changed by the end."""
    try:
        return record.getMessage()
    except Exception:
        # Wrong arguments for its text are told by logging itself; the run goes on.
        return str(record.msg)


def _told(record: logging.LogRecord, message: str) -> dict[str, Any]:
    fields = {name: value for name, value in vars(record).items() if name not in _PLAIN}
    raised = record.exc_info[1] if record.exc_info else None
    error = {"error": f"{type(raised).__name__}: {raised}"} if raised is not None else {}
    return {
        "logger": record.name,
        "level": record.levelname,
        "message": message,
        **structured(error | fields),
    }
