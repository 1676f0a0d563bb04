"""Family s: nothing blank, no last word of the model's, tools on offer."""

import pytest

from simulator.gate.judgements import hygiene
from simulator.gate.perform import perform
from simulator.gate.probe import Case
from tests.gate.judgements.small_loop import MODEL, judged


def stand_in(content):
    return [{**b, "text": "(nothing)"} if b.get("text", "x").strip() == "" else b for b in content]


def calls_only(content):
    return [block for block in content if block["type"] == "tool_use"]


@pytest.mark.parametrize("habits", [{}, {"echo": stand_in}, {"echo": calls_only}])
@pytest.mark.parametrize("scenario", ["empty_words", "blank_answer"])
def test_a_blank_text_may_go_or_be_replaced(scenario, habits):
    assert judged(hygiene.sends_no_blank_text, scenario, **habits).outcome == "pass"


def a_space(content):
    return [{**b, "text": b["text"] or " "} if b["type"] == "text" else b for b in content]


@pytest.mark.parametrize(
    ("echo", "finding"),
    [
        (list, "blank_sent"),
        (a_space, "blank_sent"),
        (lambda content: [b for b in content if b.get("text") != ""], "blank_sent"),
        (lambda content: [b for b in content if b.get("text", "").strip()], "call_lost"),
    ],
)
def test_a_blank_text_sent_and_a_call_lost_with_it_are_found(echo, finding):
    assert judged(hygiene.sends_no_blank_text, "empty_words", echo=echo).finding == f"hygiene.{finding}"


def asking_again(last_words):
    """Return a loop that meets a blank answer by putting *last_words* behind the conversation, once."""

    def run_agent_loop(client, messages, tools, handlers):
        history, asked = list(messages), False
        while True:
            response = client.messages.create(**MODEL, tools=tools, messages=history)
            text = "".join(block.text for block in response.content if block.type == "text")
            if response.stop_reason != "tool_use":
                if text.strip() or asked:
                    return response
                history, asked = history + last_words(response), True
                continue
            results = [
                {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                for b in response.content
                if b.type == "tool_use"
            ]
            history += [
                {"role": "assistant", "content": response.content},
                {"role": "user", "content": results},
            ]

    return run_agent_loop


NUDGE = {"role": "user", "content": "Your last answer was empty. What did you find?"}


@pytest.mark.parametrize(
    "last_words",
    [
        lambda response: [NUDGE],
        lambda response: [{"role": "assistant", "content": "(no answer)"}, NUDGE],
        lambda response: [],
    ],
)
def test_a_blank_answer_may_be_asked_about_or_just_returned(last_words):
    trace = perform(asking_again(last_words), Case("blank_answer"), 1)
    assert hygiene.ends_with_the_user(trace).outcome == "pass"
    assert hygiene.sends_no_blank_text(trace).outcome == "pass"


def test_a_request_that_ends_with_the_model_is_found_with_the_signal_before_it():
    trace = perform(
        asking_again(lambda response: [{"role": "assistant", "content": "(no answer)"}]),
        Case("blank_answer"),
        1,
    )
    verdict = hygiene.ends_with_the_user(trace)
    assert (verdict.finding, verdict.facts["signal"]) == ("hygiene.trailing", "end_turn")
    assert hygiene.sends_no_blank_text(trace).outcome == "pass"


def test_a_blank_answer_that_goes_back_as_it_came_is_a_blank_text_and_no_more():
    echoed = asking_again(lambda response: [{"role": "assistant", "content": response.content}, NUDGE])
    trace = perform(echoed, Case("blank_answer"), 1)
    assert hygiene.sends_no_blank_text(trace).finding == "hygiene.blank_sent"
    assert hygiene.ends_with_the_user(trace).outcome == "pass"


def test_a_turn_that_the_server_paused_is_sent_back_last():
    def run_agent_loop(client, messages, tools, handlers):
        history = list(messages)
        for _ in range(6):
            response = client.messages.create(**MODEL, tools=tools, messages=history)
            if response.stop_reason != "pause_turn":
                return response
            history.append({"role": "assistant", "content": response.content})
        return None

    trace = perform(run_agent_loop, Case("search_paused_once"), 1)
    assert hygiene.ends_with_the_user(trace).outcome == "pass"


def never(number, history):
    return {}


def choice_none_at_the_third(number, history):
    return {"tool_choice": {"type": "none"}} if number == 3 else {}


def gone_at_the_third(number, history):
    return {"tools": None} if number == 3 else {}


@pytest.mark.parametrize("ask", [never, choice_none_at_the_third])
def test_tools_stay_on_offer_also_where_none_may_be_called(ask):
    assert judged(hygiene.keeps_the_tools_on_offer, "list_then_read", ask=ask).outcome == "pass"


def test_tools_that_are_gone_while_the_history_speaks_of_them_are_found():
    verdict = judged(hygiene.keeps_the_tools_on_offer, "list_then_read", ask=gone_at_the_third)
    assert (verdict.finding, verdict.turn) == ("hygiene.tools_gone", 3)
