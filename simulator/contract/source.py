"""The bytes of a file somebody names: a file that is no file, or too large, is told without being read."""

from __future__ import annotations

import stat
from pathlib import Path

Source = Path | str | bytes
"""A path, or the content itself."""


class UnreadableError(ValueError):
    """A file that cannot be read; its text is the system's reason or ours."""


def name_of(source: Source) -> str:
    """Return the name under which *source* is told."""
    return "contract" if isinstance(source, bytes) else str(source)


def content(source: Source, max_bytes: int) -> bytes:
    """Return at most *max_bytes* + 1 bytes of *source*. Raises UnreadableError."""
    if isinstance(source, bytes):
        return source
    try:
        # Looked at before it is opened: to open a pipe is to wait for whoever writes into it.
        if not stat.S_ISREG(Path(source).stat().st_mode):
            raise UnreadableError("")
        with Path(source).open("rb") as file:
            return file.read(max_bytes + 1)
    except OSError as error:
        raise UnreadableError(error.strerror or type(error).__name__) from None
    except ValueError as error:
        # A name with a NUL in it.
        raise error if isinstance(error, UnreadableError) else UnreadableError("") from None
