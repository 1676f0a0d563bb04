"""Findings as text, JSON, SARIF and GitHub annotations: complete, escaped, and the same bytes each time."""

import io
import json
import re
from pathlib import Path

import jsonschema
import pytest

import simulator
from simulator.contract.lint import as_github, as_json, as_sarif, as_text
from simulator.contract.lint.catalogue import slugs
from simulator.contract.lint.edits import apply
from simulator.contract.lint.finding import Edit, Finding, Place
from simulator.contract.lint.problems import Problem
from simulator.contract.lint.run import Linted, lint_paths
from simulator.text import LANGUAGES
from tests.contract.lint.made_up import RULES

SCHEMA = json.loads((Path(as_json.__file__).parent / "lint.schema.json").read_text(encoding="utf-8"))
NAMED = slugs(RULES)

SOURCE = """class A:
    def run(self):
        one()  # loop: ignore[AL02]
        two()  # loop: ignore[AL04] nothing is wrong here
"""

BOOK = {"cells": [{"cell_type": "code", "source": ["one()  # loop: ignore[AL04] nothing\n"]}]}


@pytest.fixture
def files(tmp_path):
    """A file with two findings, a notebook with one, and a file that is no Python."""
    (tmp_path / "agents, old").mkdir()
    (tmp_path / "agents, old" / "lööp.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "book.ipynb").write_text(json.dumps(BOOK), encoding="utf-8")
    (tmp_path / "broken.py").write_text("x = 1\ny = (\n", encoding="utf-8")
    return lint_paths([tmp_path], rules=RULES)


# Text


def shown(*files, **options):
    return as_text.plain(as_text.lines(files, NAMED, **options))


def one(source, line, column, end_column, **more):
    """Return a file with one finding of a made-up place."""
    place = Place(line, column, more.pop("end_line", line), end_column)
    return Linted("a.py", source, (Finding("AL90", place, "", {"rules": "AL02"}, **more),))


def test_text_shows_the_place_the_line_a_mark_and_three_sentences(files):
    file = next(each for each in files if each.name.endswith("lööp.py"))
    parts = ("saw", "rule", "remedy")
    text = re.sub(r"\n {10}(?! )", " ", shown(file))
    first, second, tail = text.split("\n\n")
    assert first.splitlines()[:4] == [
        f"{file.name}:3:16: AL90 suppression-without-reason",
        "  3 | one()  # loop: ignore[AL02]",
        "    |        ^^^^^^^^^^^^^^^^^^^^",
        "  saw     This comment suppresses AL02 and does not say why, so nothing is suppressed.",
    ]
    for each in (first, second):
        assert [line.split()[0] for line in each.splitlines()[3:]] == list(parts)
    assert second.endswith(" `--fix` does this.")
    assert tail.splitlines() == [
        "Files: 1. Findings: 2. Files that could not be linted as a whole: 0.",
        "Of these `--fix` can mend 1; `--diff` shows how.",
    ]
    assert all(len(line) <= as_text.WIDTH for line in shown(file).splitlines() if line.startswith(" "))


def test_brief_text_has_a_line_for_each_finding_and_each_problem(files):
    *lines, summary, _ = shown(*files, brief=True).splitlines()
    assert summary == "Files: 3. Findings: 3. Files that could not be linted as a whole: 1."
    assert [re.sub(r"^.*[\\/]", "", line).partition(" ")[0] for line in lines] == [
        "book.ipynb:",
        "broken.py:2:5:",
        "lööp.py:3:16:",
        "lööp.py:4:16:",
    ]


@pytest.mark.parametrize(
    ("source", "column", "end", "line", "mark"),
    [
        ("\t\tx", 3, 4, "x", "^"),
        ("\tx\ty", 2, 5, "x y", "^^^"),
        ("'日本'; x", 7, 8, "'日本'; x", "        ^"),
        ("e\u0301 = x", 6, 7, "e\u0301 = x", "    ^"),
        ("'\x1b[2J'; x", 9, 10, "'⟨U+001B⟩[2J'; x", "               ^"),
        ("x", 2, 2, "x", " ^"),
        ("[bold]x", 7, 8, "[bold]x", "      ^"),
    ],
)
def test_the_mark_is_under_what_it_marks(source, column, end, line, mark):
    _, code, under, *_ = shown(one(source, 1, column, end)).splitlines()
    assert (code, under) == (f"  1 | {line}", f"    | {mark}")


@pytest.mark.parametrize(("column", "end"), [(1, 300), (150, 160), (290, 300), (1, 2)])
def test_a_long_line_is_shown_around_the_finding(column, end):
    source = "".join(chr(97 + number % 26) for number in range(300))
    _, code, under, *_ = shown(one(source, 1, column, end)).splitlines()
    assert max(len(code), len(under)) <= as_text.WIDTH
    first = under.index("^")
    assert code[first] == source[column - 1]
    assert under.count("^") >= min(end - column, 10)


def test_of_a_finding_over_several_lines_the_first_is_marked():
    _, code, under, *_ = shown(one("x = f(\n    1,\n)\n", 1, 5, 2, end_line=3)).splitlines()
    assert (code, under) == ("  1 | x = f(", "    |     ^^")


def test_a_place_that_is_not_in_the_source_is_no_crash():
    assert "a.py:9:9" in shown(one("x\n", 9, 9, 9))


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_colours_and_nothing_of_a_source_is_markup(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    made = as_text.lines([one("[red]x[/red] :smile: " + "y" * 200, 1, 6, 7)], NAMED)
    for no_colour in ("", "1"):
        monkeypatch.setenv("NO_COLOR", no_colour)
        out = Terminal()
        as_text.show(made, out)
        assert re.sub(r"\x1b\[[\d;]*m", "", out.getvalue()) == as_text.plain(made)
        coloured = re.search(r"\x1b\[[\d;]*3[0-7]m", out.getvalue())
        assert bool(coloured) is not bool(no_colour)


def test_nothing_found_is_said_too():
    assert shown(Linted("a.py"), Linted("b.py")) == "Files: 2. Nothing found.\n"


def test_what_was_mended_is_told_by_its_place(files):
    finding = next(each for file in files for each in file.findings if each.rule == "AL91")
    file = Linted("a.py", SOURCE, mended=(finding,))
    assert (
        as_text.plain(as_text.mended_lines([file], NAMED))
        == f"a.py:{finding.place.line}: mended AL91 unused-suppression\n"
    )
    assert shown(file).splitlines() == ["Mended: 1. Files changed: 1.", "Files: 1. Nothing found."]


# JSON


def dumped(value):
    return json.dumps(value, ensure_ascii=True, indent=1)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_json_is_what_its_schema_says(files, tmp_path, lang):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    mended = Linted("m.py", mended=files[0].findings)
    told = as_json.to_dict([*files, mended], tmp_path, NAMED, lang)
    jsonschema.validate(told, SCHEMA)
    assert (told["passed"], told["files"], told["summary"]) == (False, 4, {"AL90": 1, "AL91": 2})
    assert [each["file"] for each in told["findings"]] == ["book.ipynb", *["agents, old/lööp.py"] * 2]
    assert [each["cell"] for each in told["findings"]] == [1, None, None]
    assert told["findings"][1]["function"] == "A.run"
    assert [(each["file"], each["line"]) for each in told["problems"]] == [("broken.py", 2)]
    assert str(tmp_path) not in dumped(told)


def test_the_edits_of_the_json_mend_the_file(files, tmp_path):
    told = as_json.to_dict(files, tmp_path, NAMED)
    book, first, second = told["findings"]
    assert book["fix"] == first["fix"] == []
    [edit] = second["fix"]
    text = edit.pop("text")
    made = Edit(Place(*edit.values()), text)
    assert apply(SOURCE, [made]).splitlines()[-1] == "        two()"


def test_json_and_sarif_are_the_same_bytes_each_time(files, tmp_path):
    again = lint_paths([tmp_path], rules=RULES)
    for report in (as_json, as_sarif):
        first, second = (dumped(report.to_dict(each, tmp_path, ABOUT)) for each in (files, again))
        assert first == second


def test_a_file_elsewhere_keeps_the_name_it_was_given(tmp_path):
    outside = tmp_path / "a b.py"
    assert as_json.path(str(outside), tmp_path / "here") == outside.as_posix()
    assert as_sarif.uri(str(outside), tmp_path / "here") == outside.as_uri()
    assert as_sarif.uri(str(outside), tmp_path) == "a%20b.py"
    assert as_sarif.uri("../a.py", tmp_path) == "../a.py"
    assert as_sarif.uri("<stdin>", tmp_path) == "%3Cstdin%3E"
    assert as_sarif.uri("\udcff.py", tmp_path) == "%FF.py"


def test_the_rules_can_be_listed_for_programs():
    listed = as_json.rules_to_list({})
    assert [(each["id"], each["slug"], each["fix"]) for each in listed] == [
        ("AL90", "suppression-without-reason", False),
        ("AL91", "unused-suppression", True),
    ]


# SARIF


ABOUT = {"AL90": NAMED["AL90"], "AL91": NAMED["AL91"]}
"""The rules whose sentences these tests need."""


def test_sarif_has_rules_results_places_and_edits(files, tmp_path):
    log = as_sarif.to_dict(files, tmp_path, ABOUT)
    assert (log["$schema"], log["version"]) == (as_sarif.SCHEMA, "2.1.0")
    [run] = log["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("agent-loop-lint", simulator.__version__)
    assert run["columnKind"] == "unicodeCodePoints"
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
    book, first, second = run["results"]
    physical = second["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "agents%2C%20old/l%C3%B6%C3%B6p.py"}
    assert physical["region"] == {"startLine": 4, "startColumn": 16, "endLine": 4, "endColumn": 58}
    assert second["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "A.run"
    [change] = second["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"] == physical["artifactLocation"]
    assert change["replacements"] == [
        {"deletedRegion": {"startLine": 4, "startColumn": 14, "endLine": 4, "endColumn": 58}}
    ]
    assert "fixes" not in first
    assert "fixes" not in book
    assert "region" not in book["locations"][0]["physicalLocation"]
    assert "cell 1, line 1: " in book["message"]["text"]


def test_sarif_tells_what_could_not_be_linted_as_notifications(files, tmp_path):
    [run] = as_sarif.to_dict(files, tmp_path, ABOUT)["runs"]
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"] is False
    [told] = invocation["toolExecutionNotifications"]
    assert told["descriptor"] == {"id": "lint.broken.syntax"}
    assert told["locations"][0]["physicalLocation"]["region"] == {"startLine": 2}
    [fine] = as_sarif.to_dict([Linted("a.py")], tmp_path, ABOUT)["runs"][0]["invocations"]
    assert fine == {"executionSuccessful": True}


def test_a_finding_keeps_its_fingerprint_when_lines_move_and_two_alike_have_two(tmp_path):
    def prints(source):
        path = tmp_path / "a.py"
        path.write_text(source, encoding="utf-8")
        [run] = as_sarif.to_dict(lint_paths([path], rules=RULES), tmp_path, ABOUT)["runs"]
        return [each["partialFingerprints"]["finding/v1"] for each in run["results"]]

    line = "x()  # loop: ignore[AL02]\n"
    first, second = prints(line + line)
    assert first != second
    assert prints("# moved\n\n" + line) == [first]


# GitHub


def test_github_gets_an_annotation_for_each_finding_and_each_problem(files, tmp_path):
    lines = list(as_github.to_lines(files, tmp_path, NAMED))
    heads = [line.split("::")[1] for line in lines]
    assert heads == [
        "error file=book.ipynb,title=AL91 unused-suppression",
        "error file=broken.py,line=2",
        "error file=agents%2C old/lööp.py,line=3,col=16,endColumn=36,title=AL90 suppression-without-reason",
        "error file=agents%2C old/lööp.py,line=4,col=16,endColumn=58,title=AL91 unused-suppression",
    ]
    assert all("\n" not in line for line in lines)


def test_nothing_in_a_name_or_a_sentence_becomes_a_command_of_its_own(tmp_path):
    facts = {"rules": "50%\r\n::set-env name=PATH::x"}
    finding = Finding("AL90", Place(1, 1, 2, 1), "", facts)
    problem = Problem("lint.broken.syntax", {"version": "3", "problem": "a\nb"}, 1, cell=2)
    name = "a,line=1::x%\n.py"
    [first, second] = as_github.to_lines([Linted(name, "", (finding,), (problem,))], tmp_path, NAMED)
    assert first.startswith("::error file=a%2Cline=1%3A%3Ax%25%0A.py::")
    assert second.startswith("::error file=a%2Cline=1%3A%3Ax%25%0A.py,line=1,endLine=2,title=AL90 ")
    assert "50%25%0A::set-env" in second
    assert not re.search(r"[\r\n]", first + second)
