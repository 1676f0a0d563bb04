"""Notebooks: their code cells are linted as one module, and places are told by cell and line."""

import json

import pytest

from simulator.contract.lint import as_text
from simulator.contract.lint.catalogue import slugs
from simulator.contract.lint.fixing import fix
from simulator.contract.lint.notebooks import neutral
from simulator.contract.lint.parsing import parse
from simulator.contract.lint.problems import BrokenSourceError
from simulator.contract.lint.run import lint_paths
from simulator.contract.lint.settings import Settings
from simulator.contract.lint.walk import Job
from tests.contract.lint.made_up import RULES


def book(*cells):
    """Return a notebook; a cell is its code, or a pair of type and text."""
    made = [cell if isinstance(cell, tuple) else ("code", cell) for cell in cells]
    return json.dumps(
        {
            "cells": [{"cell_type": kind, "source": source, "metadata": {}} for kind, source in made],
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {},
        }
    )


def linted(folder, text):
    path = folder / "a.ipynb"
    path.write_text(text, encoding="utf-8")
    [file] = lint_paths([path], rules=RULES)
    return file


def places(file):
    return [(each.rule, *file.place(each.place.line)) for each in file.findings]


def test_findings_are_told_by_cell_and_line(tmp_path):
    text = book(
        ("markdown", "# endless"), "x = 1\n", ["y = 2\n", "endless()"], ("raw", "endless"), "assistant"
    )
    assert places(linted(tmp_path, text)) == [("AL02", 3, 2), ("AL04", 5, 1)]


def test_text_offers_no_fix_in_a_notebook(tmp_path):
    file = linted(tmp_path, book("x = 1  # loop: ignore[AL02] nothing is wrong here"))
    assert [bool(each.fix) for each in file.findings] == [True]
    assert "--fix" not in as_text.plain(as_text.lines([file], slugs(RULES)))


def test_text_shows_the_cell_and_its_own_line_numbers(tmp_path):
    file = linted(tmp_path, book("x = 1\n\n", "y = 2\nz = 3  # loop: ignore[AL02]"))
    shown = as_text.plain(as_text.lines([file], slugs(RULES)))
    assert shown.splitlines()[0] == f"{file.name}: cell 2, line 2: AL90 suppression-without-reason"
    assert "  2 | z = 3  # loop: ignore[AL02]" in shown


@pytest.mark.parametrize(
    "code",
    [
        "%matplotlib inline\nendless()",
        "!pip install \\\n  something\nendless()",
        "%%time\nendless()",
        "files = !ls -l\nendless()",
        "a, b = %magic x\nendless()",
        "endless?\nendless()",
        "?endless\nendless()",
        "if True:\n    !ls\n    endless()",
        "await endless()",
        "\n\n%%capture out\nendless()",
        "x = (3\n  % endless)",
    ],
)
def test_what_is_only_ipython_is_passed_over_and_no_line_moves(tmp_path, code):
    assert places(linted(tmp_path, book(code))) == [("AL02", 1, code.count("\n") + 1)]


def test_a_cell_of_another_language_holds_nothing(tmp_path):
    file = linted(tmp_path, book("%%bash\nendless (\n", "endless"))
    assert places(file) == [("AL02", 2, 1)]
    assert file.problems == ()


def test_a_cell_that_is_no_python_is_one_problem_and_the_others_are_linted(tmp_path):
    file = linted(tmp_path, book("x = 1", "y = = 2", "endless"))
    assert [(each.code, each.cell, each.line) for each in file.problems] == [("lint.broken.syntax", 2, 1)]
    assert places(file) == [("AL02", 3, 1)]
    assert as_text.place(file, 2) == f"{file.name}: cell 3, line 1"


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "3", "{}", '{"cells": {}}', '{"worksheets": []}', "[" * 100_000],
    ids=range(8),
)
def test_what_is_no_notebook_is_one_sentence(tmp_path, text):
    assert [each.code for each in linted(tmp_path, text).problems] == ["lint.broken.notebook"]


@pytest.mark.parametrize("cell", [3, None, {}, {"cell_type": "code"}, {"cell_type": "code", "source": [1]}])
def test_what_is_no_cell_is_passed_over(tmp_path, cell):
    file = linted(tmp_path, json.dumps({"cells": [cell]}))
    assert (file.findings, file.problems) == ((), ())


def test_nothing_is_mended_in_a_notebook(tmp_path):
    text = book("assistant")
    linted(tmp_path, text)
    path = tmp_path / "a.ipynb"
    file = fix(Job(path, "a.ipynb", Settings()), RULES)
    assert [each.rule for each in file.findings] == ["AL04"]
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("code", ["%%time\nx =", "x = (\n!ls\n", "%ls\n   y"])
def test_what_stays_no_python_is_told(code):
    with pytest.raises(BrokenSourceError):
        neutral(code)


@pytest.mark.parametrize("code", ["", "x = 1\n", "%ls\n!ls\nx?\n", "%%html\n<b>\n"])
def test_a_cell_keeps_its_number_of_lines(code):
    made = neutral(code)
    parse(made)
    assert made.count("\n") == code.count("\n")
