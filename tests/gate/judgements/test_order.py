"""Family e: roles and order, judged on what the API would read."""

import pytest

from simulator.gate.judgements import order
from tests.gate.judgements.small_loop import a_turn_each, by_id, filed, judged

REMARK = {"type": "text", "text": "Two steps are left."}
ALL = (
    order.results_come_first,
    order.calls_come_before_results,
    order.echoes_the_answer,
    order.never_refused,
)


def remark_behind(turns, content, results):
    filed(turns, content, [*results, REMARK])


def remark_in_a_turn_of_its_own(turns, content, results):
    filed(turns, content, results)
    turns.append({"role": "user", "content": REMARK["text"]})


def texts_joined(content):
    texts = " ".join(block["text"] for block in content if block["type"] == "text")
    return [{"type": "text", "text": texts.strip()}, *(b for b in content if b["type"] == "tool_use")]


def by_hand(content):
    kept = ("type", "id", "name", "input", "text")
    return [{key: value for key, value in block.items() if key in kept} for block in content]


@pytest.mark.parametrize(
    "habits",
    [
        {},
        {"file": remark_behind},
        {"file": remark_in_a_turn_of_its_own},
        {"file": a_turn_each},
        {"run": by_id},
        {"echo": texts_joined},
        {"echo": by_hand},
    ],
)
@pytest.mark.parametrize("judgement", ALL)
def test_what_the_api_takes_in_order_is_in_order(judgement, habits):
    assert judged(judgement, "todo_list", **habits).outcome == "pass"


def remark_first(turns, content, results):
    filed(turns, content, [REMARK, *results])


def remark_between_the_turns(turns, content, results):
    turns.append({"role": "assistant", "content": content})
    turns.append({"role": "user", "content": REMARK["text"]})
    turns.append({"role": "user", "content": results})


def remark_between_results(turns, content, results):
    filed(turns, content, [results[0], REMARK, *results[1:]])


@pytest.mark.parametrize("file", [remark_first, remark_between_the_turns, remark_between_results])
def test_a_remark_before_a_result_is_found_and_shown(file):
    verdict = judged(order.results_come_first, "todo_list", file=file)
    assert (verdict.finding, verdict.facts["text"]) == ("order.text_first", REMARK["text"])


def in_the_models_role(turns, content, results):
    turns.append({"role": "assistant", "content": [*content, *results]})


def results_first(turns, content, results):
    turns.append({"role": "user", "content": results})
    turns.append({"role": "assistant", "content": content})


def at_the_front(turns, content, results):
    turns.insert(0, {"role": "user", "content": results})
    turns.append({"role": "assistant", "content": content})


def nameless_in_the_models_role(turns, content, results):
    turns.append({"role": "assistant", "content": content})
    turns.append({"role": "assistant", "content": [{**each, "tool_use_id": ""} for each in results]})


@pytest.mark.parametrize(
    ("judgement", "file", "finding"),
    [
        (order.results_come_first, in_the_models_role, "order.wrong_role"),
        (order.results_come_first, nameless_in_the_models_role, "order.wrong_role"),
        (order.calls_come_before_results, results_first, "order.result_first"),
        (order.calls_come_before_results, at_the_front, "order.result_first"),
    ],
)
def test_a_wrong_role_and_a_wrong_order_are_two_findings(judgement, file, finding):
    assert judged(judgement, "list_then_read", file=file).finding == finding
    others = [each for each in ALL if each is not judgement]
    assert "fail" not in [judged(each, "list_then_read", file=file).outcome for each in others]


def calls_only(content):
    return [block for block in content if block["type"] == "tool_use"]


def calls_first(content):
    return sorted(content, key=lambda block: block["type"] == "text")


def trimmed(content):
    return [{**b, "text": b["text"][:10]} if b["type"] == "text" else b for b in content]


def inputs_tidied(content):
    return [{**b, "input": {"path": "./"}} if b["type"] == "tool_use" else b for b in content]


@pytest.mark.parametrize(
    ("echo", "finding"),
    [
        (calls_only, "order.dropped"),
        (calls_first, "order.rearranged"),
        (trimmed, "order.rewritten"),
        (inputs_tidied, "order.rewritten"),
    ],
)
def test_a_turn_that_does_not_go_back_as_it_came_is_found(echo, finding):
    verdict = judged(order.echoes_the_answer, "list_then_read", echo=echo)
    assert verdict.finding == finding
    assert verdict.facts["came"] != verdict.facts["sent"] or echo is trimmed


def with_a_key_too_many(turns, content, results):
    filed(turns, content, results)
    turns[-2]["stop_reason"] = "tool_use"


def filed_twice(turns, content, results):
    turns.append({"role": "assistant", "content": content})
    filed(turns, content, results)


@pytest.mark.parametrize("file", [with_a_key_too_many, filed_twice])
def test_what_the_api_refuses_is_told_in_its_own_words(file):
    verdict = judged(order.never_refused, "list_then_read", file=file)
    assert (verdict.finding, verdict.turn, verdict.facts["status"]) == ("order.refused", 2, 400)
    assert verdict.facts["message"]


def test_a_refusal_that_belongs_to_another_family_is_left_to_it():
    def unnamed(turns, content, results):
        filed(turns, content, [{**each, "tool_use_id": "toolu_0"} for each in results])

    assert judged(order.never_refused, "list_then_read", file=unnamed).outcome == "unknown"
