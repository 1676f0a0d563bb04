"""Put a file in its place in one step: a kill at any moment leaves the old one or the new one.

Rules of this file:

1. The content is written beside its place, flushed to the disk, and moved over. A link is followed, not
   replaced; what is no file (a pipe, a device such as ``/dev/null``) is refused. The new file may be read,
   written and run by whom the old one could be.
2. Whatever goes wrong, the old file is as it was and nothing is left beside it.
3. Windows refuses the move while somebody (an indexer, a virus scanner) looks into the old file. That passes,
   so it is tried again for about a second.
"""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

_PAUSES = (0.01, 0.05, 0.1, 0.3, 0.5)
"""Seconds between the tries to move a file."""

_counter = itertools.count()


def put(path: Path, content: bytes) -> None:
    """Make *content* the file at *path*, whose folder is there. Raises OSError."""
    target = Path(os.path.realpath(path))
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(path))
    # Cut, so that a name that is just short enough for the system still has one beside it.
    beside = target.with_name(f".{target.name[:40]}.{os.getpid()}.{next(_counter)}.tmp")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, beside)
        _move(beside, target)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    _sync_folder(target.parent)


def _move(beside: Path, target: Path) -> None:
    for pause in _PAUSES if os.name == "nt" else ():
        try:
            beside.replace(target)
            return
        except PermissionError:
            time.sleep(pause)
    beside.replace(target)


def _sync_folder(folder: Path) -> None:
    """Flush the folder's entry to the disk, where a system lets a folder be opened (Windows does not)."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
