"""What a generator yields on its way is its caller's, as much as what it returns."""

import pytest

from simulator.gate.judgements.budget import hands_over_the_work, takes_the_last_answer
from simulator.gate.judgements.ending import hands_back_the_answer
from simulator.gate.perform import perform
from simulator.gate.probe import Case

MODEL = {"model": "claude-sonnet-5-5", "max_tokens": 1024}
CUT_OFF = Case("todo_list", {"steps": 2})


def pieces(text):
    yield from ({"type": "delta", "text": text[at : at + 5]} for at in range(0, len(text), 5))


def whole(text):
    yield {"type": "text", "text": text}


def bare(text):
    yield from text.splitlines(keepends=True)


def nothing(text):
    yield from ()


def yielding(show):
    """Return a generator that shows the model's texts by *show*; its last event says only how it ended."""

    def loop(client, messages, tools, handlers, max_turns=20):
        history = list(messages)
        for _ in range(max_turns):
            response = client.messages.create(**MODEL, tools=tools, messages=history)
            for block in response.content:
                yield from show(block.text) if block.type == "text" else ()
            if response.stop_reason != "tool_use":
                yield {"type": "done", "why": response.stop_reason}
                return
            results = [
                {
                    "type": "tool_result",
                    "tool_use_id": block.id,
                    "content": handlers[block.name](**block.input),
                }
                for block in response.content
                if block.type == "tool_use"
            ]
            history += [
                {"role": "assistant", "content": response.content},
                {"role": "user", "content": results},
            ]
        yield {"type": "done", "why": "max_turns"}

    return loop


@pytest.mark.parametrize("show", [pieces, whole, bare])
def test_what_was_yielded_before_the_end_has_been_handed_over(show):
    assert hands_over_the_work(perform(yielding(show), CUT_OFF, 0)).outcome == "pass"
    trace = perform(yielding(show), Case("todo_list", {"steps": 6}), 0)
    assert hands_back_the_answer(trace).outcome == "pass"
    assert takes_the_last_answer(trace).outcome == "pass"


def test_a_generator_that_yields_only_how_it_ended_is_found():
    assert hands_over_the_work(perform(yielding(nothing), CUT_OFF, 0)).finding == "budget.lost"
    whole_run = perform(yielding(nothing), Case("todo_list"), 0)
    assert hands_back_the_answer(whole_run).finding == "ending.not_answer"
