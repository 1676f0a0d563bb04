"""``simulator lint``: what it prints and writes, and with what status it ends."""

import io
import json
import subprocess
import sys

import pytest

from simulator.cli import main as simulator
from simulator.commands import lint
from simulator.commands.parser import UsageError
from simulator.contract.lint.catalogue import slugs
from tests.contract.lint.made_up import RULES

UNUSED = "one()  # loop: ignore[AL04] nothing is wrong here\n"
UNEXPLAINED = "one()  # loop: ignore[AL02]\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of the user's: a right file, one that can be mended, one that cannot."""
    for name, source in (("right", "x = 1\n"), ("unused", UNUSED), ("unexplained", UNEXPLAINED)):
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *words, rules=RULES):
    """Return exit status, standard output and standard error of ``simulator lint``."""
    status = lint.main([*map(str, words)], rules)
    told = capsys.readouterr()
    return status, told.out, told.err


# Status


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["right.py"], 0),
        (["unused.py"], 1),
        (["."], 1),
        ([".", "--ignore", "AL90,AL91"], 0),
        ([".", "--ignore", "AL90", "--ignore", "unused-suppression"], 0),
        ([".", "--select", "AL02, AL04"], 0),
        (["unused.py", "--select", "AL90"], 0),
        (["unused.py", "--fix"], 0),
        (["unused.py", "--fix", "right.py"], 0),
        (["unexplained.py", "--fix"], 1),
        (["unused.py", "--diff"], 1),
        (["right.py", "--diff"], 0),
        (["--list"], 0),
    ],
)
def test_the_status_says_whether_anything_is_found(here, capsys, words, status):
    assert run(capsys, *words, rules={} if "--list" in words else RULES)[0] == status


def test_a_file_that_cannot_be_linted_is_status_1_and_the_others_are_linted(here, capsys):
    (here / "broken.py").write_text("x = (\n", encoding="utf-8")
    status, out, err = run(capsys, "broken.py", "unused.py", "--brief")
    assert (status, err) == (1, "")
    assert out.splitlines()[0].startswith("broken.py:1:5: This is no Python that Python 3.")
    assert out.splitlines()[1].startswith("unused.py:1:8: AL91 unused-suppression")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Name the files or folders to lint"),
        (["nothing.py", "right.py"], "There is no file or folder nothing.py."),
        (["right.py", "--select", "AL92"], "--select: there is no rule AL92. Did you mean AL9"),
        (["right.py", "--ignore", "unused-supression"], "Did you mean unused-suppression?"),
        (["right.py", "--fix", "--diff"], "not allowed with argument --fix"),
        (["right.py", "--json", "--sarif"], "not allowed with argument --json"),
        (["right.py", "--diff", "--json"], "--diff prints the changes and nothing else"),
        (["-", "--fix"], "--fix cannot write standard input back"),
        (["right.py", "--fxi"], "unrecognized arguments: --fxi"),
    ],
)
def test_wrong_usage_is_status_2_and_one_sentence(here, capsys, words, said):
    with pytest.raises(UsageError) as raised:
        run(capsys, *words)
    assert said in str(raised.value)
    assert simulator(["lint", *words]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)


@pytest.mark.parametrize("table", ["[tool.loop-lint]\nselct = []", "[tool.loop-lint"])
def test_settings_that_cannot_be_followed_are_status_2_before_anything_is_mended(here, capsys, table):
    (here / "sub").mkdir()
    (here / "sub" / "a.py").write_text("", encoding="utf-8")
    (here / "sub" / "pyproject.toml").write_text(table, encoding="utf-8")
    assert simulator(["lint", ".", "--fix"]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert (here / "unused.py").read_text(encoding="utf-8") == UNUSED


def test_a_folder_without_python_says_so(here, capsys):
    (here / "empty").mkdir()
    status, out, err = run(capsys, "empty")
    assert (status, out) == (0, "Files: 0. Nothing found.\n")
    assert err.startswith("No Python file and no notebook was found in empty;")


# Choosing rules


def test_what_is_selected_replaces_the_settings_and_what_is_ignored_adds_to_them(here, capsys):
    (here / "pyproject.toml").write_text(
        '[tool.loop-lint]\nselect = ["AL91"]\nignore = ["AL06"]\n', encoding="utf-8"
    )
    (here / "all.py").write_text("x  # loop: ignore[AL02]\ny  # loop: ignore[AL91] x\n", encoding="utf-8")

    def found(*words):
        return sorted(json.loads(run(capsys, "all.py", "--json", *words)[1])["summary"])

    assert found() == ["AL91"]
    assert found("--select", "AL90") == ["AL90"]
    assert found("--select", "AL90,AL91", "--ignore", "AL91") == ["AL90"]


def test_the_rules_are_listed_with_title_and_reason(capsys):
    _, out, _ = run(capsys, "--list", rules={})
    blocks = out.strip().split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == [
        "AL90 suppression-without-reason",
        "AL91 unused-suppression  [--fix]",
    ]
    assert all(len(block.splitlines()) >= 3 for block in blocks)
    listed = json.loads(run(capsys, "--list", "--json", rules={})[1])
    assert [each["id"] for each in listed] == list(slugs({}))


# Mending


def test_fix_mends_says_what_and_a_second_time_does_nothing(here, capsys):
    status, out, err = run(capsys, ".", "--fix", "--brief")
    assert (status, err) == (1, "")
    assert out.splitlines()[0] == "unused.py:1: mended AL91 unused-suppression"
    assert "Mended: 1. Files changed: 1.\n" in out
    assert out.splitlines()[1].startswith("unexplained.py:1:8: AL90")
    assert (here / "unused.py").read_text(encoding="utf-8") == "one()\n"
    _, again, _ = run(capsys, ".", "--fix")
    assert "mended" not in again.lower()


def test_what_was_mended_stands_in_the_json(here, capsys):
    status, out, _ = run(capsys, "unused.py", "--fix", "--json")
    told = json.loads(out)
    assert (status, told["passed"], told["findings"]) == (0, True, [])
    assert [each["id"] for each in told["mended"]] == ["AL91"]


def test_diff_prints_a_patch_and_writes_nothing(here, capsys):
    status, out, err = run(capsys, ".", "--diff")
    assert status == 1
    assert out.splitlines() == [
        "--- unused.py",
        "+++ unused.py",
        "@@ -1 +1 @@",
        f"-{UNUSED.strip()}",
        "+one()",
    ]
    assert "Findings: 2." in err
    assert (here / "unused.py").read_text(encoding="utf-8") == UNUSED


def test_a_notebook_is_not_mended_and_that_is_said(here, capsys):
    book = json.dumps({"cells": [{"cell_type": "code", "source": UNUSED}]})
    (here / "a.ipynb").write_text(book, encoding="utf-8")
    status, out, err = run(capsys, "a.ipynb", "--fix", "--brief")
    assert (status, (here / "a.ipynb").read_text(encoding="utf-8")) == (1, book)
    assert out.startswith("a.ipynb: cell 1, line 1: AL91 ")
    assert err.startswith("In notebooks nothing is mended")


# Standard input and output


def stdin(monkeypatch, raw):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))


def test_a_dash_is_standard_input(here, capsys, monkeypatch):
    stdin(monkeypatch, b"\xef\xbb\xbf" + UNUSED.encode())
    status, out, _ = run(capsys, "-", "right.py", "--brief")
    assert status == 1
    assert out.startswith("<stdin>:1:8: AL91 ")
    stdin(monkeypatch, b"x = (")
    assert run(capsys, "-", "--brief")[1].startswith("<stdin>:1:5: This is no Python")
    stdin(monkeypatch, UNUSED.encode())
    assert run(capsys, "-", "--diff")[1].startswith("--- <stdin>\n")


def test_each_report_is_all_that_goes_to_standard_output(here, capsys):
    assert json.loads(run(capsys, ".", "--json")[1])["format"] == "agent-loop-lint"
    assert json.loads(run(capsys, ".", "--sarif", rules={})[1])["version"] == "2.1.0"
    out = run(capsys, ".", "--github")[1]
    assert [line.partition(" ")[0] for line in out.splitlines()] == ["::error"] * 2


def test_help_is_quick_and_no_heavy_library_is_imported(here):
    code = (
        "import sys; from simulator.cli import main; main(['lint', '.']);"
        "print({'anthropic', 'vcr', 'yaml', 'rich', 'jsonschema', 'jinja2'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=here)
    assert done.stdout.splitlines()[-1] == "set()"
    assert done.stderr == ""
