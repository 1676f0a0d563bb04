"""Each wrong loop meets, in a shipped scenario, the consequence that was written for it."""

import json
import re

import pytest

from simulator.recording.replay import RunawayLoop
from simulator.recording.scenario import scenario
from simulator.wire.message import digest, text_of
from tests.recording.loops import ask, at_end_turn, never, only_results, play, said

# --- list_then_read, count_python_files ------------------------------------------------------------------


def test_a_loop_that_forgets_to_append_asks_the_same_for_ever():
    session = scenario("count_python_files").start(max_requests=7)
    answers = {ask(session, session.messages).id for _ in range(7)}
    with pytest.raises(RunawayLoop) as stopped:
        ask(session, session.messages)
    assert len(answers) == 1
    assert stopped.value.repeated_turn == 1


def test_a_loop_that_appends_the_call_but_no_result_is_refused_by_the_api():
    session = scenario("count_python_files").start()
    with pytest.raises(Exception, match="400") as refused:
        play(session, results=lambda given: [])
    assert refused.type.__name__ == "BadRequestError"


@pytest.mark.parametrize("name", ["count_python_files", "list_then_read"])
@pytest.mark.parametrize("keep_text", [True, False])
def test_results_as_plain_text_make_the_model_ask_for_the_tool_again(name, keep_text):
    session = scenario(name).start(seed=5)
    messages = session.messages
    for _ in range(3):
        response = ask(session, messages)
        (call,) = (block for block in response.content if block.type == "tool_use")
        if keep_text:
            messages.append({"role": "assistant", "content": said(response)})
        messages.append({"role": "user", "content": str(session.handlers[call.name](**call.input))})
    assert response.stop_reason == "tool_use"
    assert session.replay.requests == 3


# --- not_done_yet ----------------------------------------------------------------------------------------


def test_words_of_ending_stand_only_where_the_model_is_not_at_the_end():
    words = re.compile(r"\b(done|complete|finished)\b", re.IGNORECASE)
    responses = play(scenario("not_done_yet").start())
    assert [bool(words.search(said(each))) for each in responses] == [False, True, True, False]
    assert [each.stop_reason for each in responses] == ["tool_use"] * 3 + ["end_turn"]


def test_a_loop_that_waits_for_the_word_done_stops_too_early():
    responses = play(scenario("not_done_yet").start(), stop=lambda each: "done" in said(each).lower())
    assert (len(responses), responses[-1].stop_reason) == (2, "tool_use")


def test_a_loop_that_never_stops_is_refused_when_it_resends_and_told_so_when_it_asks_on():
    session = scenario("not_done_yet").start()
    with pytest.raises(Exception, match="must end with a user message"):
        play(
            session,
            stop=never,
            results=only_results,
        )
    nudge = [{"role": "user", "content": "keep going"}]
    session = scenario("not_done_yet").start()
    responses = play(
        session,
        stop=never,
        results=lambda given: [{"role": "user", "content": given}] if given else nudge,
        limit=8,
    )
    assert [each.stop_reason for each in responses[3:]] == ["end_turn"] * 5
    assert "done" not in said(responses[-1]).lower()


# --- parallel_reads --------------------------------------------------------------------------------------


def test_a_loop_that_answers_only_the_first_of_three_calls_is_refused():
    with pytest.raises(Exception, match="without `tool_result` blocks immediately after"):
        play(
            scenario("parallel_reads").start(),
            results=lambda given: [{"role": "user", "content": given[:1]}],
        )


def test_results_in_turns_of_their_own_are_one_turn_to_the_api():
    session = scenario("parallel_reads").start()
    responses = play(session, results=lambda given: [{"role": "user", "content": [each]} for each in given])
    assert responses[-1].id == scenario("parallel_reads").recording.exchanges[1].message["id"]


@pytest.mark.parametrize(
    ("change", "believed"),
    [
        (lambda given: given[::-1], "does not exist"),
        (
            lambda given: [{**each, "content": json.dumps(each["content"])} for each in given],
            "does not exist",
        ),
        (lambda given: [*given[:2], {**given[2], "content": "", "is_error": False}], "exists but is empty"),
        (lambda given: [*given[:2], {**given[2], "is_error": False}], "does not exist"),
        (lambda given: [*given[:2], {**given[2], "content": "Error", "is_error": False}], "may be missing"),
        (lambda given: under(given, (2, 1, 0)), "something is odd"),
        (lambda given: under(given, (1, 0, 2)), "somebody mixed them up"),
    ],
)
@pytest.mark.parametrize("seed", [None, 4])
def test_what_the_model_believes_about_the_failed_read_follows_from_its_result(change, believed, seed):
    session = scenario("parallel_reads").start(seed=seed)
    responses = play(session, results=lambda given: [{"role": "user", "content": change(given)}])
    assert believed in said(responses[-1])


def under(given, order):
    """Return the results in their places, but each under the id that *order* names."""
    return [
        {**given[there], "tool_use_id": here["tool_use_id"]} for here, there in zip(given, order, strict=True)
    ]


# --- max_tokens ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_tokens", [2048, 4096, 8192])
def test_a_retry_with_more_room_gets_the_whole_report_of_which_the_first_answer_is_the_beginning(max_tokens):
    session = scenario("truncated_report").start(seed=6)
    responses = play(session)
    cut = said(responses[-1])
    messages = json.loads(json.dumps(session.scenario.recording.exchanges[1].request["messages"]))
    whole = ask(session, messages, max_tokens)
    assert (responses[-1].stop_reason, whole.stop_reason) == ("max_tokens", "end_turn")
    assert said(whole).startswith(cut)
    assert len(said(whole)) > len(cut)


def test_a_report_that_is_continued_is_the_whole_report():
    session = scenario("truncated_report").start()
    responses = play(
        session,
        stop=at_end_turn,
        results=lambda given: [{"role": "user", "content": given or "Please go on where you stopped."}],
    )
    whole = text_of(scenario("truncated_report").recording.exchanges[2].message["content"])
    assert said(responses[1]) + said(responses[2]) == whole


def test_a_cut_report_that_is_sent_back_as_it_is_is_refused():
    with pytest.raises(Exception, match="must end with a user message"):
        play(
            scenario("truncated_report").start(),
            stop=never,
            results=only_results,
        )


def test_a_cut_call_that_is_run_makes_the_model_believe_in_a_whole_file():
    session = scenario("truncated_call").start(seed=7)
    responses = play(session, stop=at_end_turn)
    assert responses[1].stop_reason == "max_tokens"
    whole = session.scenario.recording.exchanges[2].message["content"][-1]["input"]["content"]
    half = responses[1].content[-1].input["content"]
    assert whole.startswith(half)
    assert len(whole) > len(half)
    assert "a full guide" in said(responses[-1])


def test_a_cut_call_that_is_answered_as_an_error_is_made_again_and_fits():
    session = scenario("truncated_call").start()

    def honest(given):
        last = session.replay.requests == 2
        told = {"content": "Not run: the call was cut off.", "is_error": True}
        return [{"role": "user", "content": [{**each, **told} if last else each for each in given]}]

    responses = play(session, stop=at_end_turn, results=honest)
    assert [each.stop_reason for each in responses] == ["tool_use", "max_tokens", "tool_use", "end_turn"]


def test_a_cut_call_without_a_result_is_refused_by_the_api():
    session = scenario("truncated_call").start()

    def forgetful(given):
        return [{"role": "user", "content": given if session.replay.requests == 1 else "go on"}]

    with pytest.raises(Exception, match="without `tool_result` blocks immediately after"):
        play(session, stop=at_end_turn, results=forgetful)


def test_a_retry_with_more_room_gets_the_whole_call_and_then_its_end():
    session = scenario("truncated_call").start()
    session.max_tokens = 4096
    responses = play(session)
    assert [each.stop_reason for each in responses] == ["tool_use", "tool_use", "end_turn"]


@pytest.mark.parametrize("max_tokens", [1024, 2048, 4096, 8192, 16000])
def test_one_scenario_is_cut_off_whatever_room_it_is_given(max_tokens):
    session = scenario("truncated_again").start()
    assert ask(session, session.messages, max_tokens).stop_reason == "max_tokens"


def test_it_is_cut_off_however_often_it_is_told_to_go_on():
    session = scenario("truncated_again").start()
    responses = play(
        session,
        stop=never,
        results=lambda given: [{"role": "user", "content": "go on"}],
        limit=6,
    )
    assert {each.stop_reason for each in responses} == {"max_tokens"}
    assert len({digest(exchange.request) for exchange in session.scenario.recording.exchanges}) == 3
