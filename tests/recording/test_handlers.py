import pytest

from simulator.recording.handlers import ToolFailed
from simulator.recording.replay import RecordingEnds
from simulator.recording.scenario import Scenario
from tests.recording.made import (
    ANSWERED,
    ASKED,
    DONE,
    TASK,
    call,
    exchange,
    list_dir,
    plain_loop,
    recording,
    request,
    result,
    said,
    told,
)


def handlers(made):
    return Scenario.of(made).start().handlers


def test_a_handler_returns_the_recorded_result_of_the_same_call():
    assert handlers(list_dir())["list_dir"](path=".") == "package.json\nREADME.md"


def test_a_list_of_blocks_stays_a_list_and_is_a_new_one_each_time():
    blocks = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    made = recording(exchange(0, request(TASK, ASKED, told(result("toolu_1", blocks))), DONE))
    handler = handlers(made)["list_dir"]
    handler(path=".").append("mine")
    assert handler(path=".") == blocks


def test_a_result_without_content_is_an_empty_text():
    nothing = {"type": "tool_result", "tool_use_id": "toolu_1"}
    made = recording(exchange(0, request(TASK, ASKED, told(nothing)), DONE))
    assert handlers(made)["list_dir"](path=".") == ""


@pytest.mark.parametrize("content", ["No such folder", [{"type": "text", "text": "No such folder"}]])
def test_a_recorded_failure_is_raised_as_the_tools_failure(content):
    failed = told(result("toolu_1", content, is_error=True))
    made = recording(exchange(0, request(TASK, ASKED, failed), DONE))
    with pytest.raises(ToolFailed, match=r"^No such folder$"):
        handlers(made)["list_dir"](path=".")


def test_a_poll_gets_its_results_in_recorded_order_and_the_last_one_again():
    turns = [TASK]
    for number, state in enumerate(("waiting", "waiting", "ready")):
        turns += [said(call(f"toolu_{number}", job=7)), told(result(f"toolu_{number}", state))]
    handler = handlers(recording(exchange(0, request(*turns), DONE)))["list_dir"]
    assert [handler(job=7) for _ in range(5)] == ["waiting", "waiting", "ready", "ready", "ready"]


def test_each_run_counts_its_own_calls():
    turns = [TASK]
    for number, state in enumerate(("waiting", "ready")):
        turns += [said(call(f"toolu_{number}", job=7)), told(result(f"toolu_{number}", state))]
    made = Scenario.of(recording(exchange(0, request(*turns), DONE)))
    assert [made.start().handlers["list_dir"](job=7) for _ in range(2)] == ["waiting", "waiting"]


def test_a_call_is_told_from_another_by_its_input_and_its_types():
    turns = [TASK]
    for number, given in enumerate((1, 1.0, True, "1")):
        turns += [said(call(f"toolu_{number}", n=given)), told(result(f"toolu_{number}", repr(given)))]
    handler = handlers(recording(exchange(0, request(*turns), DONE)))["list_dir"]
    assert [handler(n=given) for given in (True, 1, "1", 1.0)] == ["True", "1", "'1'", "1.0"]


def test_the_main_line_wins_where_a_branch_answers_the_same_call_differently():
    failed = told(result("toolu_1", "No such folder", is_error=True))
    branch = {"name": "fails", "exchanges": [1]}
    made = recording(
        exchange(0, request(TASK), ASKED),
        exchange(1, request(TASK, ASKED, failed), DONE),
        exchange(2, request(TASK, ASKED, ANSWERED), DONE),
        main=[0, 2],
        branches=[branch],
    )
    handler = handlers(made)["list_dir"]
    assert [handler(path=".") for _ in range(2)] == ["package.json\nREADME.md"] * 2


def test_the_story_can_add_results_for_calls_that_no_request_answers():
    extra = {"name": "list_dir", "input": {"path": "src"}, "results": ["No such folder"], "is_error": True}
    found = handlers(list_dir(handlers=[extra]))
    with pytest.raises(ToolFailed, match="No such folder"):
        found["list_dir"](path="src")


def test_a_call_nobody_recorded_ends_the_run_by_name_and_says_what_there_is():
    session = Scenario.of(list_dir()).start()
    with pytest.raises(RecordingEnds) as caught:
        session.handlers["list_dir"](path="/etc")
    assert (caught.value.name, caught.value.input) == ("list_dir", {"path": "/etc"})
    assert '{"path":"/etc"}' in str(caught.value)
    assert '{"path":"."}' in str(caught.value)
    assert session.replay.stopped is caught.value


def test_a_tool_that_was_offered_and_never_used_has_a_handler_that_says_so():
    with pytest.raises(RecordingEnds, match="no result of read_file was recorded"):
        handlers(list_dir())["read_file"](path="a.py")


def test_a_call_whose_result_nobody_recorded_ends_a_plain_loop():
    session = Scenario.of(recording(exchange(0, request(TASK), ASKED))).start()
    with pytest.raises(RecordingEnds):
        plain_loop(session)


def test_after_a_swallowed_ending_the_next_request_is_stopped_too():
    session = Scenario.of(list_dir()).start()
    with pytest.raises(RecordingEnds):
        session.handlers["list_dir"](path="/etc")
    with pytest.raises(RecordingEnds):
        session.client.messages.create(**request(TASK))


def test_a_tool_of_the_server_has_no_handler():
    made = recording(
        exchange(0, request(TASK, tools=[{"type": "web_search_20250305", "name": "web_search"}]), DONE)
    )
    assert handlers(made) == {}
