"""What a test came to, told from the line that runs next in its frame.

Rules of this file:

1. A verdict is True, False, :data:`UNSEEN` (it was decided, but one cannot tell how), :data:`WAIT` (the test
   is still being worked out) or :data:`GONE` (the test itself raised).
2. Where the body stands on the test's own line there is no line to go by; then how the frame goes on tells:
   it returned, it raised, it left the loop, it went on.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import Enum, auto

from simulator.trace.branches import Case, Span, Test


class Verdict(Enum):
    """Where a test stands."""

    TRUE = auto()
    FALSE = auto()
    UNSEEN = auto()
    WAIT = auto()
    GONE = auto()


@dataclass(slots=True)
class Pending:
    """A test that began to run in some frame; ``case`` is the last ``case`` of a ``match`` that was tried."""

    test: Test
    case: Case | None = None

    def text(self) -> str:
        """Return the source text of what was decided."""
        return self.case.text if self.case is not None else self.test.text

    def next(self, event: str, line: int) -> Verdict:
        """Return the verdict after *event* (line, return, exception) at *line* of the same frame."""
        match self.test.kind:
            case "match":
                return self._match(event, line)
            case "ternary":
                return Verdict.UNSEEN if event != "exception" else Verdict.GONE
            case "assert":
                return Verdict.FALSE if event == "exception" else self._assert(event, line)
            case _:
                return _single(self.test, event, line) if self.test.leaves else _block(self.test, event, line)

    def _assert(self, event: str, line: int) -> Verdict:
        return Verdict.WAIT if event == "line" and _in(line, self.test.head) else Verdict.TRUE

    def _match(self, event: str, line: int) -> Verdict:
        if event == "exception":
            # Raised by the body of a case on the case's own line, or by the match itself.
            return self._tried() if self.case is not None else Verdict.GONE
        if event == "line":
            for case in self.test.cases:
                if _in(line, case.head):
                    self.case = case
                    return Verdict.WAIT
                if _in(line, case.body):
                    self.case = case
                    return Verdict.TRUE
            if _in(line, self.test.head):
                return Verdict.WAIT
        return self._tried()

    def _tried(self) -> Verdict:
        """Return the verdict where the last case tried was the one, if any was."""
        case = self.case
        if case is not None and case.head[0] == case.body[0]:
            if case.always or case is not self.test.cases[-1]:
                return Verdict.TRUE
            return Verdict.UNSEEN
        self.case = None
        return Verdict.FALSE


def _block(test: Test, event: str, line: int) -> Verdict:
    """Return the verdict of a test whose body has lines of its own."""
    if event == "exception":
        # A for that runs out ends on an exception inside; of any other test it is its own.
        return Verdict.WAIT if test.kind == "for" else Verdict.GONE
    if event == "return":
        return Verdict.FALSE
    if test.body is not None and _in(line, test.body):
        return Verdict.TRUE
    return Verdict.WAIT if _in(line, test.head) else Verdict.FALSE


def _single(test: Test, event: str, line: int) -> Verdict:
    """Return the verdict of an ``if`` whose body stands on its own line."""
    if event == "exception":
        return Verdict.TRUE if test.leaves is ast.Raise else Verdict.GONE
    if event == "return":
        return _single_return(test)
    if test.other is not None and _in(line, test.other):
        return Verdict.FALSE
    if _in(line, test.head):
        return Verdict.WAIT
    if test.leaves is ast.Break:
        return Verdict.FALSE if test.loop is not None and _in(line, test.loop) else Verdict.TRUE
    if test.leaves in (ast.Return, ast.Raise):
        return Verdict.FALSE
    if test.leaves is ast.Continue and test.after is not None:
        return Verdict.FALSE if line == test.after else Verdict.TRUE
    return Verdict.UNSEEN


def _single_return(test: Test) -> Verdict:
    if test.leaves is ast.Break:
        return Verdict.TRUE
    if test.leaves is ast.Return:
        # As the last statement of a function, a test that failed returns as well.
        return Verdict.TRUE if test.after is not None or test.loop is not None else Verdict.UNSEEN
    return Verdict.UNSEEN


def _in(line: int, span: Span) -> bool:
    return span[0] <= line <= span[1]
