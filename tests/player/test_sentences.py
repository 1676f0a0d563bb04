"""One plain sentence for each step, in both languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator import player
from simulator.player.sentences import LONGEST, call, sentences
from simulator.player.view import strings
from simulator.text import LANGUAGES, room
from simulator.trace.document import Trace
from simulator.trace.events import SIGNALS
from tests.player.made import QUESTION, Made, compacted, forgotten, hostile, text, tool_use, unnamed, whole

ALL = (whole, forgotten, unnamed, compacted, hostile)


def last_but_exit(made: Made) -> str:
    return sentences(made.end())[-2]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("made", ALL)
def test_every_step_has_one_short_whole_sentence(made: Callable[[], Trace], lang: str) -> None:
    said = sentences(made(), lang)
    assert len(said) == len(made().steps)
    assert all(sentence.strip() for sentence in said)
    assert max(map(len, said)) < 5 * LONGEST


def test_a_run_that_is_in_order_reads_like_this() -> None:
    assert sentences(whole()) == [
        "Request 1: the loop sends messages[] to the model, 1 turn.",
        'The model stopped with tool_use: it asks for list_dir(path: ".") and waits for the result.',
        "The loop appends the model's answer: messages[] now has 2 turns.",
        "The answer's stop_reason is tool_use, and the loop decides: "
        'response.stop_reason != "tool_use" is False.',
        'The loop is about to run list_dir(path: ".").',
        "list_dir came back with 9 characters.",
        "The loop appends 1 tool result: messages[] now has 3 turns.",
        "The loop checks its own limit: for _ in range(max_turns) is True.",
        "Request 2: the loop sends the whole of messages[] again, 3 turns. The model knows nothing else.",
        "The model stopped with end_turn: it says that it has finished.",
        "The loop appends the model's answer: messages[] now has 4 turns.",
        "The answer's stop_reason is end_turn, and the loop decides: "
        'response.stop_reason != "tool_use" is True.',
        "The loop returns the model's answer after 2 requests; its stop_reason is end_turn.",
    ]


def test_a_repeated_request_names_the_one_it_repeats() -> None:
    assert "the same conversation as request 1" in sentences(forgotten())[5]
    assert "la misma conversación que la petición 1" in sentences(forgotten(), "es")[5]


def test_an_answer_that_ended_otherwise_says_what_the_recording_has() -> None:
    trace = Made().request(QUESTION).answer(stop="refusal", instead_of="tool_use").end()
    assert sentences(trace)[-2] == (
        "The model declined to answer (refusal). What if: in the recording this answer ended with tool_use."
    )
    assert "en la grabación esta respuesta acababa con tool_use" in sentences(trace, "es")[-2]
    same = Made().request(QUESTION).answer(text("Done."), stop="end_turn", instead_of="end_turn")
    assert last_but_exit(same).endswith("What if: it ends so in the recording as well.")


def test_a_refusal_gives_the_apis_words_the_rule_and_the_place() -> None:
    place = "messages.2.content.0.tool_result.tool_use_id"
    assert sentences(unnamed())[8] == (
        f"The API refuses request 2 with 400 invalid_request_error: {place}: Field required"
        f" (rule id_missing, at {place})"
    )


def test_several_calls_wait_for_several_results() -> None:
    made = Made().request(QUESTION)
    made.answer(tool_use("ls", "toolu_1"), tool_use("pwd", "toolu_2"), stop="tool_use")
    assert last_but_exit(made).endswith("it asks for ls(), pwd() and waits for all 2 results.")


def test_an_error_of_the_server_is_no_refusal() -> None:
    made = Made().request(QUESTION).refusal(529, "overloaded_error", "Overloaded")
    assert last_but_exit(made) == "The API fails on request 1 with 529 overloaded_error: Overloaded"


def test_an_exception_that_only_repeats_the_api_is_not_quoted_again() -> None:
    assert sentences(unnamed())[-1] == (
        "The loop ends with BadRequestError at line 6: "
        "nothing in it catches the API's answer 400 to request 2."
    )


def test_a_branch_says_by_which_condition_it_was_reached() -> None:
    made = Made().request(QUESTION)
    made.answer(text("Hm."), by="branch", branch="failed", when={"after": 0, "is_error": True})
    assert last_but_exit(made).endswith(
        "This is the recorded branch “failed”, reached because after = 0, is_error = true."
    )


@pytest.mark.parametrize("signal", SIGNALS)
def test_every_signal_has_a_sentence_of_its_own(signal: str) -> None:
    made = Made().request(QUESTION).answer(tool_use("ls", "toolu_1"), stop=signal)
    assert "does not know" not in last_but_exit(made)


def test_a_signal_that_nobody_knows_is_named() -> None:
    assert "brand_new" in last_but_exit(Made().request(QUESTION).answer(text("?"), stop="brand_new"))


def test_what_a_loop_does_to_its_list_is_told_apart() -> None:
    assert sentences(compacted())[2:5] == [
        "The loop changes a turn in messages[]: it still has 3 turns.",
        "The loop takes 1 turn out of messages[]: it now has 2 turns.",
        "The loop rebuilds messages[]: 1 out, 2 in; it now has 3 turns.",
    ]


@pytest.mark.parametrize(
    "reason", ["exited", "interrupted", "runaway", "off_script", "recording_ends", "deadline", "recorded"]
)
def test_every_ending_has_a_sentence(reason: str) -> None:
    assert sentences(Made().request(QUESTION).end(reason, message="Because."))[-1]


def test_a_long_argument_is_cut_and_a_call_stays_readable() -> None:
    written = call("write_file", {"path": "a.txt", "text": "x" * 5000})
    assert len(written) < 200
    assert written.startswith('write_file(path: "a.txt", text: "xxx')


def test_every_word_that_the_page_names_is_in_the_catalogue_and_the_other_way_round() -> None:
    script = (Path(player.__file__).parent / "player.js").read_text(encoding="utf-8")
    words = strings("en")
    tables = {name for name, value in words.items() if isinstance(value, dict)}
    named = set(re.findall(r"\bs\.(\w+)", script))
    assert named <= set(words), named - set(words)
    assert tables <= named
    unnamed_words = [key for key in words if key not in named and not re.search(rf'"{key}"|\b{key}:', script)]
    assert unnamed_words == []
    assert {key.split(".")[2] for key in room("player", "en") if key.startswith("player.ui.")} == set(words)
