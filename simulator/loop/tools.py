"""The tools of a run: catalogue and handlers held against each other, and each call answered exactly once.

Rules of this file:

1. A tool without a handler is a mistake of the caller and raises before anything is sent. Handlers without a
   tool are let pass: one map may serve several loops. Server tools have no handler and are never dispatched.
2. Each call of a turn gets one :class:`Outcome`, in the order of the calls, however they were run.
3. A handler's exception becomes a message or ends the run, as ``Policy.on_tool_error`` says; never silence.
   What is no ``Exception`` (Ctrl-C, a stop of the simulator) is never a message: it is raised on.
4. A handler runs in a thread beside the loop, so that a hanging one meets its deadline, and Ctrl-C and the
   caller's ``cancelled`` do not wait for it. It cannot be killed: the model is told that it may still be
   running. Without a deadline, without ``cancelled`` and one at a time, it runs where the loop does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from simulator.loop.answers import unknown_tool
from simulator.loop.arguments import Accepts
from simulator.loop.budget import Budget, Spend
from simulator.loop.outcome import Outcome, late, not_run
from simulator.loop.policy import Policy, never
from simulator.loop.tries import Tries
from simulator.loop.worker import Crew, Worker
from simulator.text import say
from simulator.wire.message import Block

Handler = Callable[..., Any]
Left = Callable[[Spend], Budget]
"""What may still be spent once so much more is."""


class CatalogueMismatch(ValueError):  # noqa: N818  # named for what it tells
    """A tool on offer has no handler; ``missing`` are their names."""

    def __init__(self, missing: list[str], handlers: list[str]) -> None:
        self.missing = tuple(missing)
        have = ", ".join(handlers) or "-"
        super().__init__(say("loop.mistake.no_handler", missing=", ".join(missing), handlers=have))


class Delegate(Protocol):
    """A handler that spends: a loop as a tool (``subloop.py``)."""

    def prepare(self, budget: Budget) -> None:
        """Raise ValueError if this cannot run within *budget*: before anything is sent."""
        ...

    def delegate(self, call: Block, left: Budget, levels: int, parent: Policy) -> Outcome:
        """Do what *call* asks within what is *left*, with so many *levels* of loops allowed below the
        caller, whose policy is *parent*.
        """
        ...

    async def delegate_async(
        self, call: Block, left: Budget, levels: int, parent: Policy, done: Callable[[Outcome], None]
    ) -> None:
        """Do the same in an event loop, and give the outcome to *done*, even where this is cancelled."""
        ...


def as_delegate(handler: Handler | Delegate | None) -> Delegate | None:
    """Return *handler* where it is a loop as a tool, else None."""
    return cast(Delegate, handler) if hasattr(handler, "delegate") else None


@dataclass
class Workbench:
    """Runs the calls of a turn. ``done`` fills as they end, so that a cut keeps what is finished."""

    tools: Sequence[Mapping[str, Any]]
    handlers: Mapping[str, Handler | Delegate]
    policy: Policy
    levels: int = 0
    """How deep loops may be nested below this one."""
    done: dict[int, Outcome] = field(default_factory=dict)
    workers: dict[int, Worker[Outcome]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        missing = [name for name in client_tools(self.tools) if name not in self.handlers]
        if missing:
            raise CatalogueMismatch(missing, sorted(self.handlers))
        for delegate in map(as_delegate, self.handlers.values()):
            if delegate is not None:
                delegate.prepare(self.policy.budget)
        self.crew = Crew()
        self.accepts = dict(self._accepted())

    def _accepted(self) -> Iterator[tuple[str, Accepts | None]]:
        """Yield each tool on offer that can be run, and what it takes; None for a loop as a tool."""
        for tool in self.tools:
            name = str(tool.get("name"))
            handler = self.handlers.get(name)
            if handler is not None:
                delegate = as_delegate(handler) is not None
                yield name, None if delegate else Accepts.of(name, handler, tool.get("input_schema"))  # type: ignore[arg-type]  # no delegate, so a handler

    def run(self, calls: Sequence[Block], left: Left) -> list[Outcome]:
        """Run *calls* and return their outcomes in order. Raises CutShort when the caller cancels."""
        for group in self.groups(calls):
            jobs = [(index, self._begin(index, call, left)) for index, call in group]
            for index, finish in jobs:
                self.done[index] = finish()
        return self.outcomes(calls)

    def groups(self, calls: Sequence[Block]) -> Iterator[list[tuple[int, Block]]]:
        """Begin a turn, and yield the *calls* that run at once, group by group, until one ends the run."""
        self.done.clear()
        self.workers.clear()
        at_once = self.policy.parallel
        if any(as_delegate(self.handlers.get(_name(call))) for call in calls):
            at_once = 1  # Each sub-loop is given what those before it have left of the one budget.
        for start in range(0, len(calls), at_once):
            group = list(enumerate(calls))[start : start + at_once]
            yield group
            if any(self.done[index].fatal or self.done[index].interrupted for index, _ in group):
                return

    def outcomes(self, calls: Sequence[Block]) -> list[Outcome]:
        """Return the outcome of each of *calls*, those that were not run any more included."""
        return [self.done.get(index) or not_run(call, "fatal") for index, call in enumerate(calls)]

    def salvaged(self, calls: Sequence[Block]) -> list[Outcome]:
        """Return the outcomes of an interrupted turn: those that are there, and for the others that they
        are not.
        """
        ended = [worker.result for worker in self.workers.values()] + list(self.done.values())
        # By the very call: what is left of an earlier turn is nobody's.
        own = {id(outcome.call): outcome for outcome in ended if outcome is not None}
        return [own.get(id(call)) or not_run(call, "interrupted") for call in calls]

    def refusal(self, call: Block) -> Outcome | None:
        """Return the answer to a *call* that cannot be run, for the model; None where it can."""
        name = _name(call)
        if name not in self.accepts:
            problem: str | None = unknown_tool(name, [str(tool.get("name")) for tool in self.tools])
        else:
            accepts = self.accepts[name]
            problem = accepts.problem(call.get("input")) if accepts else None
        return None if problem is None else Outcome(call, problem, True, attempts=0)

    def spent(self) -> Spend:
        """Return what the sub-loops of this turn have spent so far."""
        return sum((outcome.spend for outcome in self.done.values()), Spend())

    def tries(self, call: Block) -> Tries:
        """Return the tries of *call*, none made yet."""
        return Tries(call, self.policy, self.policy.clock())

    def attempts(self, tries: Tries, handler: Handler) -> Outcome:
        """Run *handler* until it answers, waiting where it says itself that nothing has happened yet."""
        while True:
            try:
                return tries.returned(handler(**tries.input()))
            except Exception as error:
                failure, wait = error, tries.again(error)
            if wait is not None:
                self.policy.sleep(wait)
            if wait is None or tries.over:
                return tries.raised(failure)

    def _begin(self, index: int, call: Block, left: Left) -> Callable[[], Outcome]:
        """Start *call*; return what waits for its outcome."""
        refused = self.refusal(call)
        if refused is not None:
            return lambda: refused
        handler = self.handlers[_name(call)]
        delegate = as_delegate(handler)
        if delegate is not None:
            return lambda: delegate.delegate(call, left(self.spent()), self.levels, self.policy)
        tries, runs = self.tries(call), cast(Handler, handler)
        policy = self.policy
        if policy.tool_seconds is None and policy.parallel == 1 and policy.cancelled is never:
            return lambda: self.attempts(tries, runs)
        # Kept before it starts: what it brings is not lost to an interrupt in between.
        worker = self.workers[index] = Worker(lambda: self.attempts(tries, runs), policy.clock)
        self.crew.start(worker)
        return lambda: self._awaited(worker, tries)

    def _awaited(self, worker: Worker[Outcome], tries: Tries) -> Outcome:
        """Return the outcome of *worker*, or that it is late."""
        seconds = self.policy.tool_seconds
        try:
            in_time = worker.ended(seconds, self.policy.cancelled)
        except BaseException:
            tries.over = True
            raise
        tries.over = not in_time
        return worker.outcome() if in_time else late(tries.call, seconds)


def client_tools(tools: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of the tools that a handler has to serve: all that have no server behind them."""
    return [str(tool.get("name")) for tool in tools if tool.get("type") in (None, "custom")]


def _name(call: Block) -> str:
    return str(call.get("name"))
