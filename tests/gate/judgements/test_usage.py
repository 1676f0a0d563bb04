"""Family p: what counts as a claim of a total, in which names and conventions, and which claims are wrong."""

import copy
import dataclasses
import logging

import pytest

from simulator.gate.judgements import usage
from simulator.gate.perform import perform
from simulator.gate.probe import Case

MODEL = {"model": "claude-sonnet-5-5", "max_tokens": 1024}
PLAIN = Case("cached_turns", usage.RECORDED)
RIGHT = (426, 173, 8192, 16457)
"""Input, output, cache written and cache read of the three answers."""


def loop(hand, each=lambda response: None):
    """Return a loop that hands back ``hand(responses)``; *each* is told every response as it comes."""

    def run_agent_loop(client, messages, tools, handlers, on_event=None):
        history, seen = copy.deepcopy(messages), []
        while True:
            response = client.messages.create(**MODEL, tools=tools, messages=history)
            seen.append(response)
            entry = each(response)
            if entry is not None and on_event is not None:
                on_event(entry)
            history.append({"role": "assistant", "content": [b.to_dict() for b in response.content]})
            if response.stop_reason != "tool_use":
                return hand(seen)
            history.append({"role": "user", "content": results(response, handlers)})

    return run_agent_loop


def results(response, handlers):
    return [
        {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
        for b in response.content
        if b.type == "tool_use"
    ]


def counts(seen):
    names = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return [sum(getattr(response.usage, name) or 0 for response in seen) for name in names]


def judged(hand, case=PLAIN, **more):
    trace = perform(loop(hand, **more), case, 1)
    return usage.adds_up(trace)


def test_the_figures_of_the_scenario_are_these():
    handed = []
    judged(lambda seen: handed.extend(counts(seen)))
    assert tuple(handed) == RIGHT


@dataclasses.dataclass
class Spend:
    input_tokens: int
    output_tokens: int
    cache_write_tokens: int
    cache_read_tokens: int


@dataclasses.dataclass
class Outcome:
    text: str
    spend: Spend


HANDED = {
    "the API's own names": lambda i, o, w, r: {
        "usage": {
            "input_tokens": i,
            "output_tokens": o,
            "cache_creation_input_tokens": w,
            "cache_read_input_tokens": r,
        }
    },
    "a dataclass": lambda i, o, w, r: Outcome("…", Spend(i, o, w, r)),
    "short names": lambda i, o, w, r: {"tokens": {"in": i, "out": o, "cache_write": w, "cache_read": r}},
    "camel case": lambda i, o, w, r: {"inputTokens": i, "outputTokens": o, "cacheTokens": w + r},
    "cache inside the input": lambda i, o, w, r: {
        "usage": {"prompt_tokens": i + w + r, "completion_tokens": o}
    },
    "a sum beside two counters": lambda i, o, w, r: {
        "usage": {"input_tokens": i, "output_tokens": o, "total_tokens": i + o + w + r}
    },
    "one figure": lambda i, o, w, r: {"text": "…", "tokens_used": i + o + w + r},
}


@pytest.mark.parametrize("form", HANDED)
def test_right_sums_hold_in_any_form(form):
    found = judged(lambda seen: HANDED[form](*counts(seen)))
    assert found.outcome == "pass", found


@pytest.mark.parametrize("form", HANDED)
def test_sums_without_the_last_answer_do_not_hold_in_any_form_that_states_its_counters(form):
    found = judged(lambda seen: HANDED[form](*counts(seen[:-1])))
    assert found.outcome == ("not_applicable" if form == "one figure" else "fail"), found


def test_the_last_answers_figures_beside_the_sum_do_no_harm():
    def hand(seen):
        return {"last_usage": seen[-1].usage.to_dict(), **HANDED["the API's own names"](*counts(seen))}

    assert judged(hand).outcome == "pass"


def test_records_may_carry_each_answers_figures_and_add_up():
    found = judged(lambda seen: "…", each=lambda response: {"turn": 1, "usage": response.usage.to_dict()})
    assert found.outcome == "pass", found


def test_records_may_carry_a_sum_that_grows():
    seen = []

    def each(response):
        seen.append(response)
        i, o, w, r = counts(seen)
        return {"spend": {"input": i, "output": o, "cache_write": w, "cache_read": r}}

    assert judged(lambda _: "…", each=each).outcome == "pass"


def test_a_log_line_with_fields_counts_as_a_record():
    log = logging.getLogger("agent")

    def hand(seen):
        i, o, w, r = counts(seen)
        fields = {"input_tokens": i, "output_tokens": o, "cache_creation_tokens": w, "cache_read_tokens": r}
        log.info("run finished", extra={"usage": fields})
        return "…"

    assert judged(hand).outcome == "pass"


@pytest.mark.parametrize(
    "hand",
    [
        lambda seen: seen[-1],
        lambda seen: seen[-1].to_dict(),
        lambda seen: {"response": seen[-1], "turns": len(seen)},
        lambda seen: "six times",
        lambda seen: {"text": "six times", "max_tokens": 1024, "tokens": 77},
        lambda seen: {"text": "…", "budget": {"input_tokens": 100_000, "output_tokens": 8000}},
        lambda seen: {"text": "…", "last_usage": seen[-1].usage.to_dict()},
        lambda seen: [{"usage": response.usage.to_dict()} for response in seen[:2]],
    ],
)
def test_what_claims_no_total_is_not_judged(hand):
    found = judged(hand)
    assert (found.outcome, found.finding) == ("not_applicable", "usage.no_figures"), found


def last_only(seen):
    return {"text": "…", "usage": seen[-1].usage.to_dict()}


def two_counters(seen):
    return {"usage": dict(zip(("input_tokens", "output_tokens"), counts(seen), strict=False))}


def all_but_the_cache(seen):
    return {"total_tokens": sum(counts(seen)[:2])}


def cache_twice(seen):
    i, o, w, r = counts(seen)
    return {"usage": {"input_tokens": i, "output_tokens": o, "cache_write": w, "cache_read": 2 * r}}


@pytest.mark.parametrize(
    ("hand", "finding"),
    [
        (last_only, "usage.last_only"),
        (two_counters, "usage.cache_forgotten"),
        (all_but_the_cache, "usage.cache_forgotten"),
        (lambda seen: {"tokens_used": sum(counts(seen[-1:]))}, "usage.last_only"),
        (cache_twice, "usage.cache_forgotten"),
    ],
)
def test_a_wrong_claim_is_told_what_is_wrong_with_it(hand, finding):
    assert judged(hand).finding == finding


def test_one_record_at_the_end_is_a_claim():
    def each(response):
        return (
            {"done": True, "usage": response.usage.to_dict()} if response.stop_reason == "end_turn" else None
        )

    assert judged(lambda seen: "…", each=each).finding == "usage.last_only"


def test_adding_up_a_null_counter_is_told_as_such():
    def each(response):
        return {"cached": response.usage.cache_creation_input_tokens + response.usage.cache_read_input_tokens}

    found = judged(lambda seen: "…", each=each)
    assert found.finding == "usage.null"
    assert "cache_read_input_tokens" in found.facts["counters"]


def test_an_exceptions_fields_are_looked_at():
    class Refused(Exception):  # noqa: N818  # named as loops name it
        pass

    def hand(seen):
        error = Refused("the model refused")
        error.usage = seen[0].usage.to_dict()
        raise error

    assert judged(hand, Case("cached_turns", usage.RECORDED, {3: "refusal"})).finding == "usage.wrong"
