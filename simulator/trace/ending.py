"""How a run ended, as its exit event.

Rule of this file: a stop of the simulator comes first, then what the loop raised, then what it returned.
"""

from __future__ import annotations

import traceback
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from simulator.trace.events import Exit, Reason
from simulator.trace.jsonable import described_error, jsonable
from simulator.wire.message import text_of

if TYPE_CHECKING:
    from simulator.trace.recorder import Recorder
    from simulator.trace.source import Source

MAX_FRAMES = 40
"""How many frames of a crash are kept."""


def exit_of(recorder: Recorder, source: Source | None, value: Any, error: BaseException | None) -> Exit:
    """Return the exit of a run that returned *value* or raised *error*."""
    frames = own_frames(error.__traceback__, source) if error is not None else []
    line = frames[-1]["line"] if frames else source.line(recorder.last_line()) if source is not None else None
    stop = recorder.stop
    if stop is not None:
        reason = cast(Reason, stop.reason)
        message = described_error(stop)
        ignored = recorder.insistence.times
        return Exit(recorder.turn, line, reason, None, type(stop).__name__, message, frames, ignored)
    if error is None:
        return Exit(recorder.turn, line, "returned", value_of(value))
    reason, value = _reason(error)
    message = described_error(error)
    return Exit(recorder.turn, line, reason, value, type(error).__name__, message, frames)


def _reason(error: BaseException) -> tuple[Reason, Any]:
    match error:
        case SystemExit():
            return "exited", jsonable(error.code)
        case KeyboardInterrupt():
            return "interrupted", None
        case _:
            return "raised", None


def own_frames(trace: TracebackType | None, source: Source | None) -> list[dict[str, Any]]:
    """Return the frames of *trace* in the loop's own source, outermost first: line, text, function.

    Of a recursion without end, only the last :data:`MAX_FRAMES`.
    """
    if source is None:
        return []
    lines = source.text.splitlines()
    found = []
    for frame, number in traceback.walk_tb(trace):
        if frame.f_code.co_filename == source.key:
            line = source.line(number) or number
            text = lines[line - 1].strip() if line <= len(lines) else ""
            found.append({"line": line, "text": text, "function": frame.f_code.co_name})
    return found[-MAX_FRAMES:]


def value_of(value: Any) -> Any:
    """Return what the loop returned as JSON; a message of the API is told by its signal and its text."""
    kept = jsonable(value)
    if isinstance(kept, dict) and kept.get("type") == "message" and "content" in kept:
        told = {name: kept.get(name) for name in ("type", "id", "stop_reason")}
        return told | {"text": text_of(kept["content"])}
    return kept
