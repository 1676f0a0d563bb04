"""Where ``simulator check`` may write and what it says when it cannot; nothing that it found is lost."""

import re

import pytest

from simulator.commands.check_table import Row, show
from tests.gate.test_check_command import Screen, here, run

__all__ = ["here"]


@pytest.mark.parametrize("option", ["--json", "--junit", "--sarif"])
def test_a_report_goes_into_no_folder(option, here, capsys):
    (here / "out").mkdir()
    status, out, err = run(capsys, "right.py", "--only", "parallel.runs_every_call", option, "out")
    assert (status, out, "out is a folder" in err) == (2, "", True)


def test_two_reports_do_not_share_a_file(here, capsys):
    status, out, err = run(capsys, "right.py", "--json", "a.json", "--sarif", "./a.json")
    assert (status, out, "two reports" in err) == (2, "", True)
    assert not (here / "a.json").exists()


def test_a_page_of_somebody_else_is_found_before_the_loop_runs(here, capsys):
    page = here / "site" / "parallel.runs_every_call.html"
    page.parent.mkdir()
    page.write_text("<h1>mine</h1>", encoding="utf-8")
    status, out, err = run(capsys, "first_only.py", "--only", "parallel.runs_every_call", "--html", "site")
    assert (status, out, "left as it is" in err, "--force" in err) == (2, "", True, False)
    assert page.read_text(encoding="utf-8") == "<h1>mine</h1>"


def test_pages_that_cannot_be_made_are_told_of_before_the_loop_runs(here, capsys):
    words = ("right.py", "--only", "parallel.runs_every_call", "--html", "right.py/out")
    status, out, err = run(capsys, *words)
    assert (status, out, "could not be read or written" in err, err.count("\n")) == (2, "", True, 1)


def test_a_report_that_cannot_be_written_takes_no_other_along(here, capsys):
    (here / "gone").mkdir()
    source = (here / "right.py").read_text(encoding="utf-8")
    (here / "away.py").write_text(f"import os\nos.rmdir('gone')\n{source}", encoding="utf-8")
    words = (
        "away.py:loop",
        "--only",
        "parallel.runs_every_call",
        "--json",
        "gone/a.json",
        "--junit",
        "a.xml",
    )
    status, out, err = run(capsys, *words)
    assert (status, "a.json" in err, ".tmp" in err, err.count("\n")) == (2, True, False, 1)
    assert "1 hold" in out
    assert (here / "a.xml").is_file()


def test_an_empty_wish_can_be_seen_in_its_error(here, capsys):
    assert "--only ''" in run(capsys, "right.py", "--only", "")[2]
    assert run(capsys, "")[2].startswith("'' names no loop")


@pytest.mark.parametrize("width", [20, 40])
def test_a_narrow_terminal_loses_no_word(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm-256color")
    screen = Screen()
    show([Row("It holds (ending.waits_for_the_end_of_all_things)", "could not check", "fail", 1)], screen)
    bare = re.sub(r"\x1b\[[\d;]*m|\s", "", screen.text)
    assert "(ending.waits_for_the_end_of_all_things)" in bare


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise MemoryError", "at line 2 (MemoryError). Put that line right first"),
        (
            "raise SystemExit('bye')",
            "at line 2. Put a return value or an exception of your own in its place.",
        ),
        ("while True: pass", "See that every way round the loop asks the model again or leaves."),
    ],
    ids=["raises without a word", "ends the program", "never asks"],
)
def test_a_loop_that_never_asks_is_told_what_to_do_in_words_of_this_command(body, says, here, capsys):
    (here / "odd.py").write_text(
        f"def run(client, messages, tools, handlers):\n    {body}\n", encoding="utf-8"
    )
    status, out, err = run(capsys, "odd.py", "--only", "parallel")
    assert (status, out) == (1, "")
    assert says in err
    assert "deadline=" not in err
