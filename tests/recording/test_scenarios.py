"""The shipped scenarios: each plays to its end, and each wrong loop meets the consequence written for it."""

import copy
import itertools
import json
import re
from functools import lru_cache

import pytest

from simulator import paths
from simulator.recording import cassette
from simulator.recording.record import screenplays
from simulator.recording.replay import Replay, RunawayLoop
from simulator.recording.scenario import ToolFailed, scenario, scenarios
from simulator.recording.screenplay import load
from simulator.recording.takes import takes
from simulator.wire.message import digest, of_type, text_of
from simulator.wire.rules import check_request

NAMES = sorted(screenplays())
SEEDS = (None, 1, 2, 3, 17)
LARGEST = 60_000
"""Bytes: a cassette of ours can be read by a person."""


def play(session, *, stop=lambda response: response.stop_reason != "tool_use", results=None, limit=12):
    """Run an ordinary loop on *session* that stops and gives results in its own way; return all responses."""
    messages, responses = session.messages, []
    for _ in range(limit):
        response = ask(session, messages, session.max_tokens)
        responses.append(response)
        messages.append({"role": "assistant", "content": response.content})
        if stop(response):
            break
        answers = [answer(session, block) for block in response.content if block.type == "tool_use"]
        messages += (results or (lambda given: [{"role": "user", "content": given}]))(answers)
    return responses


def ask(session, messages, max_tokens=1024):
    return session.client.messages.create(
        model=session.model, max_tokens=max_tokens, messages=messages, tools=session.tools
    )


def answer(session, block):
    """Return the tool_result of one call, a failure as is_error."""
    result = {"type": "tool_result", "tool_use_id": block.id}
    try:
        return {**result, "content": session.handlers[block.name](**block.input)}
    except ToolFailed as failure:
        return {**result, "content": str(failure), "is_error": True}


def said(response):
    return "".join(block.text for block in response.content if block.type == "text")


def at_end_turn(response):
    return response.stop_reason == "end_turn"


def never(_):
    return False


def only_results(given):
    """Return the user turn of the results *given*; none where there were no calls."""
    return [{"role": "user", "content": given}] if given else []


@lru_cache
def made(name):
    return takes(load(screenplays()[name]))


def main_of(chosen):
    return chosen.recording.metadata["scenario"]["main"]


def reworded(body):
    """Return *body* with its last turn in slightly other words: lawful, and recorded by nobody."""
    body = copy.deepcopy(body)
    turn = body["messages"][-1]
    if isinstance(turn["content"], str):
        turn["content"] += " "
    else:
        for block in turn["content"]:
            block["text" if block["type"] == "text" else "content"] += " "
    return body


def conditional():
    return [
        pytest.param(name, branch["name"], id=f"{name}-{branch['name']}")
        for name in NAMES
        for branch in made(name).branches
        if branch["when"] is not None
    ]


def test_every_screenplay_has_its_cassette_and_every_cassette_its_screenplay():
    assert list(scenarios()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_cassette_is_small_enough_to_be_read(name):
    assert (paths.cassettes() / f"{name}.yaml").stat().st_size < LARGEST


@pytest.mark.parametrize("name", NAMES)
def test_every_recorded_request_is_one_the_api_takes(name):
    for exchange in scenario(name).recording.exchanges:
        assert check_request(exchange.request) is None


@pytest.mark.parametrize("name", NAMES)
def test_a_cassette_says_that_it_is_scripted_and_in_two_languages(name):
    story = cassette.read(paths.cassettes() / f"{name}.yaml").metadata["scenario"]
    assert story["provenance"]["kind"] == "scripted"
    for told in (story, *story["branches"]):
        assert told["title"] != told["title_es"]
    assert story["story"] != story["story_es"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", NAMES)
def test_an_ordinary_loop_plays_the_main_line_to_its_end_whatever_the_seed(name, seed):
    chosen = scenario(name)
    responses = play(chosen.start(seed=seed))
    expected = [chosen.recording.exchanges[index].message["stop_reason"] for index in main_of(chosen)]
    assert [response.stop_reason for response in responses] == expected


@pytest.mark.parametrize("name", NAMES)
def test_an_exact_branch_answers_the_request_it_was_recorded_for(name):
    written = made(name)
    replay = Replay(scenario(name).recording)
    for branch in written.branches:
        given = replay.answer(json.dumps(written.examples[branch["name"]]).encode())
        assert given.exchange == branch["exchanges"][0], branch["name"]


@pytest.mark.parametrize(("name", "branch"), conditional())
def test_a_condition_is_reached_by_a_request_in_other_words(name, branch):
    body = reworded(made(name).examples[branch])
    assert check_request(body) is None
    given = Replay(scenario(name).recording).answer(json.dumps(body).encode())
    assert (given.by, given.branch) == ("branch", branch)


@pytest.mark.parametrize("name", NAMES)
def test_the_words_a_seed_exchanges_occur_and_what_replaces_them_does_not(name):
    text = (paths.cassettes() / f"{name}.yaml").read_text(encoding="utf-8").split("interactions:", 1)[1]
    words = load(screenplays()[name]).skin
    assert words
    for word, choices in words.items():
        assert choices[0] == word
        assert re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text), word
        for other in choices[1:]:
            assert not re.search(rf"(?<!\w){re.escape(other)}(?!\w)", text), other
    every = list(itertools.chain.from_iterable(words.values()))
    assert len(every) == len(set(every))


@pytest.mark.parametrize("name", NAMES)
def test_token_figures_are_whole_and_grow_with_the_conversation(name):
    chosen = scenario(name)
    figures = [
        chosen.recording.exchanges[index].message["usage"]["input_tokens"] for index in main_of(chosen)
    ]
    assert figures == sorted(set(figures))
    for exchange in chosen.recording.exchanges:
        limit, message = exchange.request["max_tokens"], exchange.message
        spent = message["usage"]["output_tokens"]
        assert spent == limit if message["stop_reason"] == "max_tokens" else 0 < spent <= limit


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


# --- todo_list -------------------------------------------------------------------------------------------


def test_the_todo_comments_stand_on_the_lines_that_the_search_names():
    requests = scenario("todo_list").recording.exchanges[5].request["messages"]
    blocks = [block for turn in requests[1:] for block in turn["content"]]
    asked = {block["id"]: block["input"] for block in of_type(blocks, "tool_use")}
    results = {
        (asked[block["tool_use_id"]].get("path") or asked[block["tool_use_id"]].get("pattern")): block[
            "content"
        ]
        for block in of_type(blocks, "tool_result")
    }
    written = next(given["content"] for given in asked.values() if "content" in given)
    for hit in results["TODO"].splitlines():
        path, line, text = hit.split(":", 2)
        assert results[path].splitlines()[int(line) - 1] == text
        assert f"`{path}:{line}`" in written


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
    assert len({digest(exchange.request) for exchange in session.scenario.recording.exchanges}) == 2
