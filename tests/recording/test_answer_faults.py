"""What the model says and what the API does is data: blocks, usage, errors, streams that break off."""

import functools

import anthropic
import pytest

from simulator.recording import cassette
from simulator.recording.handlers import ToolFailed
from simulator.recording.table import table
from simulator.wire.rules import check_request
from tests.recording.berths import SEARCH, THEN, ask, called, made, streamed, tool_turns


@pytest.fixture
def play(tmp_path):
    return functools.partial(made, tmp_path)


# --- what the model says ---------------------------------------------------------------------------------

USE = "{type: server_tool_use, id: srvtoolu_01Hf6tQ2, name: web_search, input: {query: ferry}}"
FOUND = "{type: web_search_tool_result, tool_use_id: srvtoolu_01Hf6tQ2, content: []}"


def test_blocks_stand_in_front_of_text_and_calls_and_are_sent_back(play):
    chosen = play(
        """\
turns:
  - blocks:
      - {type: thinking, thinking: Berth seven first., signature: c2lnbmVk}
      - {type: redacted_thinking, data: aGlkZGVu}
    text: I'll look.
    calls: [{tool: berth, input: {number: 7}, result: The Marie.}]
  - text: The Marie.
"""
    )
    first, second = chosen.recording.exchanges
    kinds = ["thinking", "redacted_thinking", "text", "tool_use"]
    assert [block["type"] for block in first.message["content"]] == kinds
    assert second.request["messages"][1]["content"] == first.message["content"]
    assert ask(chosen.start()).content[0].thinking == "Berth seven first."


def test_a_paused_turn_of_a_server_tool_is_sent_back_and_goes_on(play):
    rest = f"turns:\n  - {{blocks: [{USE}], stop: pause_turn}}\n  - {{blocks: [{FOUND}], text: At nine.}}\n"
    chosen = play(rest, SEARCH)
    assert [exchange.message["stop_reason"] for exchange in chosen.recording.exchanges] == [
        "pause_turn",
        "end_turn",
    ]
    assert [turn["role"] for turn in chosen.recording.exchanges[1].request["messages"]] == [
        "user",
        "assistant",
    ]
    assert set(chosen.start().handlers) == {"berth"}
    assert all(check_request(exchange.request) is None for exchange in chosen.recording.exchanges)


def test_an_answer_may_have_no_content_and_the_next_request_goes_on_without_it(play):
    rest = called("The Marie.", then="  - {blocks: [], says: Please go on.}\n  - text: The Marie.\n") + (
        "branches:\n"
        "  - {name: nudged, title: A, title_es: B, from: 2, says: 'Well?', when: {answers: all,"
        " text: {contains: '?', where: last_turn}}, turns: [{text: Yes.}]}\n"
    )
    chosen = play(rest)
    assert chosen.recording.exchanges[1].message["content"] == []
    assert [turn["role"] for turn in chosen.recording.exchanges[2].request["messages"]] == [
        "user",
        "assistant",
        "user",
        "user",
    ]
    assert chosen.branches[0].when["after"] == 0
    session = chosen.start()
    first = ask(session).content
    result = {"type": "tool_result", "tool_use_id": first[0].id, "content": "The Marie."}
    turns = [{"role": "assistant", "content": first}, {"role": "user", "content": [result]}]
    assert ask(session, *turns).content == []
    assert ask(session, *turns, {"role": "user", "content": "So?"}).content[0].text == "Yes."


def test_an_empty_text_is_recorded_and_not_sent_back(play):
    rest = """\
turns:
  - blocks: [{type: text, text: ''}]
    calls: [{tool: berth, input: {number: 7}, result: The Marie.}]
  - text: The Marie.
"""
    chosen = play(rest)
    answer = chosen.recording.exchanges[0].message["content"]
    assert [block["type"] for block in answer] == ["text", "tool_use"]
    assert chosen.recording.exchanges[1].request["messages"][1]["content"] == answer[1:]


def test_usage_is_what_the_screenplay_says_and_otherwise_estimated(play):
    usage = "{input_tokens: 900000, cache_read_input_tokens: 7, server_tool_use: {web_search_requests: 2}}"
    chosen = play(called("The Marie.", then=f"  - {{text: The Marie., usage: {usage}}}\n"))
    told = chosen.recording.exchanges[1].message["usage"]
    assert (told["input_tokens"], told["cache_read_input_tokens"]) == (900_000, 7)
    assert told["server_tool_use"] == {"web_search_requests": 2}
    assert told["output_tokens"] == 3


def test_a_call_may_be_wrong_on_purpose_and_an_unknown_tool_has_no_handler(play):
    chosen = play(
        """\
turns:
  - calls:
      - {tool: weather, input: {}, wrong: true, result: {error: there is no tool weather}}
      - {tool: berth, input: {number: seven}, wrong: true, result: {error: a number please}}
  - text: I cannot tell.
"""
    )
    session = chosen.start()
    assert set(session.handlers) == {"berth"}
    with pytest.raises(ToolFailed, match="a number please"):
        session.handlers["berth"](number="seven")


def test_a_stop_reason_may_be_wrong_on_purpose(play):
    chosen = play("turns:\n  - {text: The Marie., stop: out_of_ink, wrong: true}\n")
    assert ask(chosen.start()).stop_reason == "out_of_ink"
    chosen = play(
        called("The Marie.", then=THEN).replace("  - calls", "  - stop: end_turn\n    wrong: true\n    calls")
    )
    assert ask(chosen.start()).stop_reason == "end_turn"


# --- what the API does -----------------------------------------------------------------------------------

BROKEN = called("The Marie.", then="  - {text: The Marie from Saltholm lies there., broken: BROKEN}\n")


def test_a_stream_breaks_off_once_and_the_whole_answer_comes_when_asked_again(play):
    session = play(BROKEN.replace("BROKEN", "{after: 4}")).start()
    turns = tool_turns(session, streamed)
    cut = streamed(session, *turns)
    assert (cut.stop_reason, cut.content[0].text) == (None, "The Marie from Saltholm ")
    for _ in range(2):
        whole = streamed(session, *turns)
        assert (whole.stop_reason, whole.content[0].text) == (
            "end_turn",
            "The Marie from Saltholm lies there.",
        )


def test_a_plain_request_gets_the_whole_answer_of_a_stream_that_breaks_off(play):
    session = play(BROKEN.replace("BROKEN", "{after: 4}")).start()
    turns = tool_turns(session, ask)
    assert ask(session, *turns).stop_reason == "end_turn"
    assert streamed(session, *turns).stop_reason is None
    assert ask(session, *turns).stop_reason == "end_turn"


def test_a_stream_may_end_in_an_error_event(play):
    fault = "{after: 3, error: {type: overloaded_error, message: Overloaded}}"
    chosen = play(BROKEN.replace("BROKEN", fault))
    session = chosen.start()
    turns = tool_turns(session, streamed)
    with pytest.raises(anthropic.APIStatusError, match="Overloaded"):
        streamed(session, *turns)
    assert streamed(session, *turns).stop_reason == "end_turn"
    assert chosen.recording.exchanges[1].error == {"type": "overloaded_error", "message": "Overloaded"}


def test_a_broken_stream_stays_a_readable_cassette_and_its_table_says_so(play):
    chosen = play(BROKEN.replace("BROKEN", "{after: 4}"))
    assert chosen.about.main == (0, 1, 2)
    assert [exchange.complete for exchange in cassette.read(chosen.recording.path).exchanges] == [
        True,
        False,
        True,
    ]
    assert "the stream breaks off" in table(chosen.recording.path.parent, "en")


def test_a_branch_by_condition_meets_the_same_faults_in_the_same_order(play):
    branch = (
        "branches:\n  - {name: in_other_words, title: A, title_es: B, from: 1, results: [Marie],"
        " when: {answers: all}, answer: 2}\n"
    )
    session = play(BROKEN.replace("BROKEN", "{after: 4}") + branch).start()
    turns = tool_turns(session, streamed)
    turns[1]["content"][0]["content"] = "It is the Marie."
    assert [streamed(session, *turns).stop_reason for _ in range(3)] == [None, "end_turn", "end_turn"]
    turns[1]["content"][0]["content"] = "Marie it is."
    assert streamed(session, *turns).stop_reason is None

    busy = "  - error: {status: 529, type: overloaded_error, message: Overloaded}\n"
    session = play(called("The Marie.", then=busy + THEN) + branch).start()
    turns = tool_turns(session, ask)
    turns[1]["content"][0]["content"] = "It is the Marie."
    with pytest.raises(anthropic.APIStatusError, match="Overloaded"):
        ask(session, *turns)
    assert ask(session, *turns).stop_reason == "end_turn"


def test_errors_answer_in_order_and_the_last_one_repeats(play):
    busy = "turns:\n" + "".join(
        f"  - error: {{status: {status}, type: api_error, message: {status}}}\n" for status in ("500", "529")
    )
    session = play(
        busy.replace("message: 500", "message: '500'").replace("message: 529", "message: '529'")
    ).start()
    met = []
    for _ in range(4):
        with pytest.raises(anthropic.APIStatusError) as error:
            ask(session)
        met.append(error.value.status_code)
    assert met == [500, 529, 529, 529]


def test_an_error_may_stand_in_a_screenplay_that_streams(play):
    busy = "  - error: {status: 529, type: overloaded_error, message: Overloaded}\n"
    session = play("stream: true\n" + called("The Marie.", then=busy + THEN)).start()
    turns = tool_turns(session, streamed)
    with pytest.raises(anthropic.APIStatusError, match="Overloaded"):
        streamed(session, *turns)
    assert streamed(session, *turns).stop_reason == "end_turn"


def test_a_seed_dresses_a_broken_stream_as_its_whole_answer(play):
    chosen = play(BROKEN.replace("BROKEN", "{after: 4}"))
    session = chosen.start(seed=1)
    turns = tool_turns(session, streamed)
    cut, whole = streamed(session, *turns), streamed(session, *turns)
    assert "Saltholm" not in cut.content[0].text + whole.content[0].text
    assert whole.content[0].text.startswith(cut.content[0].text)
    assert cut.id != whole.id


def test_faults_are_recorded_to_the_same_bytes_again(play):
    chosen = play(BROKEN.replace("BROKEN", "{after: 4}"))
    before = chosen.recording.path.read_bytes()
    assert play(BROKEN.replace("BROKEN", "{after: 4}")).recording.path.read_bytes() == before
