"""The loop: guards first, then one step, then the reducer, until the machine is done.

Rules of this file:

1. ``run`` returns a :class:`Run` whose exit says why it ended. It raises only for a mistake of the caller,
   found before anything is sent, and passes on what is no ``Exception`` and not Ctrl-C (a stop of the
   simulator).
2. All that touches the world is here, and it only reports: what a report means is the reducer's to say.
3. The state is replaced, never changed. Whatever interrupts the loop finds it between two steps, so the
   transcript is lawful: finished results are kept, every other call is answered as not run.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, assert_never

from simulator.loop import compaction
from simulator.loop.budget import Budget, Spend, charge
from simulator.loop.ended import Run
from simulator.loop.events import Moved, moved
from simulator.loop.exits import By, Interrupted, OverBudget
from simulator.loop.failures import classify
from simulator.loop.model import Model
from simulator.loop.outcome import Outcome
from simulator.loop.policy import Policy
from simulator.loop.reducer import ask, reduce
from simulator.loop.sending import next_cut, size
from simulator.loop.state import (
    Acted,
    Answer,
    Answered,
    Checked,
    Compacted,
    Failed,
    Step,
    Stopped,
    Waited,
    begun,
    open_calls,
)
from simulator.loop.tools import Delegate, Handler, Workbench
from simulator.loop.transcript import plain, taken
from simulator.loop.worker import CutShort
from simulator.text import say
from simulator.wire.message import calls

LOG = logging.getLogger("simulator.loop")
"""Every move, at the level DEBUG; what ``Moved.to_dict`` holds stands in the record's ``extra`` fields."""


def run(
    client: Any,
    messages: Iterable[Any],
    tools: Iterable[Any],
    handlers: Mapping[str, Handler | Delegate],
    policy: Policy,
    *,
    levels: int | None = None,
) -> Run:
    """Run the loop on *messages* until it ends, and return how.

    *client* has ``messages.create``; *tools* are sent as they are, *handlers* answer them by name
    (``handler(**input)``). Neither *messages* nor *tools* is changed. *levels*: how many loops may be nested
    below this one, where it is less than the policy says. Raises CatalogueMismatch, a ValueError, for a tool
    without a handler, and ValueError for a sub-loop that cannot keep to the budget.
    """
    astray = [name for name, handler in handlers.items() if inspect.iscoroutinefunction(handler)]
    if astray:
        raise ValueError(say("loop.mistake.async_handlers", names=", ".join(astray)))
    return Engine(client, messages, tools, handlers, policy, levels).run()


class Engine:
    """One run."""

    def __init__(
        self,
        client: Any,
        messages: Iterable[Any],
        tools: Iterable[Any],
        handlers: Mapping[str, Handler | Delegate],
        policy: Policy,
        levels: int | None,
    ) -> None:
        allowed = policy.depth if levels is None else min(levels, policy.depth)
        own = policy.results.tool()
        offered = [*plain(list(tools)), *([own] if own else [])]
        self.policy = policy
        self.rates = policy.priced()
        self.model = Model.of(client, offered)
        self.bench = Workbench(offered, {**handlers, **policy.results.handlers()}, policy, allowed)
        start = taken(messages, say("loop.model.resumed"))
        self.state = ask(begun(policy, start, offered))
        self.events: list[Moved] = []
        self.began = policy.clock()

    def run(self) -> Run:
        """Step until done."""
        try:
            while self.state.phase != "done":
                try:
                    self.move(self.guard() or self.step())
                except KeyboardInterrupt:
                    self.interrupt("keyboard")
        finally:
            self.bench.crew.close()
        return self.ended()

    def interrupt(self, by: By) -> None:
        """End the run from outside; once it is done that changes nothing."""
        if self.state.phase != "done":
            self.move(self.interrupted(by))

    def at(self) -> float:
        """Return the seconds since the start."""
        return self.policy.clock() - self.began

    def move(self, step: Step) -> None:
        """Let the reducer say what *step* means, and log it."""
        before = self.state
        self.state = reduce(before, step)
        entry = moved(len(self.events) + 1, before, step, self.state)
        self.events.append(entry)
        if LOG.isEnabledFor(logging.DEBUG):
            LOG.debug("%s", entry, extra=entry.to_dict())
        if self.policy.on_move is not None:
            self.policy.on_move(entry)

    def guard(self) -> Step | None:
        """Return the step that ends the run before anything else is done, or None."""
        if self.policy.cancelled():
            return self.interrupted("caller")
        if self.state.phase == "check":
            return None  # The answer is there: looking at it costs none of the budget.
        at = self.at()
        reached = self.policy.budget.reached(self.state.spend.at(at))
        if reached is None:
            return None
        names = tuple(str(call.get("name")) for call in open_calls(self.state))
        return Stopped(at, OverBudget(*reached, names))

    def step(self) -> Step:
        """Do what the phase is for, and report it."""
        match self.state.phase:
            case "ask":
                return self.ask()
            case "wait":
                return self.wait()
            case "act":
                return self.act()
            case "check":
                return self.check()
            case "shrink":
                return self.shrink()
            case "done":
                raise AssertionError("a run that is done has no next step")
            case _:
                assert_never(self.state.phase)

    def ask(self) -> Step:
        """Ask the model once."""
        try:
            return self.answered(self.model.ask(self.state))
        except Exception as error:
            return self.failed(error)

    def answered(self, answer: Answer) -> Step:
        """Report an answer, with what it cost."""
        return Answered(self.at(), answer, charge(answer.usage, self.rates))

    def failed(self, error: Exception) -> Step:
        """Report a request that failed."""
        return Failed(self.at(), classify(error, self.policy.now), error)

    def act(self) -> Step:
        """Run the calls of the turn."""
        try:
            return self.acted(self.bench.run(open_calls(self.state), self.left))
        except CutShort:
            return self.interrupted("caller")

    def acted(self, ran: Sequence[Outcome]) -> Step:
        """Report the outcomes of the turn."""
        outcomes = self.policy.results.fitted(ran)
        by = next((outcome.interrupted for outcome in outcomes if outcome.interrupted), None)
        if by is not None:
            return Stopped(self.at(), Interrupted(by, "act"), outcomes)
        return Acted(self.at(), outcomes)

    def wait(self) -> Step:
        """Wait before the next try."""
        self.policy.sleep(self.pause())
        return Waited(self.at())

    def pause(self) -> float:
        """Return how long to wait: never beyond the time that is left."""
        left = self.left(Spend()).seconds
        return self.state.pause if left is None else min(self.state.pause, left)

    def check(self) -> Step:
        """Have the caller's check look at the answer."""
        try:
            problem = self.opinion()
        except Exception as error:
            return Checked(self.at(), None, error)
        return Checked(self.at(), problem or None)

    def opinion(self) -> Any:
        """Return what the caller's check says; it gets copies."""
        check, answer = self.policy.check, self.state.answer
        assert check is not None, "checked only where there is a check"
        assert answer is not None, "checked only where there is an answer"
        return check(answer.text, plain(self.state.messages))

    def shrink(self) -> Step:
        """Move the cut, and log what is no longer sent."""
        policy, state = self.policy.compaction, self.state
        assert policy is not None, "only a run with compaction shrinks"
        before, cut = size(state), next_cut(state)
        if cut is None:
            return Compacted(self.at(), state.cut, None, before)
        gone = state.messages[1:cut]
        findings, problem = compaction.told(plain(gone), policy.summarise)
        after = size(state._replace(findings=findings), cut)
        names = tuple(str(call.get("name")) for call in calls(gone))
        dropped = compaction.Dropped((1, cut), names, before, after, findings, problem)
        return Compacted(self.at(), cut, dropped, after)

    def interrupted(self, by: By) -> Step:
        """End the run between two steps, with the results that are there."""
        opened = open_calls(self.state) if self.state.phase == "act" else []
        outcomes = self.bench.salvaged(opened)
        return Stopped(self.at(), Interrupted(by, self.state.phase), self.policy.results.fitted(outcomes))

    def left(self, more: Spend) -> Budget:
        """Return what may still be spent once *more* is."""
        return self.policy.budget.left((self.state.spend + more).at(self.at()))

    def ended(self) -> Run:
        """Return what came of it."""
        return Run.of(self.state, self.model.response, self.events)
