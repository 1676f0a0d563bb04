"""However a loop ends, that is the exit of its trace, and observe does not raise."""

import asyncio
import functools
import signal
import sys
import threading
import time

import pytest

from simulator.recording.scenario import Scenario, UnknownScenario
from simulator.trace.document import Trace
from simulator.trace.observe import LoopError, observe
from tests.recording.made import ASKED, TASK, call, exchange, list_dir, recording, request, result, said, told
from tests.trace import endings, shapes
from tests.trace.made import events, kinds, marked, reading, sent_roles


def test_a_crash_is_an_exit_with_the_learners_line_and_frames():
    trace = observe(endings.crashes, reading(2))
    trace.verify()
    end = trace.exit
    assert (end.reason, end.error_type) == ("raised", "AttributeError")
    assert "contents" in end.message
    assert end.line == marked(trace, "crashes here")
    assert end.traceback == [
        {
            "line": marked(trace, "calls the helper"),
            "text": "return helper(response)  # calls the helper",
            "function": "crashes",
        },
        {"line": end.line, "text": "return response.contents  # crashes here", "function": "helper"},
    ]


def test_sys_exit_is_an_exit_with_its_value():
    trace = observe(endings.exits, reading(2))
    assert (trace.exit.reason, trace.exit.value) == ("exited", "enough")
    assert trace.exit.line == marked(trace, "exits here")


def test_an_interrupt_is_an_exit():
    assert observe(endings.is_interrupted, reading(2)).exit.reason == "interrupted"


def test_a_recursion_without_end_is_a_crash_with_its_last_frames():
    trace = observe(endings.recurses_without_end, reading(2))
    trace.verify()
    assert (trace.exit.reason, trace.exit.error_type) == ("raised", "RecursionError")
    assert len(trace.exit.traceback) == 40


def test_a_recursion_that_asks_each_time_runs_away():
    trace = observe(endings.asks_in_a_recursion_without_end, reading(2))
    trace.verify()
    assert trace.exit.reason == "runaway"


def test_a_list_that_grows_by_thousands_is_followed_in_reasonable_time():
    def loop(messages):
        for n in range(1000):
            messages.append({"role": "user", "content": str(n)})

    trace = observe(loop, reading(2), deadline=60)
    trace.verify()
    assert trace.exit.reason == "returned"
    assert kinds(trace).count("append") == 1000


def test_an_exception_that_cannot_even_be_told_is_an_exit():
    end = observe(endings.raises_something_odd, reading(2)).exit
    assert (end.reason, end.error_type, end.message) == ("raised", "Odd", "<Odd: str raised RuntimeError>")


def test_a_loop_that_forgets_to_append_runs_away_and_the_trace_says_what_it_repeats():
    trace = observe(endings.forgets_to_append, reading(3), max_requests=5)
    trace.verify()
    assert (trace.exit.reason, trace.exit.error_type) == ("runaway", "RunawayLoop")
    assert trace.exit.line == marked(trace, "asks again") or trace.exit.traceback
    repeats = [event.repeats for event in events(trace, "request")]
    assert repeats == [None, 1, 1, 1, 1, 1]
    assert set(sent_roles(trace)) == {"u"}


def test_a_stop_that_the_loop_swallows_is_still_how_it_ended():
    trace = observe(endings.swallows_everything, reading(2), max_requests=3)
    assert trace.exit.reason == "runaway"
    assert len(trace.requests) == 4


@pytest.mark.parametrize(
    "loop",
    [
        endings.swallows_everything_for_ever,
        endings.goes_on_in_a_finally,
        endings.suppresses_everything,
        endings.swallows_at_two_levels,
        endings.swallows_everything_while_it_waits,
    ],
)
def test_a_loop_that_swallows_the_stop_for_ever_is_ended_soon(loop):
    trace = observe(loop, reading(2), max_requests=3, deadline=20)
    trace.verify()
    assert (trace.exit.reason, len(trace.requests)) == ("runaway", 4)
    assert trace.exit.ignored >= 20


def test_a_loop_that_tells_of_the_stop_and_ends_is_left_in_peace():
    trace = observe(endings.cleans_up_after_the_stop, reading(2), max_requests=3)
    assert (trace.exit.reason, trace.exit.ignored) == ("runaway", 0)
    assert endings.CLEANED == ["all"]


def test_a_request_nobody_recorded_is_an_exit():
    trace = observe(endings.sends_something_new, reading(2))
    trace.verify()
    assert trace.exit.reason == "off_script"
    assert kinds(trace)[-2:] == ["request", "exit"]
    assert sent_roles(trace) == ["uu"]


def test_an_api_error_is_a_response_with_its_rule_and_no_decision():
    trace = observe(endings.breaks_a_rule, reading(2))
    trace.verify()
    (response,) = events(trace, "response")
    assert (response.status, response.by) == (400, "rule")
    assert response.error["type"] == "invalid_request_error"
    assert response.error["rule"]
    assert not events(trace, "branch")
    assert (trace.exit.reason, trace.exit.error_type) == ("raised", "BadRequestError")


def test_a_call_whose_result_nobody_recorded_is_an_exit_even_when_swallowed():
    trace = observe(endings.reads_another_file, reading(2))
    assert trace.exit.reason == "recording_ends"
    assert events(trace, "tool_call")[0].id is None
    assert not events(trace, "tool_result")


@pytest.mark.parametrize("lines", [True, False])
@pytest.mark.parametrize(
    "loop",
    [endings.never_asks, endings.waits_for_ever, endings.sleeps_in_small_steps],
)
def test_a_loop_that_never_ends_is_ended_by_the_deadline(loop, lines):
    trace = observe(loop, reading(2), deadline=0.2, lines=lines)
    assert (trace.exit.reason, trace.exit.error_type) == ("deadline", "DeadlinePassed")
    assert "within 0.2 s" in trace.exit.message


def test_a_loop_that_swallows_the_deadline_meets_it_again_and_ends_by_it_when_it_ends():
    mercy = threading.Event()
    threading.Timer(0.6, mercy.set).start()
    trace = observe(functools.partial(stubborn, mercy), reading(2), deadline=0.1)
    assert trace.exit.reason == "deadline"


def stubborn(done, messages):
    """Swallow the deadline again and again, until somebody has mercy."""
    while not done.is_set():
        try:
            len(messages)
        except BaseException:
            continue


def test_the_clock_can_be_given():
    ticks = iter(range(0, 10**9, 100))
    trace = observe(endings.never_asks, reading(2), deadline=1000, clock=lambda: float(next(ticks)))
    assert trace.exit.reason == "deadline"


def test_a_deadline_that_is_kept_leaves_nothing_behind():
    trace = observe(shapes.appends, reading(2), deadline=0.3 + 60)
    time.sleep(0.1)
    assert trace.exit.reason == "returned"
    assert not [thread for thread in threading.enumerate() if thread.name == "deadline"]


def test_threads_may_ask_one_after_another():
    trace = observe(endings.asks_from_a_thread, reading(2))
    trace.verify()
    assert trace.exit.value == 4
    assert [event.turn for event in events(trace, "request")] == [1, 2, 3, 4]
    assert kinds(trace)[:2] == ["request", "response"]


def test_what_a_loop_prints_does_not_get_into_the_trace(capsys):
    trace = observe(endings.prints_a_lot, reading(2))
    assert trace.exit.reason == "returned"
    assert capsys.readouterr().out.count("\n") == 5000


def test_a_failing_tool_is_a_result_with_its_error_and_a_second_try_answers_the_same_block():
    failed = said("I look.", call("toolu_1", path="."))
    scenario = Scenario.of(
        recording(
            exchange(0, request(TASK), failed),
            exchange(
                1,
                request(TASK, failed, told(result("toolu_1", "no such folder", is_error=True))),
                said("Oh."),
            ),
        )
    )
    trace = observe(endings.tries_a_failing_tool_again, scenario)
    results = events(trace, "tool_result")
    assert [(r.id, r.is_error, r.error_type, r.content) for r in results] == [
        ("toolu_1", True, "ToolFailed", "no such folder")
    ] * 2


def test_a_call_of_the_sdk_that_fails_before_it_asks_is_a_crash():
    trace = observe(endings.gives_a_wrong_argument, reading(2))
    assert (trace.exit.reason, trace.exit.error_type) == ("raised", "TypeError")
    assert not trace.requests


def test_a_response_that_is_returned_is_told_by_its_signal_and_text():
    assert observe(shapes.appends, Scenario.of(list_dir())).exit.value == {
        "type": "message",
        "id": "msg_01Made1",
        "stop_reason": "end_turn",
        "text": "There are two files.",
    }


def test_whoever_traced_before_traces_again_afterwards():
    def mine(frame, event, arg):
        return None

    before = sys.gettrace()
    sys.settrace(mine)
    try:
        observe(endings.crashes, reading(2))
        assert sys.gettrace() is mine
    finally:
        sys.settrace(before)


def test_an_asynchronous_loop_runs_where_an_event_loop_is_running_already():
    async def in_jupyter() -> Trace:
        return observe(shapes.awaits, reading(2))

    trace = asyncio.run(in_jupyter())
    trace.verify()
    assert sent_roles(trace) == ["u", "uau"]
    assert {event.line for event in events(trace, "branch")} == {marked(trace, "decide later")}


@pytest.mark.parametrize("loop", [endings.waits_for_ever, endings.never_asks])
def test_ctrl_c_ends_the_loop_and_not_the_notebook(loop):
    async def in_jupyter() -> Trace:
        threading.Timer(0.5, signal.raise_signal, (signal.SIGINT,)).start()
        return observe(loop, reading(2))

    notebook = asyncio.new_event_loop()
    try:
        trace = notebook.run_until_complete(in_jupyter())
    finally:
        notebook.close()
    trace.verify()
    assert trace.exit.reason == "interrupted"


def test_a_seed_and_the_provenance_are_in_the_document():
    trace = observe(shapes.appends, Scenario.of(list_dir()), seed=7)
    assert trace.scenario["seed"] == 7
    assert trace.scenario["provenance"]["kind"] == "recorded"
    assert [tool["name"] for tool in trace.tools] == ["list_dir", "read_file"]


# What cannot be run as a loop


def refusal(loop, **arguments) -> str:
    with pytest.raises(LoopError) as caught:
        observe(loop, Scenario.of(list_dir()), **arguments)
    assert isinstance(caught.value, TypeError)
    return str(caught.value)


def wants_more(client, messages, database):
    raise AssertionError("it is not run")


@pytest.mark.parametrize("thing", [None, "loop", 3, ASKED])
def test_what_cannot_be_called_is_no_loop(thing):
    assert "cannot be called; give a function such as" in refusal(thing)


def test_a_class_is_no_loop_but_its_objects_may_be():
    assert "Agent is a class" in refusal(shapes.Agent)


@pytest.mark.parametrize("thing", [print, len, "".join])
def test_a_builtin_is_no_loop(thing):
    assert "not written in Python" in refusal(thing)


def test_a_parameter_that_nobody_can_give_is_named_with_those_there_are():
    sentence = refusal(wants_more)
    assert "wants_more wants a parameter 'database'" in sentence
    assert "client, messages, tools, handlers, system, model, max_tokens, scenario" in sentence


def test_an_argument_that_the_loop_does_not_take_is_named():
    assert "appends has no parameter 'budget'" in refusal(shapes.appends, budget=3)


def test_the_client_is_the_recordings_own():
    assert "leave client=... out" in refusal(shapes.appends, client=object())


def test_the_scenario_may_be_a_name_or_a_path_and_nothing_else(tmp_path):
    with pytest.raises(UnknownScenario):
        observe(shapes.appends, "nowhere")
    with pytest.raises(TypeError, match="The scenario is a int"):
        observe(shapes.appends, 3)


@pytest.mark.parametrize(
    "option",
    [
        {"seed": "x"},
        {"seed": 1.5},
        {"seed": True},
        {"max_requests": "x"},
        {"max_requests": -1},
        {"deadline": None},
        {"deadline": 0},
        {"deadline": float("nan")},
        {"clock": 5},
    ],
    ids=str,
)
def test_an_option_that_means_nothing_is_refused_before_the_loop_runs(option):
    name = next(iter(option))
    with pytest.raises(ValueError, match=rf"^{name} is .+; it is a "):
        observe(shapes.appends, reading(2), **option)


def test_lines_are_followed_all_recorded_or_left_alone():
    with pytest.raises(ValueError, match="lines is 'some'; it is True, False or"):
        observe(shapes.appends, reading(2), lines="some")
