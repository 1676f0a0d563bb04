"""Family n: where a loop keeps its history is its own choice; what it leaves must be fit to go on from."""

import copy
from concurrent.futures import ThreadPoolExecutor

import pytest

from simulator.gate.judgements import state
from simulator.gate.perform import perform
from simulator.gate.probe import Case
from tests.gate.judgements.saying import check

MODEL = {"model": "claude-sonnet-5-5", "max_tokens": 1024}
BATCH, OPEN, HALF = Case("ctrl_c_in_a_batch"), Case("left_open"), Case("left_half_done")


class Interrupted(Exception):  # noqa: N818  # a stranger's name
    """The user pressed Ctrl-C; ``messages`` is how far it got."""

    def __init__(self, messages):
        super().__init__("interrupted by the user")
        self.messages = messages


def result(block, content, **flag):
    return {"type": "tool_result", "tool_use_id": block["id"], "content": content, **flag}


def calls_of(turn):
    content = turn["content"]
    return [b for b in content if b["type"] == "tool_use"] if isinstance(content, list) else []


def loop(step, own=copy.deepcopy, before=lambda history, handlers: None, at_end=None):
    """Return an ordinary loop: ``step(history, content, handlers)`` appends a turn and its results."""

    def run_agent_loop(client, messages, tools, handlers):
        history = own(messages)
        before(history, handlers)
        while True:
            response = client.messages.create(**MODEL, messages=history, tools=tools)
            content = [block.to_dict() for block in response.content]
            if response.stop_reason != "tool_use":
                return response
            try:
                step(history, content, handlers)
            except KeyboardInterrupt:
                if at_end is None:
                    raise
                return at_end(history, response)

    return run_agent_loop


def run(block, handlers):
    return result(block, handlers[block["name"]](**block["input"]))


def both_at_once(history, content, handlers):
    results = [run(block, handlers) for block in calls_of({"content": content})]
    history += [{"role": "assistant", "content": content}, {"role": "user", "content": results}]


def turn_first(history, content, handlers):
    """The article's order: the turn is in the history before its tools run."""
    history.append({"role": "assistant", "content": content})
    history.append(
        {"role": "user", "content": [run(block, handlers) for block in calls_of({"content": content})]}
    )


def in_threads(history, content, handlers):
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda block: run(block, handlers), calls_of({"content": content})))
    history += [{"role": "assistant", "content": content}, {"role": "user", "content": results}]


def rolled_back(history, content, handlers):
    length = len(history)
    try:
        turn_first(history, content, handlers)
    except BaseException:
        del history[length:]
        raise


def filled_in(history, content, handlers):
    """What is there is kept, the rest is answered as not run."""
    calls, results = calls_of({"content": content}), []
    history.append({"role": "assistant", "content": content})
    try:
        for block in calls:
            results.append(run(block, handlers))
    finally:
        results += [result(block, "Not run: interrupted.", is_error=True) for block in calls[len(results) :]]
        history.append({"role": "user", "content": results})


def all_filled_in(history, content, handlers):
    history.append({"role": "assistant", "content": content})
    calls = calls_of({"content": content})
    try:
        results = [run(block, handlers) for block in calls]
    except KeyboardInterrupt:
        results = [result(block, "", is_error=False) for block in calls]
        raise
    finally:
        history.append({"role": "user", "content": results})


def the_callers(messages):
    return messages


def told(history, response):
    return {"interrupted": True, "messages": history}


def raised(history, response):
    raise Interrupted(history)


@pytest.mark.parametrize(
    "right",
    [
        loop(turn_first),
        loop(in_threads),
        loop(both_at_once, the_callers),
        loop(rolled_back, the_callers),
        loop(filled_in, the_callers),
        loop(filled_in, at_end=told),
        loop(filled_in, at_end=raised),
        loop(both_at_once, at_end=told),
    ],
)
def test_after_an_interruption_any_history_that_can_be_gone_on_with_is_right(right):
    trace = perform(right, BATCH, 1)
    assert state.leaves_a_lawful_history(trace).outcome == "pass"
    assert state.says_it_was_interrupted(trace).outcome == "pass"


@pytest.mark.parametrize(
    ("wrong", "finding"),
    [
        (loop(turn_first, the_callers), "unlawful"),
        (loop(turn_first, at_end=told), "unlawful"),
        (loop(turn_first, at_end=raised), "unlawful"),
        (loop(all_filled_in, the_callers), "results_lost"),
        (loop(all_filled_in, at_end=told), "results_lost"),
    ],
)
def test_a_history_nobody_can_go_on_with_is_found_wherever_the_caller_gets_it(wrong, finding):
    verdict = state.leaves_a_lawful_history(perform(wrong, BATCH, 1))
    check(verdict, f"state.{finding}")


@pytest.mark.parametrize("end", [lambda history, response: response, lambda history, response: None])
def test_a_value_that_hides_the_interruption_is_found(end):
    verdict = state.says_it_was_interrupted(perform(loop(both_at_once, at_end=end), BATCH, 1))
    check(verdict, "state.quiet")


@pytest.mark.parametrize("case", state.PROBES[0].cases)
def test_a_loop_that_works_on_a_copy_leaves_the_list_alone(case):
    own = loop(turn_first, list) if case.scenario == "list_then_read" else loop(filled_in, list)
    assert state.leaves_history_alone(perform(own, Case("list_then_read"), 1)).outcome == "pass"


def marks(messages):
    messages[0]["content"] = [{"type": "text", "text": messages[0]["content"]}]
    return list(messages)


@pytest.mark.parametrize("own", [the_callers, marks])
def test_a_list_that_grew_and_a_message_that_was_rewritten_are_found(own):
    verdict = state.leaves_history_alone(perform(loop(turn_first, own), Case("list_then_read"), 1))
    check(verdict, "state.changed")


# --- going on ----------------------------------------------------------------------------------------------


def answers_open_calls(answer):
    """Return what answers the calls at the history's end without a result, by ``answer(block, handlers)``."""

    def before(history, handlers):
        last = history[-1] if history[-1]["role"] == "user" else None
        turn = history[-2] if last else history[-1]
        done = last["content"] if last else []
        given = {block["tool_use_id"] for block in done}
        new = [answer(block, handlers) for block in calls_of(turn) if block["id"] not in given]
        if last is None:
            history.append({"role": "user", "content": new})
        else:
            last["content"] = [*done, *new]

    return before


def not_run(block, handlers):
    return result(block, "This call was interrupted; whether it ran is not known.", is_error=True)


def told_in_words(block, handlers):
    return result(block, "(no result: the run was interrupted before the tool answered)")


def drops_the_turn(history, handlers):
    while history[-1]["role"] != "user" or history[-1]["content"].__class__ is list:
        history.pop()


@pytest.mark.parametrize("answer", [run, not_run, told_in_words])
def test_an_open_call_may_be_run_now_or_answered_as_not_run(answer):
    resuming = loop(both_at_once, before=answers_open_calls(answer))
    assert state.resumes_lawfully(perform(resuming, OPEN, 1)).outcome == "pass"
    assert state.keeps_what_was_done(perform(resuming, HALF, 1)).outcome == "pass"


def test_an_open_call_may_be_dropped_where_nothing_was_done():
    dropping = loop(both_at_once, before=drops_the_turn)
    assert state.resumes_lawfully(perform(dropping, OPEN, 1)).outcome == "pass"
    assert state.keeps_what_was_done(perform(dropping, HALF, 1)).finding == "state.forgotten"


def anew(answer):
    """Answer every call of the last turn, whatever is there."""

    def before(history, handlers):
        if history[-1]["role"] == "user":
            history.pop()
        answers = [answer(block, handlers) for block in calls_of(history[-1])]
        history.append({"role": "user", "content": answers})

    return before


@pytest.mark.parametrize(
    ("before", "case", "finding"),
    [
        (lambda history, handlers: None, OPEN, "sent_open"),
        (answers_open_calls(lambda block, handlers: result(block, "ok")), OPEN, "made_up"),
        (answers_open_calls(lambda block, handlers: result(block, "")), HALF, "made_up"),
        (anew(run), HALF, "done_again"),
        (anew(not_run), HALF, "replaced"),
    ],
)
def test_each_way_to_go_on_wrongly_has_its_finding(before, case, finding):
    judgement = state.keeps_what_was_done if case is HALF else state.resumes_lawfully
    verdict = judgement(perform(loop(both_at_once, before=before), case, 1))
    check(verdict, f"state.{finding}")
