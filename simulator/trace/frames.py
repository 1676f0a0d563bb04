"""From a request back to the loop: its line, and the list it sent.

Rules of this file:

1. The walk starts at the transport and goes outwards. Frames of the SDK tell which object was passed as
   ``messages``; the frames beyond them are the loop's, up to the function that runs it.
2. A list is the loop's own when one can get to it by name from the frames of the loop's own function: a
   local, a global, an attribute, an entry of a dict. A list made for this one call is not.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

from simulator.trace.calling import RUNS

_PACKAGE = Path(__file__).parents[1]
_INSIDE = tuple(str(_PACKAGE / room) + os.sep for room in ("wire", "recording", "trace"))
"""Our rooms whose frames lie between the SDK and the loop's handlers. A loop that we ship is in another."""


@dataclass(slots=True)
class Walk:
    """What a walk has found."""

    sent: Any = None
    """The object passed to the SDK as ``messages``; None where no frame holds it any more."""
    frames: list[FrameType] = field(default_factory=list)
    """Frames outside the SDK, innermost first."""

    def line(self, key: str | None) -> int | None:
        """Return the line in the innermost frame of the source whose code has the file name *key*."""
        return next((f.f_lineno for f in self.frames if f.f_code.co_filename == key), None)

    def lists(self, code: CodeType) -> Iterator[Any]:
        """Yield the lists that frames of the loop's own function *code* can name; of all, where none runs."""
        own = [frame for frame in self.frames if frame.f_code is code] or self.frames
        for frame in own:
            for value in (*frame.f_locals.values(), *frame.f_globals.values()):
                yield from _lists_in(value)


def walk() -> Walk:
    """Walk from the caller outwards, up to the function that runs the loop or the bottom of the thread."""
    found = Walk()
    sdk = _folder(sys.modules.get("anthropic"))
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not RUNS:
        code = frame.f_code
        if code.co_filename.startswith(sdk):
            if "messages" in code.co_varnames and isinstance(frame.f_locals.get("messages"), (list, tuple)):
                found.sent = frame.f_locals["messages"]
        elif not code.co_filename.startswith(_INSIDE):
            found.frames.append(frame)
        frame = frame.f_back
    return found


@functools.cache
def _folder(module: ModuleType | None) -> str:
    """Return the folder of the SDK; where it was never imported, a name no file has."""
    return str(Path(module.__file__).parent) + os.sep if module and module.__file__ else "<no sdk>"


def _lists_in(value: Any) -> Iterator[Any]:
    """Yield *value* if it is a list, and the lists among its attributes or entries."""
    kind = type(value)
    if kind in (list, tuple):
        yield value
        return
    inside = value if kind is dict else attributes(value)
    yield from [item for item in list(inside.values()) if type(item) in (list, tuple)]


def attributes(value: Any) -> dict[str, Any]:
    """Return the attributes of an object of somebody's class, read without running any code of that class."""
    if isinstance(value, type) or type(value).__module__ == "builtins":
        return {}
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if type(found) is dict else {}
