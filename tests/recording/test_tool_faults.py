"""What a tool does is data: values, failures, and what no text shows."""

import functools
import threading
import time

import pytest

from simulator.recording.cassette import CassetteError
from simulator.recording.effects import Result, in_order
from simulator.recording.handlers import ToolFailed
from simulator.recording.scenario import Scenario
from tests.recording.berths import THEN, called, made
from tests.recording.made import list_dir


@pytest.fixture
def play(tmp_path):
    return functools.partial(made, tmp_path)


@pytest.mark.parametrize(
    ("written", "returned", "told"),
    [
        ("{value: null}", None, "null"),
        ("{value: []}", [], "[]"),
        ("{value: {}}", {}, "{}"),
        ("{value: 0}", 0, "0"),
        ("{value: ''}", "", ""),
        ("{value: {ship: Marie, since: [4, true]}}", {"ship": "Marie", "since": [4, True]}, None),
        ("{value: null, text: nobody}", None, "nobody"),
    ],
)
def test_a_handler_returns_the_value_itself_and_the_conversation_tells_of_it(play, written, returned, told):
    chosen = play(called(written, then=THEN))
    got = chosen.start().handlers["berth"](number=7)
    assert (got, type(got)) == (returned, type(returned))
    result = chosen.recording.exchanges[1].request["messages"][-1]["content"][0]
    assert told is None or result["content"] == told


def test_a_slow_tool_takes_its_time_and_then_answers_or_fails(play):
    session = play(called("{slow: 0.2, text: The Marie.}", then=THEN)).start()
    before = time.monotonic()
    assert session.handlers["berth"](number=7) == "The Marie."
    assert time.monotonic() - before >= 0.2
    session = play(called("{slow: 0.01, error: no answer}", then=THEN)).start()
    with pytest.raises(ToolFailed, match="no answer"):
        session.handlers["berth"](number=7)


def test_a_hanging_tool_is_let_go_when_its_run_is_over(play):
    session = play(called("{hangs: true}")).start()
    got = []
    thread = threading.Thread(target=lambda: got.append(session.handlers["berth"](number=7)))
    thread.start()
    thread.join(0.2)
    assert thread.is_alive()
    session.close()
    thread.join(5)
    assert got == [""]


def test_a_hanging_tool_is_let_go_after_its_patience_whatever_becomes_of_its_run():
    (hangs,) = in_order({"hangs": True}, failed=False)
    assert hangs.seconds == 60
    before = time.monotonic()
    Result("", act="hangs", seconds=0.1).happen(threading.Event())
    assert 0.1 <= time.monotonic() - before < 5


def test_ctrl_c_is_pressed_once_and_the_next_call_gets_what_is_written_beside_it(play):
    session = play(called("{interrupt: true, text: The Marie.}", then=THEN)).start()
    with pytest.raises(KeyboardInterrupt):
        session.handlers["berth"](number=7)
    assert [session.handlers["berth"](number=7) for _ in range(2)] == ["The Marie."] * 2


def test_ctrl_c_may_leave_nothing_to_say(play):
    session = play(called("{interrupt: true}")).start()
    with pytest.raises(KeyboardInterrupt):
        session.handlers["berth"](number=7)
    assert session.handlers["berth"](number=7) == ""


def test_a_long_text_has_exactly_as_many_characters_and_is_written_once(play):
    chosen = play(called("{repeat: 'berth 7: free. ', characters: 200000}"))
    got = chosen.start().handlers["berth"](number=7)
    assert (len(got), got[:30]) == (200_000, "berth 7: free. berth 7: free. ")
    assert chosen.recording.path.stat().st_size < 10_000


def test_a_fault_happens_though_a_branch_tells_of_the_call_in_its_own_words(play):
    branch = """\
branches:
  - {name: gave_up, title: A, title_es: B, from: 1, results: [{error: no answer in time}],
     when: {answers: all, is_error: true}, turns: [{text: The office does not answer.}]}
"""
    for written in ("{repeat: 'free ', characters: 900}", "{value: 0}", "The Marie."):
        session = play(called(written) + branch).start()
        assert session.handlers["berth"](number=7) in ("free " * 180, 0, "The Marie.")
        session = play(called("{slow: 0.01, text: ok}") + branch).start()
        assert session.handlers["berth"](number=7) == "ok"


def test_faults_of_one_call_asked_for_twice_come_in_the_order_of_the_conversation(play):
    again = "  - calls: [{tool: berth, input: {number: 7}, result: {value: 5}}]\n" + THEN
    session = play(called("{interrupt: true, text: first}", then=again)).start()
    with pytest.raises(KeyboardInterrupt):
        session.handlers["berth"](number=7)
    assert [session.handlers["berth"](number=7) for _ in range(3)] == ["first", 5, 5]


def test_a_seed_dresses_what_tools_do(play):
    chosen = play(
        called("{value: {name: Saltholm, type: ferry to Saltholm}}", then=THEN)
        + "branches:\n"
        + "".join(
            f"  - {{name: {name}, title: A, title_es: B, from: 0, says: '{name}?', turns: [{{calls: ["
            f"{{tool: berth, input: {{number: {number}}}, result: {result}}}]}}]}}\n"
            for name, number, result in (
                ("slow", 8, "{slow: 0.01, text: quay of Saltholm}"),
                ("long", 9, "{repeat: 'Saltholm ', characters: 30}"),
            )
        )
    )
    dressed = chosen.skinned(1)
    word = next(w for w in ("Brandsey", "Kornholm", "Saltholm") if w in dressed.messages[0]["content"])
    assert word != "Saltholm"
    handler = dressed.start().handlers["berth"]
    assert handler(number=7) == {"name": word, "type": f"ferry to {word}"}
    assert handler(number=8) == f"quay of {word}"
    assert handler(number=9) == (f"{word} " * 9)[:30]
    told = dressed.recording.exchanges[1].request["messages"][-1]["content"][0]["content"]
    assert f'"type":"ferry to {word}"' in told


@pytest.mark.parametrize(
    "given",
    [
        {"hangs": False},
        {"hangs": True, "value": 1},
        {"slow": "2"},
        {"slow": 0},
        {"interrupt": True, "text": 3},
        {"repeat": "x"},
        {"repeat": "", "characters": 3},
        {"explodes": True},
        {},
        {"value": 1, "error": "x"},
    ],
)
def test_a_cassette_with_an_effect_that_nobody_knows_is_refused_with_its_place(given):
    extra = {"name": "list_dir", "input": {"path": "src"}, "results": [given]}
    with pytest.raises(CassetteError, match=r"metadata\.scenario\.handlers\.0"):
        Scenario.of(list_dir(handlers=[extra]))
