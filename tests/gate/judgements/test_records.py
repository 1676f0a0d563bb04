"""Criterion 7: a record may have any form and stand in any place where a caller finds it."""

import copy
import dataclasses
import logging

import pytest

from simulator.gate.judgements import records
from simulator.gate.perform import perform
from simulator.gate.probe import Case

MODEL = {"model": "claude-sonnet-5-5", "max_tokens": 1024}
(PARALLEL,) = records.PROBES[0].cases
WHOLE = Case("todo_list", records.RECORDED)
(FAILING,) = records.PROBES[1].cases


def turns(client, messages, tools, handlers, note):
    """Run a loop that calls ``note(kind, name)`` for each answer and each tool that ran."""
    history = copy.deepcopy(messages)
    while True:
        response = client.messages.create(**MODEL, tools=tools, messages=history)
        note("answer", response.stop_reason)
        history.append({"role": "assistant", "content": [b.to_dict() for b in response.content]})
        if response.stop_reason != "tool_use":
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                results.append({"type": "tool_result", "tool_use_id": block.id, **ran(block, handlers)})
                note("tool", block.name)
        history.append({"role": "user", "content": results})


def ran(block, handlers):
    try:
        return {"content": handlers[block.name](**block.input)}
    except Exception as error:
        return {"content": str(error), "is_error": True}


# --- right ways ------------------------------------------------------------------------------------------


def on_event_of_dicts(client, messages, tools, handlers, on_event=None):
    return turns(client, messages, tools, handlers, lambda kind, name: on_event({"kind": kind, "what": name}))


def a_list_of_lines(client, messages, tools, handlers, events=None):
    note = lambda kind, name: events.append(f"{kind} -> {name}")  # noqa: E731
    return turns(client, messages, tools, handlers, note)


def python_logging(client, messages, tools, handlers):
    log = logging.getLogger("agent.loop")
    return turns(client, messages, tools, handlers, lambda kind, name: log.debug("%s: %s", kind, name))


@dataclasses.dataclass
class Record:
    iteration: int
    signal: str
    tools: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Outcome:
    response: object
    records: list[Record]


class RunFailed(Exception):  # noqa: N818  # named as loops name it
    def __init__(self, why, kept):
        super().__init__(why)
        self.records = kept


def fields_of_what_comes_out(client, messages, tools, handlers):
    kept = []

    def note(kind, name):
        if kind == "answer":
            kept.append(Record(len(kept) + 1, name))
        else:
            kept[-1].tools.append(name)

    try:
        return Outcome(turns(client, messages, tools, handlers, note), kept)
    except Exception as error:
        raise RunFailed(str(error), kept) from error


def a_status_instead_of_an_exception(client, messages, tools, handlers):
    kept = []
    try:
        turns(client, messages, tools, handlers, lambda kind, name: kept.append((kind, name)))
    except Exception as error:
        return {"status": "failed", "error": str(error), "log": kept}
    return {"status": "done", "log": kept}


RIGHT = [
    on_event_of_dicts,
    a_list_of_lines,
    python_logging,
    fields_of_what_comes_out,
    a_status_instead_of_an_exception,
]


@pytest.mark.parametrize("loop", RIGHT)
@pytest.mark.parametrize("seed", [0, 3])
def test_records_in_any_form_are_found(loop, seed):
    for case in (WHOLE, PARALLEL):
        found = records.tells_every_transition(perform(loop, case, seed))
        assert found.outcome == "pass", found
    found = records.survives_a_failure(perform(loop, FAILING, seed))
    assert found.outcome == "pass", found


# --- wrong ways ------------------------------------------------------------------------------------------


def nothing(client, messages, tools, handlers, on_event=None):
    return turns(client, messages, tools, handlers, lambda kind, name: None)


def only_prints(client, messages, tools, handlers):
    return turns(client, messages, tools, handlers, lambda kind, name: print(kind, name))


def the_conversation_alone(client, messages, tools, handlers):
    history = copy.deepcopy(messages)
    response = turns(client, history, tools, handlers, lambda kind, name: None)
    return {"response": response, "messages": [*history, {"role": "assistant", "content": response.content}]}


@pytest.mark.parametrize("loop", [nothing, only_prints, the_conversation_alone])
def test_no_records_are_told_with_the_places_that_were_looked_at(loop):
    found = records.tells_every_transition(perform(loop, WHOLE, 1))
    assert found.finding == "records.none"
    assert "on_event" in found.facts["names"]


def no_tools(client, messages, tools, handlers, on_event=None):
    note = lambda kind, name: kind == "answer" and on_event({"stop_reason": name})  # noqa: E731
    return turns(client, messages, tools, handlers, note)


def no_signals(client, messages, tools, handlers, on_event=None):
    note = lambda kind, name: kind == "tool" and on_event({"tool": name})  # noqa: E731
    return turns(client, messages, tools, handlers, note)


def each_tool_once(client, messages, tools, handlers, on_event=None):
    told = set()

    def note(kind, name):
        if kind == "answer" or name not in told:
            told.add(name)
            on_event([kind, name])

    return turns(client, messages, tools, handlers, note)


@pytest.mark.parametrize(
    ("loop", "finding"),
    [
        (no_tools, "records.tool_missing"),
        (no_signals, "records.signal_missing"),
        (each_tool_once, "records.tool_missing"),
    ],
)
def test_gaps_in_the_records_are_told(loop, finding):
    assert records.tells_every_transition(perform(loop, PARALLEL, 1)).finding == finding


def test_records_that_are_returned_are_lost_where_the_loop_raises():
    def returned_with_the_answer(client, messages, tools, handlers):
        kept = []
        return turns(client, messages, tools, handlers, lambda *what: kept.append(what)), kept

    assert records.tells_every_transition(perform(returned_with_the_answer, WHOLE, 1)).outcome == "pass"
    assert records.survives_a_failure(perform(returned_with_the_answer, FAILING, 1)).finding == "records.lost"


def the_status_of_the_end_alone(client, messages, tools, handlers):
    response = turns(client, messages, tools, handlers, lambda kind, name: None)
    return {"status": response.stop_reason, "text": response.content[0].text}


def test_how_a_run_ended_is_no_record_of_it():
    found = records.tells_every_transition(perform(the_status_of_the_end_alone, PARALLEL, 0))
    assert found.finding == "records.none"


def yields_events(client, messages, tools, handlers):
    kept = []
    response = turns(client, messages, tools, handlers, lambda kind, name: kept.append({kind: name}))
    yield from kept
    yield {"done": True, "text": response.content[0].text}


def test_whoever_drains_a_generator_has_its_events():
    found = records.tells_every_transition(perform(yields_events, PARALLEL, 0))
    assert found.outcome == "pass", found
