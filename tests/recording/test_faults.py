"""Faults as data: what a screenplay may say about them, and what a run on its cassette then meets."""

import threading
import time
from pathlib import Path

import anthropic
import pytest

from simulator.recording import cassette
from simulator.recording.cassette import CassetteError
from simulator.recording.effects import Result, in_order
from simulator.recording.handlers import ToolFailed
from simulator.recording.record import record
from simulator.recording.scenario import Scenario, scenario
from simulator.recording.screenplay import ScreenplayError, load
from simulator.recording.table import table
from simulator.recording.takes import takes
from simulator.wire.rules import check_request
from tests.recording.made import list_dir

HEAD = """\
screenplay: 1
title: Berths
title_es: Amarres
story: The harbor office asks which berth is free.
story_es: La oficina del puerto pregunta qué amarre está libre.
written: '2026-11-30'
model: claude-sonnet-5-5
max_tokens: 256
skin:
  Saltholm: [Saltholm, Brandsey, Kornholm]
  "41": ["41", "57", "63"]
tools:
  - name: berth
    description: Say who lies at a berth.
    input_schema: {type: object, properties: {number: {type: integer}}, required: [number]}
task: Who lies at berth 7 of Saltholm?
"""


@pytest.fixture
def play(tmp_path):
    """Return the scenario that a screenplay with these turns (and branches, tools) makes."""

    def play(rest: str, head: str = HEAD) -> Scenario:
        source = tmp_path / "berths.yaml"
        source.write_text(head + rest, encoding="utf-8")
        record(source, tmp_path / "out" / "berths.yaml")
        return scenario(tmp_path / "out" / "berths.yaml")

    return play


def refused(tmp_path: Path, rest: str) -> ScreenplayError:
    source = tmp_path / "berths.yaml"
    source.write_text(HEAD + rest, encoding="utf-8")
    with pytest.raises(ScreenplayError) as error:
        takes(load(source))
    return error.value


def called(result: str, *, then: str = "") -> str:
    return f"turns:\n  - calls: [{{tool: berth, input: {{number: 7}}, result: {result}}}]\n{then}"


THEN = "  - text: The Marie lies there.\n"


def ask(session, *messages, **more):
    return session.client.messages.create(
        model=session.model,
        max_tokens=session.max_tokens,
        tools=session.tools,
        messages=[*session.messages, *messages],
        **more,
    )


def streamed(session, *messages):
    with session.client.messages.stream(
        model=session.model,
        max_tokens=session.max_tokens,
        tools=session.tools,
        messages=[*session.messages, *messages],
    ) as stream:
        return stream.get_final_message()


# --- what a tool does ------------------------------------------------------------------------------------


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
    made = play(called(written, then=THEN))
    got = made.start().handlers["berth"](number=7)
    assert (got, type(got)) == (returned, type(returned))
    result = made.recording.exchanges[1].request["messages"][-1]["content"][0]
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
    made = play(called("{repeat: 'berth 7: free. ', characters: 200000}"))
    got = made.start().handlers["berth"](number=7)
    assert (len(got), got[:30]) == (200_000, "berth 7: free. berth 7: free. ")
    assert made.recording.path.stat().st_size < 10_000


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
    made = play(
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
    dressed = made.skinned(1)
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


# --- what the model says ---------------------------------------------------------------------------------

SEARCH = HEAD.replace("tools:\n", "tools:\n  - {type: web_search_20250305, name: web_search, max_uses: 2}\n")
USE = "{type: server_tool_use, id: srvtoolu_01Hf6tQ2, name: web_search, input: {query: ferry}}"
FOUND = "{type: web_search_tool_result, tool_use_id: srvtoolu_01Hf6tQ2, content: []}"


def test_blocks_stand_in_front_of_text_and_calls_and_are_sent_back(play):
    made = play(
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
    first, second = made.recording.exchanges
    kinds = ["thinking", "redacted_thinking", "text", "tool_use"]
    assert [block["type"] for block in first.message["content"]] == kinds
    assert second.request["messages"][1]["content"] == first.message["content"]
    assert ask(made.start()).content[0].thinking == "Berth seven first."


def test_a_paused_turn_of_a_server_tool_is_sent_back_and_goes_on(play):
    rest = f"turns:\n  - {{blocks: [{USE}], stop: pause_turn}}\n  - {{blocks: [{FOUND}], text: At nine.}}\n"
    made = play(rest, SEARCH)
    assert [exchange.message["stop_reason"] for exchange in made.recording.exchanges] == [
        "pause_turn",
        "end_turn",
    ]
    assert [turn["role"] for turn in made.recording.exchanges[1].request["messages"]] == ["user", "assistant"]
    assert set(made.start().handlers) == {"berth"}
    assert all(check_request(exchange.request) is None for exchange in made.recording.exchanges)


def test_an_answer_may_have_no_content_and_the_next_request_goes_on_without_it(play):
    rest = called("The Marie.", then="  - {blocks: [], says: Please go on.}\n  - text: The Marie.\n") + (
        "branches:\n"
        "  - {name: nudged, title: A, title_es: B, from: 2, says: 'Well?', when: {answers: all,"
        " text: {contains: '?', where: last_turn}}, turns: [{text: Yes.}]}\n"
    )
    made = play(rest)
    assert made.recording.exchanges[1].message["content"] == []
    assert [turn["role"] for turn in made.recording.exchanges[2].request["messages"]] == [
        "user",
        "assistant",
        "user",
        "user",
    ]
    assert made.branches[0].when["after"] == 0
    session = made.start()
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
    made = play(rest)
    answer = made.recording.exchanges[0].message["content"]
    assert [block["type"] for block in answer] == ["text", "tool_use"]
    assert made.recording.exchanges[1].request["messages"][1]["content"] == answer[1:]


def test_usage_is_what_the_screenplay_says_and_otherwise_estimated(play):
    usage = "{input_tokens: 900000, cache_read_input_tokens: 7, server_tool_use: {web_search_requests: 2}}"
    made = play(called("The Marie.", then=f"  - {{text: The Marie., usage: {usage}}}\n"))
    told = made.recording.exchanges[1].message["usage"]
    assert (told["input_tokens"], told["cache_read_input_tokens"]) == (900_000, 7)
    assert told["server_tool_use"] == {"web_search_requests": 2}
    assert told["output_tokens"] == 3


def test_a_call_may_be_wrong_on_purpose_and_an_unknown_tool_has_no_handler(play):
    made = play(
        """\
turns:
  - calls:
      - {tool: weather, input: {}, wrong: true, result: {error: there is no tool weather}}
      - {tool: berth, input: {number: seven}, wrong: true, result: {error: a number please}}
  - text: I cannot tell.
"""
    )
    session = made.start()
    assert set(session.handlers) == {"berth"}
    with pytest.raises(ToolFailed, match="a number please"):
        session.handlers["berth"](number="seven")


def test_a_stop_reason_may_be_wrong_on_purpose(play):
    made = play("turns:\n  - {text: The Marie., stop: out_of_ink, wrong: true}\n")
    assert ask(made.start()).stop_reason == "out_of_ink"
    made = play(
        called("The Marie.", then=THEN).replace("  - calls", "  - stop: end_turn\n    wrong: true\n    calls")
    )
    assert ask(made.start()).stop_reason == "end_turn"


# --- what the API does -----------------------------------------------------------------------------------

BROKEN = called("The Marie.", then="  - {text: The Marie from Saltholm lies there., broken: BROKEN}\n")


def tool_turns(session, asking):
    first = asking(session).content
    result = {"type": "tool_result", "tool_use_id": first[0].id, "content": "The Marie."}
    return [{"role": "assistant", "content": first}, {"role": "user", "content": [result]}]


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
    made = play(BROKEN.replace("BROKEN", fault))
    session = made.start()
    turns = tool_turns(session, streamed)
    with pytest.raises(anthropic.APIStatusError, match="Overloaded"):
        streamed(session, *turns)
    assert streamed(session, *turns).stop_reason == "end_turn"
    assert made.recording.exchanges[1].error == {"type": "overloaded_error", "message": "Overloaded"}


def test_a_broken_stream_stays_a_readable_cassette_and_its_table_says_so(play):
    made = play(BROKEN.replace("BROKEN", "{after: 4}"))
    assert made.about.main == (0, 1, 2)
    assert [exchange.complete for exchange in cassette.read(made.recording.path).exchanges] == [
        True,
        False,
        True,
    ]
    assert "the stream breaks off" in table(made.recording.path.parent, "en")


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
    made = play(BROKEN.replace("BROKEN", "{after: 4}"))
    session = made.start(seed=1)
    turns = tool_turns(session, streamed)
    cut, whole = streamed(session, *turns), streamed(session, *turns)
    assert "Saltholm" not in cut.content[0].text + whole.content[0].text
    assert whole.content[0].text.startswith(cut.content[0].text)
    assert cut.id != whole.id


def test_faults_are_recorded_to_the_same_bytes_again(play):
    made = play(BROKEN.replace("BROKEN", "{after: 4}"))
    before = made.recording.path.read_bytes()
    assert play(BROKEN.replace("BROKEN", "{after: 4}")).recording.path.read_bytes() == before


# --- what is refused -------------------------------------------------------------------------------------

REFUSED = {
    "an effect that nobody knows": (called("{explodes: true}"), "there is no key 'explodes' here"),
    "two effects": (called("{hangs: true, value: 1}"), "Exactly one of error, value"),
    "a slow tool that says nothing": (called("{slow: 2}"), "Exactly one of error, value"),
    "a hang that is none": (called("{hangs: maybe}"), "What may stand here: True"),
    "a length without its text": (called("{characters: 9}"), "Exactly one of error, value"),
    "a value that is no JSON": (called("{value: [2026-11-30]}"), "null, true, false, a number"),
    "seconds that are none": (called("{slow: soon, text: x}"), "where a number belongs"),
    "a hang, and the next request needs words": (
        called("{hangs: true}", then=THEN),
        "Write `text:` or `error:`",
    ),
    "an effect of a branch": (
        called("x", then=THEN)
        + "branches: [{name: b, title: A, title_es: B, from: 1, results: [{hangs: true}],"
        " turns: [{text: x}]}]\n",
        "there is no key 'hangs' here",
    ),
    "a call among the blocks": (
        "turns: [{blocks: [{type: tool_use, id: toolu_1, name: berth, input: {}}]}]\n",
        "tool_use",
    ),
    "a usage that nobody knows": (
        "turns: [{text: x, usage: {tokens: 3}}]\n",
        "there is no key 'tokens' here",
    ),
    "a stream that is whole before it breaks": (
        "turns: [{text: x, broken: {after: 7}}]\n",
        "the stream has 7 events, so it cannot break off after 7",
    ),
    "a stop_reason that nobody knows": ("turns: [{text: x, stop: fin}]\n", "add `wrong: true`"),
    "nothing wrong about a stop": ("turns: [{text: x, wrong: true}]\n", "nothing here is wrong"),
    "nothing wrong about a call": (
        "turns: [{calls: [{tool: berth, input: {number: 7}, wrong: true}]}]\n",
        "nothing here is wrong",
    ),
    "nothing to cut in no content": (
        "turns: [{blocks: [], cut: true, stop: max_tokens}]\n",
        "nothing to cut",
    ),
    "an empty answer asked for again": ("turns: [{blocks: []}, {text: x}]\n", "as that of main.1"),
    "an error with content": (
        "turns: [{error: {status: 500, type: api_error, message: x}, blocks: []}]\n",
        "blocks",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_fault_that_cannot_be_played_is_one_sentence_with_file_and_line(case, tmp_path):
    rest, words = REFUSED[case]
    told = refused(tmp_path, rest)
    assert words in str(told)
    assert told.line is not None
    assert "\n" not in str(told)


def test_a_tool_of_the_api_has_a_type_and_no_input_schema(tmp_path):
    for old, new, words in (
        ("name: web_search,", "name: web_search, input_schema: {type: object},", "input_schema"),
        ("type: web_search_20250305, ", "", "'description' is missing"),
        ("web_search_20250305", "websearch", "does not fit here"),
    ):
        source = tmp_path / "berths.yaml"
        source.write_text(SEARCH.replace(old, new, 1) + "turns: [{text: x}]\n", encoding="utf-8")
        with pytest.raises(ScreenplayError, match=words):
            load(source)
