import json
import threading

import pytest

from simulator.recording.replay import OffScript, Replay, RunawayLoop, SimulatorStop
from tests.recording.made import (
    ANSWERED,
    ASKED,
    DONE,
    TASK,
    TOOLS,
    call,
    exchange,
    failed,
    list_dir,
    raw,
    recording,
    request,
    result,
    said,
    told,
)


class Notes:
    """A listener that writes everything down."""

    def __init__(self):
        self.seen = []

    def request(self, body, digest):
        self.seen.append(("request", len(body["messages"]), digest[:4]))

    def answered(self, answer):
        self.seen.append(("answered", answer.by, answer.exchange))

    def stopped(self, stop):
        self.seen.append(("stopped", stop.reason))

    def ignored(self, stop):
        self.seen.append(("ignored", stop.reason))


# --- the exact recording ------------------------------------------------------------------------------


def test_a_recorded_request_gets_its_recorded_answer_any_number_of_times():
    replay = Replay(list_dir())
    answers = [replay.answer(raw(request(TASK))) for _ in range(3)]
    assert [(each.by, each.exchange, each.status) for each in answers] == [("recording", 0, 200)] * 3
    assert {each.body for each in answers} == {list_dir().exchanges[0].raw}


def test_the_second_turn_is_answered_by_the_second_exchange():
    replay = Replay(list_dir())
    answer = replay.answer(raw(request(TASK, ASKED, ANSWERED)))
    assert answer.exchange == 1
    assert answer.message["stop_reason"] == "end_turn"


def test_what_the_sdk_adds_on_the_way_does_not_change_the_conversation():
    asked = said({"type": "text", "text": "I will look.", "citations": None}, {**call("toolu_1", path=".")})
    asked["content"][1]["caller"] = {"type": "direct"}
    answered = told(result("toolu_1", "package.json\nREADME.md", is_error=False))
    answer = Replay(list_dir()).answer(raw(request(TASK, asked, answered)))
    assert answer.exchange == 1


def test_a_recorded_error_replays_as_recorded():
    replay = Replay(recording(failed(0, request(TASK), 401, "authentication_error", "invalid x-api-key")))
    answer = replay.answer(raw(request(TASK)))
    assert answer.status == 401
    assert answer.fault == {"type": "authentication_error", "message": "invalid x-api-key"}
    assert answer.headers["x-should-retry"] == "false"
    assert answer.by == "recording"


def test_exchanges_of_one_request_answer_in_recorded_order_and_the_last_repeats():
    replay = Replay(
        recording(
            failed(0, request(TASK), 429, "rate_limit_error", "Slow down.", retry_after="2"),
            failed(1, request(TASK), 429, "rate_limit_error", "Slow down.", retry_after="1"),
            exchange(2, request(TASK), DONE),
        )
    )
    answers = [replay.answer(raw(request(TASK))) for _ in range(4)]
    assert [each.status for each in answers] == [429, 429, 200, 200]
    assert [each.headers.get("retry-after") for each in answers] == ["2", "1", None, None]
    assert answers[0].headers["x-should-retry"] == "true"


TRUNCATED = (
    exchange(0, request(TASK, max_tokens=100), said("There are tw"), stop="max_tokens", tokens=100),
    exchange(1, request(TASK, max_tokens=4000), DONE, tokens=300),
)


@pytest.mark.parametrize(
    ("asked", "answered"), [(100, 0), (4000, 1), (500, 1), (300, 1), (299, 0), (20, 0), (9000, 1)]
)
def test_a_larger_max_tokens_gets_the_whole_answer_and_a_smaller_one_the_cut_one(asked, answered):
    replay = Replay(recording(*TRUNCATED))
    for _ in range(2):
        assert replay.answer(raw(request(TASK, max_tokens=asked))).exchange == answered


@pytest.mark.parametrize(("asked", "answered"), [(10, 0), (150, 0), (250, 1), (400, 2), (9000, 2)])
def test_of_several_cut_answers_the_one_with_the_nearest_smaller_limit_answers(asked, answered):
    made = recording(
        *(
            exchange(
                n, request(TASK, max_tokens=limit), said("There are tw"), stop="max_tokens", tokens=limit
            )
            for n, limit in enumerate((100, 200, 400))
        )
    )
    assert Replay(made).answer(raw(request(TASK, max_tokens=asked))).exchange == answered


def test_of_several_recordings_the_one_with_the_same_parameters_answers():
    choice = {"type": "tool", "name": "list_dir"}
    replay = Replay(
        recording(
            exchange(0, request(TASK), DONE),
            exchange(1, request(TASK, tool_choice=choice), ASKED),
            exchange(2, request(TASK, model="claude-opus-5-5"), DONE),
        )
    )
    assert replay.answer(raw(request(TASK, tool_choice=choice))).exchange == 1
    assert replay.answer(raw(request(TASK, model="claude-opus-5-5", max_tokens=77))).exchange == 2
    assert replay.answer(raw(request(TASK))).exchange == 0


def test_a_request_of_its_own_parameters_is_still_answered_by_the_only_recording():
    answer = Replay(list_dir()).answer(raw(request(TASK, max_tokens=7, temperature=0.5)))
    assert answer.exchange == 0


# --- the API's rules ----------------------------------------------------------------------------------


def test_a_request_the_api_refuses_gets_the_real_error():
    answer = Replay(list_dir()).answer(raw(request(TASK, ASKED)))
    body = json.loads(answer.body)
    assert (answer.status, answer.by, answer.exchange) == (400, "rule", None)
    assert body["error"]["type"] == "invalid_request_error"
    assert body["error"]["message"] == answer.error.message
    assert body["request_id"] == answer.headers["request-id"]
    assert answer.headers["x-should-retry"] == "false"
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("sent", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"messages":7}'])
def test_a_body_that_is_no_request_gets_an_error_of_the_api_and_not_a_crash(sent):
    answer = Replay(list_dir()).answer(sent)
    assert (answer.status, answer.by) == (400, "rule")


# --- branches by condition ----------------------------------------------------------------------------

NUDGED = told("Are you done?")
NUDGE = {"name": "nudged", "title": "A nudge", "exchanges": [2], "when": {"after": 1}}


def test_a_branch_answers_a_request_in_words_nobody_recorded_and_says_by_which_condition():
    extra = exchange(2, request(TASK, ASKED, ANSWERED, DONE, NUDGED), said("Yes."))
    replay = Replay(list_dir(extra, branches=[NUDGE]))
    answer = replay.answer(raw(request(TASK, ASKED, ANSWERED, DONE, told("Ready?"))))
    assert (answer.by, answer.branch, answer.exchange, answer.when) == ("branch", "nudged", 2, {"after": 1})
    assert answer.body == extra.raw


def test_an_exact_recording_wins_over_a_condition():
    extra = exchange(2, request(TASK, ASKED, ANSWERED, DONE, NUDGED), said("Yes."))
    always = {"name": "always", "exchanges": [0], "when": {"tools_offered": True}}
    answer = Replay(list_dir(extra, branches=[always])).answer(raw(extra.request))
    assert (answer.by, answer.exchange) == ("recording", 2)


def test_a_rule_wins_over_a_condition():
    always = {"name": "always", "exchanges": [0], "when": {"tools_offered": True}}
    answer = Replay(list_dir(branches=[always])).answer(raw(request(TASK, ASKED)))
    assert answer.by == "rule"


def test_the_first_branch_whose_condition_holds_answers():
    branches = [
        {"name": "bare", "exchanges": [0], "when": {"tools_offered": False}},
        {"name": "first", "exchanges": [1], "when": {"after": -1}},
        {"name": "second", "exchanges": [0], "when": {"after": -1}},
    ]
    answer = Replay(list_dir(branches=branches)).answer(raw(request(told("Hello?"))))
    assert (answer.branch, answer.exchange) == ("first", 1)


def test_a_condition_can_count_how_often_a_conversation_was_sent():
    branches = [
        {"name": "enough", "exchanges": [1], "when": {"after": -1, "repeats": 2}},
        {"name": "first", "exchanges": [0], "when": {"after": -1}},
    ]
    replay = Replay(list_dir(branches=branches))
    given = [replay.answer(raw(request(told("Hello?")))).branch for _ in range(4)]
    assert given == ["first", "first", "enough", "enough"]


# --- off script ---------------------------------------------------------------------------------------


def test_off_script_names_the_nearest_request_the_path_and_both_values():
    replay = Replay(list_dir())
    answered = told(result("toolu_1", "package.json"))
    with pytest.raises(OffScript) as caught:
        replay.answer(raw(request(TASK, ASKED, answered)))
    stop = caught.value
    assert (stop.turn, stop.nearest, stop.path) == (1, 1, "messages.2.content.0.content.0.text")
    assert (stop.expected, stop.actual) == ("package.json\nREADME.md", "package.json")
    for part in ("exchange #1 in the cassette", stop.path, r'"package.json\nREADME.md"', '"package.json"'):
        assert part in str(stop)


def test_off_script_tells_a_system_prompt_and_tools_from_messages():
    with pytest.raises(OffScript) as caught:
        Replay(list_dir()).answer(raw(request(TASK, tools=TOOLS[:1])))
    assert caught.value.path == "tools.1"
    assert "(nothing)" in str(caught.value)


@pytest.mark.parametrize("own", ["You are careful.", "", [{"type": "text", "text": "You are careful."}]])
def test_a_loop_may_have_a_system_prompt_of_its_own_where_none_was_recorded(own):
    notes = Notes()
    Replay(list_dir(), listener=notes).answer(raw(request(TASK, system=own)))
    assert notes.seen[-1] == ("answered", "recording", 0)


def test_a_recorded_system_prompt_is_part_of_the_conversation():
    made = recording(exchange(0, request(TASK, system="Be brief."), DONE))
    for body in (request(TASK), request(TASK, system="Be long.")):
        with pytest.raises(OffScript):
            Replay(made).answer(raw(body))


FINISH = {"name": "finish", "description": "Say that you are done.", "input_schema": {"type": "object"}}


def test_a_loop_may_offer_tools_of_its_own_besides_the_recorded_ones():
    notes = Notes()
    made = list_dir()
    offered = made.exchanges[0].request.get("tools") or []
    Replay(made, listener=notes).answer(raw(request(TASK, tools=[*offered, FINISH])))
    assert notes.seen[-1] == ("answered", "recording", 0)


def test_tools_that_were_recorded_and_are_not_offered_are_part_of_the_conversation():
    made = recording(exchange(0, request(TASK, tools=[{**FINISH, "name": "list_dir"}]), DONE))
    with pytest.raises(OffScript):
        Replay(made).answer(raw(request(TASK, tools=[FINISH])))


def test_off_script_says_how_places_are_counted_where_the_request_counts_otherwise():
    with pytest.raises(OffScript, match="neighbours of one role are one turn"):
        Replay(list_dir()).answer(raw(request(TASK, told("And then?"))))


def test_off_script_shows_a_long_text_where_it_begins_to_differ():
    long = "all the same " * 30
    made = recording(exchange(0, request(told(long + "until here")), DONE))
    with pytest.raises(OffScript) as caught:
        Replay(made).answer(raw(request(told(long + "until there"))))
    assert "until here" in str(caught.value)
    assert "until there" in str(caught.value)
    assert len(str(caught.value)) < 700


def test_off_script_shows_hidden_characters_as_tokens():
    with pytest.raises(OffScript, match="⟨U\\+202E⟩"):
        Replay(list_dir()).answer(raw(request(told("a‮b"))))


# --- the cap, and staying stopped ---------------------------------------------------------------------


def test_the_cap_ends_a_loop_that_forgets_to_append_and_names_the_repeated_request():
    replay = Replay(list_dir(), max_requests=5)
    for _ in range(5):
        replay.answer(raw(request(TASK)))
    with pytest.raises(RunawayLoop) as caught:
        replay.answer(raw(request(TASK)))
    stop = caught.value
    assert (stop.requests, stop.cap, stop.repeated_turn, stop.times) == (6, 5, 1, 6)
    assert "request 1 was sent 6 times" in str(stop)


def test_the_cap_says_so_when_no_request_was_sent_twice():
    replay = Replay(list_dir(), max_requests=1)
    replay.answer(raw(request(TASK)))
    with pytest.raises(RunawayLoop, match="No two of these requests") as caught:
        replay.answer(raw(request(TASK, ASKED, ANSWERED)))
    assert caught.value.repeated_turn is None


def test_the_default_cap_is_fifty():
    replay = Replay(list_dir())
    for _ in range(50):
        replay.answer(raw(request(TASK)))
    with pytest.raises(RunawayLoop, match="stopped at request 51"):
        replay.answer(raw(request(TASK)))


def test_a_loop_that_swallows_everything_gets_the_same_stop_again():
    notes = Notes()
    replay = Replay(list_dir(), listener=notes)
    stops = []
    for body in (request(told("Hello?")), request(TASK), request(TASK)):
        with pytest.raises(SimulatorStop) as caught:
            replay.answer(raw(body))
        stops.append(caught.value)
    assert stops == [replay.stopped] * 3
    assert replay.requests == 1
    assert [what for what, *_ in notes.seen] == ["request", "stopped", "ignored", "ignored"]


def test_no_except_exception_catches_a_stop():
    assert not issubclass(SimulatorStop, Exception)


@pytest.mark.parametrize(("lang", "words"), [("en", "Off script"), ("es", "Fuera de guion")])
def test_a_stop_speaks_the_language_of_the_run(monkeypatch, lang, words):
    monkeypatch.setenv("SIMULATOR_LANG", lang)
    with pytest.raises(OffScript, match=words):
        Replay(list_dir()).answer(raw(request(told("Hello?"))))


# --- listeners and threads ----------------------------------------------------------------------------


def test_a_listener_is_told_each_request_and_its_answer_in_order():
    notes = Notes()
    replay = Replay(list_dir(), listener=notes)
    replay.answer(raw(request(TASK)))
    replay.answer(raw(request(TASK, ASKED, ANSWERED)))
    assert [(what, rest[0]) for what, *rest in notes.seen] == [
        ("request", 1),
        ("answered", "recording"),
        ("request", 3),
        ("answered", "recording"),
    ]


def test_requests_that_overlap_are_served_one_after_another():
    class Slow(Notes):
        def request(self, body, digest):
            super().request(body, digest)
            threading.Event().wait(0.002)

    notes = Slow()
    replay = Replay(list_dir(), listener=notes)
    threads = [threading.Thread(target=replay.answer, args=(raw(request(TASK)),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [what for what, *_ in notes.seen] == ["request", "answered"] * 8
    assert replay.requests == 8
