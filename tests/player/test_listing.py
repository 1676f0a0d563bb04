"""The table that stands in for the player, the listing, and the walk in a terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from simulator.player.examples import whole_loop
from simulator.player.listing import MOST_ROWS, table, title
from simulator.player.terminal import listing, step
from simulator.trace.observe import observe
from tests.player.made import QUESTION, TOKENS, Made, compacted, forgotten, hostile, text, unnamed, whole

ALLOWED = {"p", "b", "table", "thead", "tbody", "tr", "th", "td", "code", "br"}


class Tags(HTMLParser):
    """Collects the tags and the text of an HTML fragment."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[object] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        self.attributes += [attrs] if attrs else []

    def handle_data(self, data: str) -> None:
        self.text += data


def read(markup: str) -> Tags:
    tags = Tags()
    tags.feed(markup)
    return tags


def answers(*words: str) -> Callable[[str], str]:
    """Return a stand-in for ``input`` that gives *words*, then the end of the input."""
    left = iter(words)

    def read_line(_: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return read_line


def test_the_table_has_a_row_for_each_step_and_no_markup_but_its_own() -> None:
    tags = read(table(hostile()))
    assert tags.tags <= ALLOWED
    assert tags.attributes == []
    assert "<script>window.hacked = 1</script>" in tags.text
    assert all(token in tags.text for token in TOKENS)
    assert table(whole()).count("<tr>") == 1 + len(whole().steps)


def test_a_long_run_is_cut_in_the_table_and_says_so() -> None:
    made = Made()
    for _ in range(MOST_ROWS):
        made.request(QUESTION).answer(text("x"))
    markup = table(made.end())
    assert markup.count("<tr>") == 1 + MOST_ROWS
    assert f"{MOST_ROWS + 1} more steps" in markup


def test_the_columns_of_a_listing_stand_in_line_in_both_languages() -> None:
    for lang in ("en", "es"):
        heads = re.findall(r"^ *\d+  \S+ +(?=\S)", listing(whole(), lang), re.MULTILINE)
        assert len(heads) == 13
        assert len({len(head) for head in heads}) == 1, lang


def test_the_listing_tells_every_step_and_every_change() -> None:
    lines = listing(compacted()).splitlines()
    assert lines[0] == "Made for a test (scripted): 6 steps, 1 request, end: returned"
    assert [line.strip() for line in lines if line.lstrip()[0] in "+-"] == [
        "+ [0] user: Which files are here?",
        '+ [1] assistant: [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]',
        "+ [2] user: Go on.",
        '- [1] assistant: [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]',
        '+ [1] assistant: [{"type": "text", "text": "One."}, {"type": "text", "text": "2."}]',
        '- [1] assistant: [{"type": "text", "text": "One."}, {"type": "text", "text": "2."}]',
        "- [0] user: Which files are here?",
        "+ [0] user: In short: go on.",
        '+ [1] assistant: [{"type": "text", "text": "Yes."}]',
    ]


def test_nothing_hidden_reaches_a_terminal() -> None:
    for shown in (listing(hostile()), title(hostile())):
        assert not any(char in shown for char in "\x1b\x00\x07\u202e\u200b\u2028\ud800")
    assert "⟨U+001B⟩[31m" in listing(hostile())


def test_without_a_terminal_the_whole_run_is_listed() -> None:
    out = io.StringIO()
    step(whole(), out=out)
    assert out.getvalue() == listing(whole())


def test_a_walk_goes_on_back_and_to_a_step_and_ends_with_the_last_or_q() -> None:
    out, words = io.StringIO(), answers("", "", "b", "7", "99", "what", "q")
    step(whole(), out=out, read=words)
    shown = out.getvalue()
    places = [line.split("step ")[1].split(" of")[0] for line in shown.splitlines() if "─ step" in line]
    assert places == ["1", "2", "3", "2", "7"]
    assert shown.count("is no command here") == 2
    assert "Stopped at step 7 of 13." in shown
    assert "▶" in shown
    assert "\x1b" not in shown


def test_a_walk_shows_what_was_said_even_where_a_loop_keeps_nothing() -> None:
    out, words = io.StringIO(), answers("5", "q")
    step(forgotten(), out=out, read=words)
    assert "│ a.py\n  │ b.py" in out.getvalue()
    made = Made().request(QUESTION).answer(text("\n".join(map(str, range(20)))))
    out = io.StringIO()
    step(made.end(), out=out, read=answers("2", "q"))
    assert "│ 7\n  │ …\n" in out.getvalue()


def test_an_answer_that_is_an_error_is_called_one() -> None:
    assert "refused" in listing(unnamed()).splitlines()[-2]
    assert "<td>refused</td>" in table(unnamed())


def test_enter_on_the_last_step_and_the_end_of_input_both_end_the_walk() -> None:
    for words in (answers("13", ""), answers()):
        out = io.StringIO()
        step(whole(), out=out, read=words)
        assert "Stopped at step" in out.getvalue()


def test_a_hostile_run_can_be_walked() -> None:
    out, words = io.StringIO(), answers(*[""] * 30)
    step(hostile(), out=out, read=words)
    assert "\x1b" not in out.getvalue()
    assert "[31m" in out.getvalue()


@pytest.mark.parametrize("lang", ["en", "es"])
def test_both_languages_list(lang: str) -> None:
    assert listing(whole(), lang) != ""
    assert table(whole(), lang) != ""


def test_the_title_says_which_answers_were_to_end_otherwise_and_which_never_came() -> None:
    trace = observe(whole_loop, "list_then_read", what_if={1: "refusal", 7: "max_tokens\u202e"})
    told = title(trace)
    assert told.endswith(
        "; what if answer 1 ended with refusal; what if answer 7 ended with max_tokens⟨U+202E⟩ "
        "(it did not come to that: this run has no such answer)"
    )
    assert "what if answer 1 ended with refusal" in read(table(trace)).text
    assert "What if: in the recording this answer ended with tool_use." in listing(trace)
    assert "what if" not in title(observe(whole_loop, "list_then_read"))
