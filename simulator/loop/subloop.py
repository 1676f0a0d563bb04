"""A loop as a tool: a step of the plan, done in a context of its own.

Rules of this file:

1. Fresh context: the sub-loop sees its task and nothing of the parent's conversation; the parent gets the
   report and none of the sub-loop's turns.
2. One budget: a sub-loop may spend the tighter of its own budget and what its parent has left, and all it
   spends is charged to the parent, steps included.
3. The report is a contract: ``status``, ``found``, ``did``, ``could_not``, ``should_know``. The sub-loop
   hands it in through the tool ``report``, and is asked for it once where it ends without one; after that,
   its end is told with what it had. Only a handed-in report of a run that went its way is no error; that
   nothing is said after the report (the API's empty last answer) is no harm.
4. Depth is bounded by the parent's ``Policy.depth``; too deep is an answer to the model, not an exception.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from simulator.loop.asynchronous import arun
from simulator.loop.budget import Budget
from simulator.loop.ended import Run
from simulator.loop.engine import run
from simulator.loop.exits import Interrupted, Unverified
from simulator.loop.outcome import Outcome
from simulator.loop.policy import Check, Policy
from simulator.loop.tools import CatalogueMismatch, Delegate, Handler, client_tools
from simulator.loop.transcript import words
from simulator.text import say
from simulator.wire.message import Block, Turn

REPORT = "report"
PARTS = ("found", "did", "could_not", "should_know")
"""What the parent is told, beside the status: also what it did not ask for."""


@dataclass(frozen=True)
class SubLoop:
    """A handler that answers a call by running a loop of its own.

    *client*, *tools*, *handlers* and *policy* are the sub-loop's. ``definition(name)`` is the tool to offer.
    """

    client: Any
    tools: Sequence[Any]
    handlers: Mapping[str, Handler | Delegate]
    policy: Policy
    description: str = ""
    on_run: Callable[[Run], None] | None = None
    """Called with the finished sub-run, for a log."""

    def definition(self, name: str) -> dict[str, Any]:
        """Return the tool by which a parent's model calls this."""
        return {
            "name": name,
            "description": self.description or say("loop.model.subloop"),
            "input_schema": {
                "type": "object",
                "properties": {"task": {"type": "string"}},
                "required": ["task"],
            },
        }

    def prepare(self, budget: Budget) -> None:
        """Raise ValueError for tools without handlers, or a money limit of the parent's without prices
        here.
        """
        replace(self.policy, budget=self.policy.budget.within(budget))
        missing = [name for name in client_tools(self.tools) if name not in self.handlers]
        if missing:
            raise CatalogueMismatch(missing, sorted(self.handlers))

    def delegate(self, call: Block, left: Budget, levels: int, parent: Policy) -> Outcome:
        """Run the task of *call* within what the parent has *left*, if *levels* allow one more loop."""
        refused = self._refused(call, levels)
        if refused is not None:
            return refused
        desk = Desk()
        return self._told(call, run(**self._job(call, left, levels, parent, desk)), desk)

    async def delegate_async(
        self, call: Block, left: Budget, levels: int, parent: Policy, done: Callable[[Outcome], None]
    ) -> None:
        """Do the same in an event loop, and give the outcome to *done*, even where this is cancelled."""
        refused = self._refused(call, levels)
        if refused is not None:
            done(refused)
        else:
            desk = Desk()
            job = self._job(call, left, levels, parent, desk)
            await arun(**job, on_end=lambda result: done(self._told(call, result, desk)))

    def _refused(self, call: Block, levels: int) -> Outcome | None:
        given = call.get("input")
        task = given.get("task") if isinstance(given, dict) else None
        if not isinstance(task, str) or not task.strip():
            return Outcome(call, say("loop.model.no_task"), True, attempts=0)
        return Outcome(call, say("loop.model.too_deep"), True, attempts=0) if levels < 1 else None

    def _job(self, call: Block, left: Budget, levels: int, parent: Policy, desk: Desk) -> dict[str, Any]:
        """Return the arguments of the sub-run."""
        own = self.policy.under(parent)
        rounds = own.rounds if own.check else 1
        budget, check = own.budget.within(left), asks_for(desk, own.check)
        return {
            "client": self.client,
            "messages": [words(f"{call['input']['task']}\n\n{say('loop.model.contract')}")],
            "tools": [*self.tools, report_tool()],
            "handlers": {**self.handlers, REPORT: desk.take},
            "policy": replace(own, budget=budget, check=check, rounds=rounds),
            "levels": levels - 1,
        }

    def _told(self, call: Block, result: Run, desk: Desk) -> Outcome:
        """Return the outcome of a sub-run."""
        if self.on_run is not None:
            self.on_run(result)
        silent = isinstance(result.exit, Unverified) and self.policy.check is None
        fine = bool(desk.report) and (result.finished or silent)
        content = json.dumps(report_of(result, desk.report, fine), ensure_ascii=False)
        by = result.exit.by if isinstance(result.exit, Interrupted) else None
        seconds, spend = result.spend.seconds, result.spend
        return Outcome(call, content, not fine, seconds, spend, interrupted=by)


@dataclass
class Desk:
    """Where the sub-loop hands in its report; the last one counts."""

    report: dict[str, str] = field(default_factory=dict)

    def take(self, found: str, did: str, could_not: str = "", should_know: str = "") -> str:
        """Take the report: the handler of the tool ``report``."""
        self.report = {"found": found, "did": did, "could_not": could_not, "should_know": should_know}
        return say("loop.model.report_taken")


def asks_for(desk: Desk, own: Check | None) -> Check:
    """Return a check that asks for the report first, and then the *own* check of the sub-loop."""

    def check(text: str, messages: Sequence[Turn]) -> Any:
        if not desk.report:
            return say("loop.model.report_missing")
        return own(text, messages) if own is not None else None

    return check


def report_of(result: Run, report: Mapping[str, str], fine: bool) -> dict[str, str]:
    """Return the contract filled in: what was handed in, and how the sub-loop ended where that was not
    *fine*.
    """
    status = "finished" if fine else type(result.exit).__name__
    parts = {part: report.get(part, "") for part in PARTS}
    if not report:
        parts["found"] = result.text
        parts["did"] = say("loop.model.no_report", calls=sum(len(event.tools) for event in result.events))
    if not fine:
        parts["could_not"] = "\n".join(part for part in (parts["could_not"], result.sentence()) if part)
    return {"status": status, **parts}


def report_tool() -> dict[str, Any]:
    """Return the tool by which a sub-loop hands in its report."""
    return {
        "name": REPORT,
        "description": say("loop.model.report"),
        "input_schema": {
            "type": "object",
            "properties": {
                part: {"type": "string", "description": say(f"loop.model.part_{part}")} for part in PARTS
            },
            "required": ["found", "did"],
        },
    }
