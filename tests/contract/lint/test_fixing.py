"""``--fix``: what it changes, what it leaves, and that a second time changes nothing."""

import ast
import os
import shutil
import stat
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.contract.lint.edits import apply
from simulator.contract.lint.finding import Edit, Finding, Place
from simulator.contract.lint.fixing import change, difference, fix, mend
from simulator.contract.lint.parsing import parses
from simulator.contract.lint.run import findings_in
from simulator.contract.lint.settings import Settings
from simulator.contract.lint.walk import Job
from tests.contract.lint.made_up import ALL, RULES, named, place_of


def mended(whole, rules=RULES):
    return mend(whole, lambda source: findings_in(source, "x.py", ALL, rules))


def job(path):
    return Job(path, path.name, Settings())


def file_of(folder, raw):
    path = folder / "a.py"
    path.write_bytes(raw)
    return path


# Texts


def test_what_has_a_fix_is_mended_and_the_rest_is_left():
    result = mended("assistant(nobody, endless)\n")
    assert result.whole == "user(somebody, endless)\n"
    assert [each.rule for each in result.done] == ["AL04", "AL06"]
    assert [each.rule for each in result.left] == ["AL02"]


@pytest.mark.parametrize(
    "whole",
    [
        "nobody\r\nassistant\r\n",
        "nobody\rassistant",
        "'''a\r\nb'''\nnobody\r\n\x0cassistant # \u2028 nobody\n",
        "",
    ],
)
def test_every_line_keeps_its_own_end(whole):
    assert mended(whole).whole == whole.replace("assistant", "user").replace(
        "nobody #", "somebody #"
    ).replace("nobody\r", "somebody\r")


def test_new_lines_end_as_their_neighbours_do():
    edits = [Edit(Place(2, 1, 2, 1), "new\n"), Edit(Place(3, 2, 3, 2), "\nlast")]
    assert apply("a\r\nb\r\nc", edits) == "a\r\nnew\r\nb\r\nc\r\nlast"
    assert apply("a", [Edit(Place(1, 2, 1, 2), "\nb")]) == "a\nb"
    assert apply("a\nb\n", [Edit(Place(2, 1, 3, 1), ""), Edit(Place(1, 9, 1, 9), "!")]) == "a!\n"


def beside(module):
    """Yield two findings whose edits touch: `assistant` and the whole call around it."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and any(
            isinstance(each, ast.Name) and each.id == "assistant" for each in node.args
        ):
            yield Finding(
                "AL06", place_of(node, module.source), "", {}, (Edit(place_of(node, module.source), "f()"),)
            )


def test_of_fixes_that_touch_the_second_waits_for_the_next_round():
    rules = {"AL04": RULES["AL04"], "AL06": ("calls", beside)}
    result = mended("x = f(assistant)\n", rules)
    assert result.whole == "x = f()\n"
    assert len(result.done) == 1
    rounds = {"AL04": ("one", named("AL04", "one", "two")), "AL06": ("two", named("AL06", "two", "three"))}
    assert mended("one\n", rounds).whole == "three\n"


@pytest.mark.parametrize(
    "good", ["def", "1 +", "a b", "lambda x, x: x", "assistant", "assistant.assistant", "(assistant)"]
)
def test_a_fix_that_is_none_is_not_made_and_keeps_no_other_from_being_made(good):
    rules = {**RULES, "AL04": ("wrong-role", named("AL04", "assistant", good))}
    result = mended("assistant\nnobody\n", rules)
    assert result.whole == "assistant\nsomebody\n"
    assert [each.rule for each in result.left] == ["AL04"]


def test_fixes_that_only_together_are_no_python_are_not_both_made():
    rules = {"AL04": ("one", named("AL04", "one", "x := 1")), "AL06": ("two", named("AL06", "two", "*y"))}
    result = mended("f(one)\n(two)\n", rules)
    assert result.whole == "f(x := 1)\n(two)\n"
    assert [each.rule for each in result.left] == ["AL06"]


def test_what_never_comes_to_rest_is_left_as_it_was():
    rules = {"AL04": ("one", named("AL04", "one", "two")), "AL06": ("two", named("AL06", "two", "one"))}
    result = mended("one, 1\n", rules)
    assert (result.whole, result.done) == ("one, 1\n", ())


def test_a_source_that_python_parses_but_does_not_compile_is_mended_too():
    assert mended("return assistant\n").whole == "return user\n"


def test_what_is_suppressed_is_not_mended():
    source = "assistant  # loop: ignore[AL04] it is right here\n"
    assert mended(source).whole == source


WORDS = st.sampled_from(["assistant", "nobody", "endless", "user", "x", "# loop: ignore[AL04] y", "é"])
LINES = st.lists(WORDS, max_size=4).map(lambda words: "; ".join(words).replace("; #", "  #"))
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@given(st.lists(st.tuples(LINES, ENDS), max_size=8), st.sampled_from(["", "# coding: latin-1\n"]))
def test_whatever_is_mended_is_python_and_mended_for_good(lines, head):
    whole = head + "".join(line + end for line, end in lines)
    once = mended(whole)
    assert parses(once.whole) or not parses(whole)
    assert not any(each.fix for each in once.left)
    again = mended(once.whole)
    assert (again.whole, again.done) == (once.whole, ())


@given(st.text(st.sampled_from("assistant nobody#()'\"\n\r\t:=[]loop ignoreAL04é\f\\"), max_size=60))
def test_any_text_is_mended_or_told_to_be_no_python(text):
    if parses(text):
        once = mended(text)
        assert parses(once.whole)
        assert mended(once.whole).whole == once.whole


# Files


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"\xef\xbb\xbfassistant\r\n", b"\xef\xbb\xbfuser\r\n"),
        (b"# coding: latin-1\n'\xe9'; assistant", b"# coding: latin-1\n'\xe9'; user"),
        ("assistant  # ✓\r".encode(), "user  # ✓\r".encode()),
    ],
)
def test_a_file_keeps_its_encoding_its_bom_and_its_line_ends(tmp_path, before, after):
    path = file_of(tmp_path, before)
    file = fix(job(path), RULES)
    assert path.read_bytes() == after
    assert [each.rule for each in file.mended] == ["AL04"]
    assert [each.name for each in tmp_path.iterdir()] == ["a.py"]
    assert file.line(file.mended[0].place.line).endswith(("user", "user  # ✓"))


def test_a_file_keeps_its_mode(tmp_path):
    path = file_of(tmp_path, b"assistant\n")
    path.chmod(0o750)
    before = stat.S_IMODE(path.stat().st_mode)
    fix(job(path), RULES)
    assert path.read_bytes() == b"user\n"
    assert stat.S_IMODE(path.stat().st_mode) == before


def test_a_file_without_fixes_is_not_touched(tmp_path):
    path = file_of(tmp_path, b"endless\n")
    os.utime(path, ns=(1, 1))
    assert [each.rule for each in fix(job(path), RULES).findings] == ["AL02"]
    assert path.stat().st_mtime_ns == 1


def codes(file):
    return [each.code for each in file.problems]


def test_a_file_that_somebody_changed_meanwhile_is_left_as_it_is(tmp_path):
    path = file_of(tmp_path, b"assistant\n")
    seen = []

    def check(module):
        seen.append(module)
        if len(seen) == 2:
            path.write_bytes(b"nobody\n")
        yield from RULES["AL04"][1](module)

    file = fix(job(path), {"AL04": ("wrong-role", check)})
    assert path.read_bytes() == b"nobody\n"
    assert codes(file) == ["lint.broken.changed"]
    assert file.mended == ()


def test_a_fix_that_the_encoding_cannot_hold_is_not_made(tmp_path):
    path = file_of(tmp_path, b"# coding: ascii\nassistant\n")
    file = fix(job(path), {"AL04": ("wrong-role", named("AL04", "assistant", "ü"))})
    assert (path.read_bytes(), codes(file)) == (b"# coding: ascii\nassistant\n", ["lint.broken.not_encoded"])
    assert [each.rule for each in file.findings] == ["AL04"]


def test_a_file_that_would_not_come_back_the_same_is_left_alone(tmp_path):
    raw = b"# coding: utf-7\n'+AGE-'; assistant\n"
    path = file_of(tmp_path, raw)
    assert codes(fix(job(path), RULES)) == ["lint.broken.not_encoded"]
    assert path.read_bytes() == raw


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_is_left_alone(tmp_path):
    path = file_of(tmp_path, b"assistant\n")
    path.chmod(0o444)
    assert codes(fix(job(path), RULES)) == ["lint.broken.read_only"]


# Differences


@pytest.mark.parametrize(
    "raw",
    [
        b"1\n2\n3\n4\nassistant\n6\n7\n8\n9\n10\n11\n12\nnobody\n",
        b"1\r\nassistant\r\n3\r\n",
        b"1\nassistant",
        "é\r\n# loop: ignore[AL04] unused\nnobody\n".encode(),
    ],
)
def test_a_difference_is_what_patch_makes_of_the_file(tmp_path, raw):
    if shutil.which("patch") is None:
        pytest.skip("there is no patch on this machine")
    path = file_of(tmp_path, raw)
    changed = change(job(path), RULES)
    assert path.read_bytes() == raw
    patch = difference(changed).encode("utf-8")
    subprocess.run(["patch", "--binary", "a.py"], input=patch, cwd=tmp_path, check=True, capture_output=True)
    assert path.read_bytes() == changed.after != raw


def test_a_difference_names_the_file_and_shows_what_has_no_last_line_end(tmp_path):
    shown = difference(change(job(file_of(tmp_path, b"assistant")), RULES))
    assert shown.splitlines()[:2] == ["--- a.py", "+++ a.py"]
    assert shown.count("\\ No newline at end of file\n") == 2
    assert difference(change(job(file_of(tmp_path, b"endless")), RULES)) == ""
