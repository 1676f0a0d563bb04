"""A loop that leaves every decision to a function, so that a test can state one odd decision in a few lines.

``decide(run, response)`` returns None to go on, or ``End(value)``; ``over(run)`` says what follows the limit.
"""

import copy
import json
from dataclasses import dataclass, field
from typing import Any

from simulator.gate.perform import perform
from simulator.gate.probe import Case
from simulator.text import LANGUAGES, say
from tests.gate.judgements.saying import said

MODEL = {"model": "claude-sonnet-5-5", "max_tokens": 1024}


class UnhandledStop(Exception):  # noqa: N818  # the article's name
    """Raised by the ordinary decision for whatever it does not know."""


class BudgetExceeded(Exception):  # noqa: N818  # the article's name
    """Raised by the ordinary end of a limit."""


@dataclass
class End:
    """The run ends with this value."""

    value: Any = None


@dataclass
class Result:
    """What some loops return."""

    status: str
    text: str = ""
    messages: list = field(default_factory=list)
    more: dict = field(default_factory=dict)


@dataclass
class Run:
    """One run, and what a decision can do."""

    client: Any
    history: list
    tools: list
    handlers: dict
    check: Any = None
    limit: int = 20
    requests: int = 0
    last: Any = None
    kept: dict = field(default_factory=dict)
    """Whatever a decision wants to remember."""

    def ask(self, **more):
        """Send the conversation."""
        self.requests += 1
        body = {**MODEL, "tools": self.tools, "messages": self.history, **more}
        self.last = self.client.messages.create(**body)
        return self.last

    def said(self, response):
        """Append the model's turn."""
        self.history.append({"role": "assistant", "content": response.content})

    def tell(self, text):
        """Append words of the loop."""
        self.history.append({"role": "user", "content": text})

    def calls(self, response):
        return [block for block in response.content if block.type == "tool_use"]

    def results(self, response):
        return [
            {"type": "tool_result", "tool_use_id": call.id, "content": self.handlers[call.name](**call.input)}
            for call in self.calls(response)
        ]

    def act(self, response, results=None):
        """Run the calls and append both turns; go on."""
        results = self.results(response) if results is None else results
        self.said(response)
        self.history.append({"role": "user", "content": results})

    def count(self, name):
        """Count *name* and return how often it was counted."""
        self.kept[name] = self.kept.get(name, 0) + 1
        return self.kept[name]


def text(response):
    return "".join(block.text for block in response.content if block.type == "text")


def ordinary(run, response):
    """Decide as a loop of a few lines does: tools, the end, and an exception for the rest."""
    if response.stop_reason == "tool_use":
        return run.act(response)
    if response.stop_reason in ("end_turn", "stop_sequence"):
        return End(response)
    raise UnhandledStop(response.stop_reason)


def raises(run):
    """End as a limit does: by name."""
    raise BudgetExceeded(f"max_iterations={run.limit}")


def loop(decide=ordinary, over=raises, own=False):
    """Return the loop; with *own* it works on the caller's list."""

    def run_agent_loop(client, messages, tools, handlers, max_iterations=20, check=None):
        history = messages if own else copy.deepcopy(messages)
        run = Run(client, history, tools, handlers, check, max_iterations)
        while run.requests < run.limit:
            end = decide(run, run.ask())
            if end is not None:
                return end.value
        return over(run)

    return run_agent_loop


def judged(judgement, case, decide=ordinary, seed=1, **more):
    """Return the verdict of *judgement* on the loop that decides so."""
    case = Case(case) if isinstance(case, str) else case
    return judgement(perform(loop(decide, **more), case, seed))


def found(judgement, case, decide=ordinary, **more):
    """Return what was found (``pass``, ``unknown`` or the finding); a finding can be told in words."""
    verdict = judged(judgement, case, decide, **more)
    match verdict.outcome:
        case "fail":
            assert all(said(verdict.finding, verdict.turn, verdict.facts))
            return verdict.finding
        case "not_applicable":
            assert all(say(f"{verdict.finding}.why", lang) for lang in LANGUAGES)
            return verdict.finding
        case outcome:
            return outcome


def key(block):
    """Return what two equal calls have in common."""
    return json.dumps([block.name, block.input], sort_keys=True)
