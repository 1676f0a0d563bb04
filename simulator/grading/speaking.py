"""One language for all that is said meanwhile, also by what asks nobody for it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from simulator.text import ENVIRONMENT


@contextlib.contextmanager
def speaking(lang: str) -> Iterator[None]:
    """Speak *lang* wherever nobody asks for a language, until what is done inside is over."""
    before = os.environ.get(ENVIRONMENT)
    os.environ[ENVIRONMENT] = lang
    try:
        yield
    finally:
        os.environ.pop(ENVIRONMENT)
        os.environ.update({ENVIRONMENT: before} if before is not None else {})
