"""The tools of a run: catalogue and handlers held against each other, and each call answered exactly once.

Rules of this file:

1. A tool without a handler is a mistake of the caller and raises before anything is sent. Handlers without a
   tool are let pass: one map may serve several loops. Server tools have no handler and are never dispatched.
2. Each call of a turn gets one :class:`Outcome`, in the order of the calls, however they were run.
3. A handler's exception becomes a message or ends the run, as ``Policy.on_tool_error`` says; never silence.
   What is no ``Exception`` (Ctrl-C, a stop of the simulator) is never a message: it is raised on.
4. A handler runs in a thread of its own, so that a hanging one meets its deadline and Ctrl-C returns at once.
   Python cannot kill a thread: the model is told that it may still be running. Without a deadline and one at
   a time, it runs where the loop does.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

from simulator.loop.answers import content_of, told, unknown_tool, wrong_arguments
from simulator.loop.budget import Budget, Spend
from simulator.loop.failures import FatalFailure, Retry, Transient, TransientFailure
from simulator.loop.outcome import Outcome, not_run
from simulator.loop.worker import Worker
from simulator.text import say
from simulator.wire.message import Block

Handler = Callable[..., Any]


class CatalogueMismatch(ValueError):  # noqa: N818  # named for what it tells
    """A tool on offer has no handler; ``missing`` are their names."""

    def __init__(self, missing: list[str], handlers: list[str]) -> None:
        self.missing = tuple(missing)
        have = ", ".join(handlers) or "-"
        super().__init__(say("loop.mistake.no_handler", missing=", ".join(missing), handlers=have))


@dataclass(frozen=True, slots=True)
class Failed:
    """What a handler returns, rather than raises, to say that the call failed: *content* is for the model."""

    content: Any


class Delegate(Protocol):
    """A handler that spends: a loop as a tool (``subloop.py``)."""

    def prepare(self, budget: Budget) -> None:
        """Raise ValueError if this cannot run within *budget*: before anything is sent."""
        ...

    def delegate(self, call: Block, left: Budget, levels: int) -> Outcome:
        """Do what *call* asks within what is *left*, with so many *levels* of loops allowed below the
        caller.
        """
        ...


def as_delegate(handler: Handler | Delegate | None) -> Delegate | None:
    """Return *handler* where it is a loop as a tool, else None."""
    return cast(Delegate, handler) if hasattr(handler, "delegate") else None


@dataclass(frozen=True)
class Workbench:
    """Runs the calls of a turn. ``done`` fills as they end, so that a cut keeps what is finished."""

    tools: Sequence[Mapping[str, Any]]
    handlers: Mapping[str, Handler | Delegate]
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    seconds: float | None
    """Deadline of a call."""
    parallel: int
    retry: Retry
    tell: bool
    """Whether a failure is told to the model; otherwise it ends the run."""
    levels: int = 0
    """How deep loops may be nested below this one."""
    done: dict[int, Outcome] = field(default_factory=dict)
    workers: dict[int, Worker] = field(default_factory=dict)

    def __post_init__(self) -> None:
        missing = [name for name in client_tools(self.tools) if name not in self.handlers]
        if missing:
            raise CatalogueMismatch(missing, sorted(self.handlers))

    def run(self, calls: Sequence[Block], left: Callable[[Spend], Budget]) -> list[Outcome]:
        """Run *calls* and return their outcomes in order; *left* tells what a sub-loop may still spend."""
        self.done.clear()
        self.workers.clear()
        at_once = max(1, self.parallel)
        if any(as_delegate(self.handlers.get(_name(call))) for call in calls):
            at_once = 1  # Each sub-loop is given what those before it have left of the one budget.
        for start in range(0, len(calls), at_once):
            group = list(enumerate(calls))[start : start + at_once]
            jobs = [(index, self._begin(index, call, left)) for index, call in group]
            for index, finish in jobs:
                self.done[index] = finish()
            if any(self.done[index].fatal or self.done[index].interrupted for index, _ in group):
                break
        return [self.done.get(index) or not_run(call, "fatal") for index, call in enumerate(calls)]

    def salvaged(self, calls: Sequence[Block]) -> list[Outcome]:
        """Return the outcomes of an interrupted turn: those that are there, and for the others that they
        are not.
        """
        ended = [worker.result for worker in self.workers.values()] + list(self.done.values())
        # By the very call: what is left of an earlier turn is nobody's.
        own = {id(outcome.call): outcome for outcome in ended if outcome is not None}
        return [own.get(id(call)) or not_run(call, "interrupted") for call in calls]

    def _begin(self, index: int, call: Block, left: Callable[[Spend], Budget]) -> Callable[[], Outcome]:
        """Start *call*; return what waits for its outcome."""
        name, given = _name(call), call.get("input")
        offered = [str(tool.get("name")) for tool in self.tools]
        handler = self.handlers.get(name) if name in offered else None
        if handler is None:
            return _ready(call, unknown_tool(name, offered))
        delegate = as_delegate(handler)
        if delegate is not None:
            spent = sum((outcome.spend for outcome in self.done.values()), Spend())
            return lambda: delegate.delegate(call, left(spent), self.levels)
        runs = cast(Handler, handler)
        problem = arguments_problem(name, runs, given, self._schema(name))
        if problem is not None:
            return _ready(call, problem)
        if self.seconds is None and self.parallel == 1:
            return lambda: self._attempts(call, runs)
        worker = self.workers[index] = Worker(lambda: self._attempts(call, runs))
        return lambda: worker.outcome(self.seconds) or _late(call, self.seconds)

    def _attempts(self, call: Block, handler: Handler) -> Outcome:
        """Run *handler* until it answers, waiting where it says itself that nothing has happened yet."""
        began, failed = self.clock(), 0
        while True:
            try:
                value = handler(**call["input"])
            except TransientFailure as error:
                failed += 1
                wait = self.retry.wait(Transient(str(error), error.retry_after), failed)
                if wait is None:
                    outcome = self._raised(call, error)
                    break
                self.sleep(wait)
            except Exception as error:
                failed += 1
                outcome = self._raised(call, error)
                break
            else:
                failed_value = isinstance(value, Failed)
                outcome = Outcome(call, content_of(value.content if failed_value else value), failed_value)
                failed += 1
                break
        return replace(outcome, seconds=self.clock() - began, attempts=failed)

    def _raised(self, call: Block, error: Exception) -> Outcome:
        fatal = isinstance(error, FatalFailure) or not self.tell
        return Outcome(call, told(_name(call), error), True, error=error, fatal=fatal)

    def _schema(self, name: str) -> Mapping[str, Any]:
        schema = next((tool.get("input_schema") for tool in self.tools if tool.get("name") == name), None)
        return schema if isinstance(schema, Mapping) else {}


def client_tools(tools: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of the tools that a handler has to serve: all that have no server behind them."""
    return [str(tool.get("name")) for tool in tools if tool.get("type") in (None, "custom")]


def arguments_problem(name: str, handler: Handler, given: object, schema: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the input of a call, for the model; None where the handler can be called."""
    if not isinstance(given, dict):
        return say("loop.model.no_object", name=name)
    required = [key for key in schema.get("required") or [] if isinstance(key, str)]
    missing = [key for key in required if key not in given]
    strange: list[str] = []
    known = list(schema.get("properties") or {})
    try:
        parameters = inspect.signature(handler).parameters.values()
    except (TypeError, ValueError):
        parameters = ()  # type: ignore[assignment]  # a builtin without a signature takes what it takes
    if parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters):
        usable = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        names = [p.name for p in usable]
        known = known or names
        strange = [key for key in given if key not in names]
        missing += [
            p.name for p in usable if p.default is p.empty and p.name not in given and p.name not in missing
        ]
    return wrong_arguments(name, missing, strange, known) if missing or strange else None


def _name(call: Block) -> str:
    return str(call.get("name"))


def _ready(call: Block, text: str) -> Callable[[], Outcome]:
    return lambda: Outcome(call, text, True, attempts=0)


def _late(call: Block, seconds: float | None) -> Outcome:
    return Outcome(
        call, say("loop.model.late", name=_name(call), seconds=seconds), True, seconds=seconds or 0.0
    )
