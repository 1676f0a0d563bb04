"""Scenarios and loops for the tests of traces, in a few words."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from simulator.recording.cassette import Recording
from simulator.recording.scenario import Scenario
from simulator.trace.document import Trace
from tests.recording.made import DONE, TASK, call, exchange, request, result, said, told


def reading(turns: int, *, sent: Callable[[list[Any]], list[Any]] = list, words: int = 1) -> Scenario:
    """Return a scenario of *turns* requests: the model reads one file a turn, then says it is done.

    *sent* makes what a request carries from the history, for loops that send something else than that.
    """
    history: list[Any] = [TASK]
    exchanges = []
    for n in range(turns):
        last = n == turns - 1
        turn = DONE if last else said(f"File {n}.", call(f"toolu_{n}", "read_file", path=f"{n}.py"))
        exchanges.append(exchange(n, request(*sent(history)), turn))
        history = [*history, turn, told(result(f"toolu_{n}", f"text of {n} " + "word " * words))]
    return Scenario.of(Recording(Path("reading.yaml"), tuple(exchanges), {}, 0))


def kinds(trace: Trace) -> list[str]:
    """Return the kinds of the steps, in order."""
    return [step.event.kind for step in trace.steps]


def events(trace: Trace, kind: str) -> list[Any]:
    """Return the events of one kind, in order."""
    return [step.event for step in trace.steps if step.event.kind == kind]


def roles(messages: list[Any]) -> str:
    """Return the roles of *messages* as letters: "uau"."""
    return "".join(message["role"][0] for message in messages)


def sent_roles(trace: Trace) -> list[str]:
    """Return the roles of what each request sent."""
    return [roles(trace.messages_at(step.n)) for step in trace.requests]


def marked(trace: Trace, mark: str) -> int:
    """Return the line of the source that ends in the comment *mark*."""
    lines = trace.source["text"].splitlines() if trace.source else []
    return next(n for n, line in enumerate(lines, 1) if line.endswith(f"# {mark}"))
