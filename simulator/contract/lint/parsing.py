"""Bytes of a source file to text and back, and text to a syntax tree.

Rules of this file:

1. An encoding is what Python takes it for: a BOM, a declaration in the first two lines, else UTF-8.
2. The rules see ``\\n`` at the end of each line. What is written keeps each line's own end.
3. Nothing that a file holds raises anything but BrokenSourceError, and nothing of it is run.
"""

from __future__ import annotations

import ast
import io
import platform
import tokenize
import warnings
from dataclasses import dataclass

from simulator.contract.lint.problems import BrokenSourceError, Problem

MAX_BYTES = 2 * 2**20
"""Largest file that is read. What people write is far smaller."""


@dataclass(frozen=True, slots=True)
class Text:
    """A source file, decoded."""

    whole: str
    """With each line's own end, without a BOM."""
    encoding: str
    """As Python names it; ``utf-8-sig`` where there is a BOM."""

    @property
    def source(self) -> str:
        """The text with ``\\n`` for every line end: the same lines and columns."""
        return with_plain_ends(self.whole)


def with_plain_ends(text: str) -> str:
    """Return *text* with ``\\n`` for each of ``\\r\\n`` and ``\\r``."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def decode(raw: bytes) -> Text:
    """Return the text of a source file; raises BrokenSourceError."""
    if len(raw) > MAX_BYTES:
        raise BrokenSourceError(Problem("lint.broken.large", {"limit": MAX_BYTES // 2**20}))
    encoding = "utf-8"
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        return Text(raw.decode(encoding), encoding)
    except (SyntaxError, ValueError, LookupError) as error:
        facts = {"encoding": encoding, "problem": _reason(error)}
        raise BrokenSourceError(Problem("lint.broken.encoding", facts)) from None


def encode(text: Text) -> bytes:
    """Return the bytes of *text*; raises UnicodeError where its encoding lacks a character."""
    return text.whole.encode(text.encoding)


def _reason(error: Exception) -> str:
    # Of what cannot be decoded the reason, but not the bytes themselves.
    return error.reason if isinstance(error, UnicodeDecodeError) else str(getattr(error, "msg", error))


def parse(source: str, name: str = "<string>") -> ast.Module:
    """Return the syntax tree of *source*; raises BrokenSourceError."""
    with warnings.catch_warnings():
        # What Python warns of in a file of the user's is no matter of ours.
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source, name)
        except SyntaxError as error:
            facts = {"version": ".".join(platform.python_version_tuple()[:2]), "problem": error.msg}
            problem = Problem("lint.broken.syntax", facts, error.lineno or None, error.offset or None)
        except (RecursionError, MemoryError):
            problem = Problem("lint.broken.deep")
        except ValueError:
            problem = Problem("lint.broken.characters")
    raise BrokenSourceError(problem)


def compiles(source: str) -> bool:
    """Return whether Python would take *source* as a module; it is not run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source, "<source>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            return False
    return True


def parses(source: str) -> bool:
    """Return whether *source* has a syntax tree."""
    try:
        parse(source)
    except BrokenSourceError:
        return False
    return True
