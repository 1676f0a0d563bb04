"""Family q: thinking goes back as it came; what else may be done with a turn is free."""

import copy

import pytest

from simulator.gate.judgements import thinking
from simulator.gate.perform import perform
from simulator.gate.probe import Case
from tests.gate.judgements.saying import check

MODEL = {"model": "claude-sonnet-5-5", "max_tokens": 2048}
THOUGHTS = ("thinking", "redacted_thinking")
CASE = Case("thinks_before_calls")


def loop(turns):
    """Return an ordinary loop that appends ``turns(content, results)`` after each answer with calls."""

    def run_agent_loop(client, messages, tools, handlers):
        history = copy.deepcopy(messages)
        while True:
            response = client.messages.create(**MODEL, messages=history, tools=tools)
            if response.stop_reason != "tool_use":
                return response
            results = [
                {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                for b in response.content
                if b.type == "tool_use"
            ]
            history += turns(response.content, results)

    return run_agent_loop


def pair(content, results):
    return [{"role": "assistant", "content": content}, {"role": "user", "content": results}]


def plain(content):
    return [block.to_dict() for block in content]


def changed(change):
    """Return turns whose thinking is what *change* makes of it."""

    def turns(content, results):
        blocks = [change(b) if b["type"] in THOUGHTS else b for b in plain(content)]
        return pair([b for b in blocks if b is not None], results)

    return turns


def with_text_after_results(content, results):
    return pair(plain(content), [*results, {"type": "text", "text": "Please go on."}])


def with_cache_marks(content, results):
    marked = [{**results[-1], "cache_control": {"type": "ephemeral"}}]
    return pair(plain(content), [*results[:-1], *marked])


@pytest.mark.parametrize(
    "turns",
    [
        pair,
        lambda content, results: pair(plain(content), results),
        lambda content, results: pair([b.model_dump(exclude_none=True) for b in content], results),
        with_text_after_results,
        with_cache_marks,
    ],
)
def test_thinking_that_goes_back_as_it_came_is_right_in_any_form(turns):
    assert thinking.returns_thinking(perform(loop(turns), CASE, 1)).outcome == "pass"


def sorted_by_type(content, results):
    return pair(sorted(plain(content), key=lambda block: block["type"] in THOUGHTS), results)


def one_turn_for_each_call(content, results):
    blocks = plain(content)
    thoughts = [block for block in blocks if block["type"] in THOUGHTS]
    calls = [block for block in blocks if block["type"] == "tool_use"]
    return [
        turn
        for call, result in zip(calls, results, strict=True)
        for turn in pair([*thoughts, call], [result])
    ]


def with_a_thought_of_its_own(content, results):
    own = {"type": "thinking", "thinking": "The user wants this done.", "signature": "c2VsZm1hZGU="}
    return pair([own, *plain(content)], results)


@pytest.mark.parametrize(
    ("turns", "finding"),
    [
        (changed(lambda block: None), "dropped"),
        (changed(lambda block: block if block["type"] == "thinking" else None), "dropped"),
        (changed(lambda block: {**block, "thinking": block.get("thinking", "")[:60]}), "altered"),
        (changed(lambda block: {**block, "signature": "bmV3"} if "signature" in block else block), "altered"),
        (sorted_by_type, "moved"),
        (one_turn_for_each_call, "copied"),
        (with_a_thought_of_its_own, "invented"),
    ],
)
def test_each_way_to_lose_a_thought_has_its_finding(turns, finding):
    verdict = thinking.returns_thinking(perform(loop(turns), CASE, 1))
    check(verdict, f"thinking.{finding}")
