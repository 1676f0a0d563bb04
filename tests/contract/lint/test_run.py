"""What is linted: files, folders, encodings; and what is said of a file that cannot be."""

import os
import sys
from pathlib import Path

import pytest

from simulator.contract import lint
from simulator.contract.lint.parsing import MAX_BYTES, decode
from simulator.contract.lint.problems import BrokenSourceError, sentence
from simulator.contract.lint.run import lint_paths, lint_source
from tests.contract.lint.made_up import RULES

BAD = "endless()\n"


def linted(*paths):
    return lint_paths(paths, rules=RULES)


def write(folder, *names, text=BAD):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def problems(file):
    return [(each.code, each.line, sentence(each)) for each in file.problems]


# Which files


def test_a_folder_stands_for_the_python_files_and_notebooks_below_it_in_order(tmp_path):
    write(tmp_path, "b.py", "a.pyw", "sub/c.py", "sub/deep/d.py", "notes.txt", "e.pyi", "f.py.bak")
    names = [Path(each.name).relative_to(tmp_path).as_posix() for each in linted(tmp_path)]
    assert names == ["a.pyw", "b.py", "sub/c.py", "sub/deep/d.py"]


def test_what_tools_and_environments_put_there_is_left_out(tmp_path):
    folders = (".git", ".venv", "venv", "node_modules", "__pycache__", "build", ".ipynb_checkpoints")
    write(tmp_path, "a.py", *(f"{each}/b.py" for each in folders), "mine/lib/c.py")
    write(tmp_path, "mine/pyvenv.cfg")
    assert [Path(each.name).name for each in linted(tmp_path)] == ["a.py"]


@pytest.mark.parametrize("name", ["script", "venv/a.py", ".hidden.py"])
def test_a_file_that_is_named_is_linted_wherever_it_is(tmp_path, name):
    write(tmp_path, name)
    assert [len(each.findings) for each in linted(tmp_path / name)] == [1]


def test_a_folder_that_is_named_is_looked_into_whatever_it_is_called(tmp_path):
    write(tmp_path, "build/a.py")
    assert len(linted(tmp_path / "build")) == 1


def test_a_file_comes_once(tmp_path):
    write(tmp_path, "a.py")
    try:
        (tmp_path / "b.py").symlink_to(tmp_path / "a.py")
        (tmp_path / "round").symlink_to(tmp_path, target_is_directory=True)
    except OSError:
        pytest.skip("this system lets this user make no symbolic links")
    assert len(linted(tmp_path, tmp_path / "a.py", tmp_path / "b.py")) == 1


@pytest.mark.parametrize("name", ["nothing.py", "no\0name", "x" * 5000])
def test_a_path_that_is_not_there_is_told_before_anything_is_linted(tmp_path, name):
    write(tmp_path, "a.py")
    with pytest.raises(FileNotFoundError) as raised:
        linted(tmp_path, tmp_path / name)
    assert raised.value.filename == str(tmp_path / name)


# How they are read


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        (b"\xef\xbb\xbfendless()\n", 1),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'; endless()\n", 2),
        (b"#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\nx = '\x80'; endless()\n", 3),
        ("x = 'é'\r\nendless()\r\n".encode(), 2),
        (b"x = 1\rendless()\r", 2),
        (b"x = '''\r\n\r'''\n\x0cendless()", 4),
        ("# coding: utf-16\nendless()\n".encode("utf-16"), None),
    ],
)
def test_a_file_is_read_as_python_reads_it(tmp_path, raw, line):
    (tmp_path / "a.py").write_bytes(raw)
    [file] = linted(tmp_path / "a.py")
    assert [each.place.line for each in file.findings] == ([line] if line else [])
    assert bool(file.problems) is (line is None)
    if line:
        assert "endless()" in file.line(line)


def test_columns_count_characters(tmp_path):
    write(tmp_path, "a.py", text="é = '𝄞'; endless()\n")
    [file] = linted(tmp_path / "a.py")
    assert file.findings[0].place.column == 10


@pytest.mark.parametrize(
    ("raw", "code", "line", "said"),
    [
        (b"def f(:\n", "syntax", 1, "This is no Python that Python 3."),
        (b"x = 1\n  y = 2\n", "syntax", 2, "unexpected indent"),
        (b"\xff\xfe", "encoding", None, "cannot be read as utf-8"),
        (b"x = 1\n# \xe9\n\n\n\n\ny = '\xe9'\n", "encoding", None, "declare its encoding"),
        (b"# coding: no-such\n", "encoding", None, "unknown encoding: no-such"),
        (b"# coding: rot13\n", "encoding", None, "rot13"),
        (b"x = '\0'\n", None, None, ""),
        (b"x = " + b"(" * 5000 + b")" * 5000, None, None, ""),
        (b"x = " + b"-" * 100_000 + b"1", "deep", None, "nested too deeply"),
        (b"x = 1" + b"0" * 5000, "syntax", 1, "integer"),
        (b"# " + b"x" * MAX_BYTES, "large", None, "more than 2 MB"),
        (b"# coding: utf-7\nx = '+2AA-'\n", "characters", None, "half of a surrogate pair"),
        (b"\x1b[2J = 1", "syntax", 1, "U+001B"),
    ],
    ids=range(13),
)
def test_what_cannot_be_linted_is_one_sentence_and_the_others_are_linted(tmp_path, raw, code, line, said):
    (tmp_path / "a.py").write_bytes(raw)
    write(tmp_path, "b.py")
    broken, fine = linted(tmp_path)
    [(found, at, sentence)] = problems(broken)
    assert found in (
        f"lint.broken.{code}",
        *([] if code else ["lint.broken.syntax", "lint.broken.characters"]),
    )
    assert at == line or code is None
    assert said in sentence
    assert "\n" not in sentence
    assert "\x1b" not in sentence
    assert len(fine.findings) == 1


def test_no_warning_of_a_file_is_shown(tmp_path):
    # Warnings are errors in these tests.
    write(tmp_path, "a.py", text="x = '\\d'\nassert (1, 'x')\nx is 1\nendless\n")
    assert [each.rule for each in linted(tmp_path)[0].findings] == ["AL02"]


def test_nothing_that_is_linted_is_run(tmp_path):
    write(tmp_path, "a.py", text=f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    linted(tmp_path)
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_and_a_folder_that_may_not_be_read_are_told(tmp_path):
    write(tmp_path, "a.py", "shut/b.py")
    (tmp_path / "a.py").chmod(0)
    (tmp_path / "shut").chmod(0)
    codes = [problem.code for each in linted(tmp_path) for problem in each.problems]
    (tmp_path / "shut").chmod(0o700)
    assert codes == ["lint.broken.unreadable", "lint.broken.folder"]


def test_a_device_without_an_end_is_too_large():
    if not Path("/dev/zero").exists():
        pytest.skip("this system has no /dev/zero")
    assert problems(linted("/dev/zero")[0])[0][0] == "lint.broken.large"


def test_a_rule_that_gets_lost_in_the_depth_is_no_traceback(tmp_path):
    def lost(module):
        yield from lost(module)

    write(tmp_path, "a.py")
    [file] = lint_paths([tmp_path], rules={"AL02": ("no-limit", lost)})
    assert [each.code for each in file.problems] == ["lint.broken.deep"]


# In Python


def test_a_source_is_linted_in_the_order_of_its_lines_each_finding_once():
    twice = {**RULES, "AL03": ("twice", RULES["AL02"][1])}
    found = lint_source("endless\nassistant\nendless, nobody\n", rules=twice)
    assert [(each.rule, each.place.line) for each in found] == [
        ("AL02", 1),
        ("AL04", 2),
        ("AL02", 3),
        ("AL06", 3),
    ]


def test_the_public_functions_are_these_and_importing_them_is_light():
    assert lint.__all__ == ["lint_paths", "lint_source"]
    assert lint.lint_source("x = 1\n") == []
    with pytest.raises(BrokenSourceError, match="This is no Python"):
        lint.lint_source("x =\n")
    assert [each.findings for each in lint.lint_paths([Path(__file__)])] == [()]
    assert "libcst" not in sys.modules


def test_what_is_decoded_comes_back_the_same():
    text = decode(b"\xef\xbb\xbfx = 1\r\ny = 2\r")
    assert (text.whole, text.encoding, text.source) == ("x = 1\r\ny = 2\r", "utf-8-sig", "x = 1\ny = 2\n")
