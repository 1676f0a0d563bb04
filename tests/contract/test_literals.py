"""Whatever a contract says, its literal is one: it gives the value back, and the formatter leaves it."""

import ast
import io
import subprocess
import sys
import time
import tokenize
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simulator.contract.literals import WIDTH, Code, assigned, columns, literal, quotation, quoted
from simulator.text.visible import HIDDEN

ROOT = Path(__file__).parents[2]

ODD = (
    "ab  \"\"''\\\\\n\t\r\x00\x1b\x85\xa0\xad\u0301\u061c\u200b\u200d"
    "\u2028\u202e\u2066\u3000\ufe0f\ufeff\ud83d\udc00"
)
TELLING = "{}%#é—“漢ｗ字かνЖ🙂👍🏽🇪\U000e0041"
TEXT = st.text(st.sampled_from(ODD + TELLING) | st.characters(), max_size=300)
NUMBER = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=20,
)

BORDERS = [
    text
    for size in range(80, 125)
    for text in (
        "x" * size,
        "y " * (size // 2),
        "é" * size,
        "字" * (size // 2),
        '"' + "z" * size,
        "ｗ" * (size // 2),
    )
]
"""Texts about as long as a line."""


def value_of(statement: str) -> Any:
    """Return the value of an assignment, which has to be the only statement."""
    (only,) = ast.parse(statement).body
    assert isinstance(only, ast.Assign | ast.AnnAssign)
    assert only.value is not None
    return ast.literal_eval(only.value)


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal, a float no integer and True no 1."""
    return repr(one) == repr(other)


@given(JSON)
@example("\ud800")
@example({"a": [1.0, 1, True, None, -0.0, 1e300, 5e-324]})
def test_a_literal_gives_the_value_back(value: Any) -> None:
    assert same(ast.literal_eval(literal(value)), value)
    assert same(value_of(assigned(value, "NAME: Json")), value)


@given(TEXT)
def test_a_text_is_one_string_and_nothing_beside_it(text: str) -> None:
    source = assigned(text, "NAME") + "\n"
    kinds = [
        token.type
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.OP)
    ]
    assert kinds[0] == tokenize.NAME
    assert set(kinds[1:]) == {tokenize.STRING}


@given(TEXT)
def test_what_nobody_sees_or_what_turns_a_line_round_is_written_as_an_escape(text: str) -> None:
    for source in (literal(text), assigned(text, "NAME"), quotation(text)):
        shown = source.replace("\n", "")
        assert not [each for each in shown if any(first <= ord(each) <= last for first, last in HIDDEN)]
        assert not [
            each for each in shown if unicodedata.category(each) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
        ]
        assert not [each for each in shown if each != " " and unicodedata.category(each) == "Zs"]
        source.encode("utf-8")


@given(TEXT)
def test_no_line_is_wider_than_a_line_may_be(text: str) -> None:
    for source in (assigned(text, "NAME"), assigned({"key": [text]}, "NAME: Json"), quotation(text)):
        assert all(columns(line).least <= WIDTH for line in source.splitlines())


@given(TEXT)
@example('"""')
@example("\\")
@example(">>> 1/0")
def test_a_quotation_stays_within_its_docstring_and_runs_nowhere(text: str) -> None:
    import doctest

    source = f'"""First line.\n\n{quotation(text)}\n\nLast line.\n"""\n'
    (only,) = ast.parse(source).body
    documented = ast.get_docstring(ast.parse(source), clean=False)
    assert isinstance(only, ast.Expr)
    assert documented is not None
    assert documented.endswith("\n\nLast line.\n")
    assert not doctest.DocTestParser().get_examples(documented)
    words = "".join(line.removeprefix("> ") for line in documented.splitlines()[2:-2])
    assert "".join(words.split()) == "".join(text.split())


def test_a_short_text_stays_on_its_line_and_a_long_one_is_broken_at_its_own_line_ends() -> None:
    assert assigned("Look first.", "SYSTEM") == 'SYSTEM = "Look first."'
    assert assigned('Say "yes".', "SYSTEM") == "SYSTEM = 'Say \"yes\".'"
    long = "Look into every book before you answer.\n" * 3
    piece = '    "Look into every book before you answer.\\n"'
    assert assigned(long, "SYSTEM") == "\n".join(["SYSTEM = (", piece, piece, piece, ")"])


@pytest.mark.parametrize("text", ["x" * 200_000, "a b " * 50_000, "\x01" * 40_000, 'ñ\\"' * 60_000])
def test_a_text_as_long_as_a_contract_may_hold_is_written_in_seconds(text: str) -> None:
    began = time.perf_counter()
    source = assigned(text, "x")
    assert time.perf_counter() - began < 10
    assert ast.literal_eval(source.removeprefix("x = ")) == text


def test_letters_of_every_language_stay_letters() -> None:
    assert (
        quoted("¿Qué hay? Ελληνικά, русский, 漢字, עברית 🙂")
        == '"¿Qué hay? Ελληνικά, русский, 漢字, עברית 🙂"'
    )


def test_a_literal_is_code_and_what_is_made_of_it_otherwise_is_not() -> None:
    assert isinstance(literal("x"), Code)
    assert not isinstance(literal("x") + "; import os", Code)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}, b"x", lambda: None])
def test_what_is_no_json_has_no_literal(value: Any) -> None:
    with pytest.raises(TypeError, match="is not a value of JSON"):
        literal(value)


def test_the_formatter_and_the_linter_leave_the_borders_of_a_line_alone(tmp_path: Path) -> None:
    statements = [assigned(text, f"FLAT_{n}") for n, text in enumerate(BORDERS)]
    statements += [
        assigned({"key": text, "more": [text, 1]}, f"DEEP_{n}: Json") for n, text in enumerate(BORDERS)
    ]
    assert_left_alone(statements, tmp_path)


@settings(max_examples=5)
@given(st.lists(JSON, min_size=40, max_size=60))
def test_the_formatter_and_the_linter_leave_every_literal_alone(values: list[Any]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        assert_left_alone([assigned(value, f"VALUE_{n}") for n, value in enumerate(values)], Path(folder))


def assert_left_alone(statements: list[str], folder: Path) -> None:
    """Assert that ruff has nothing to say of *statements*, neither its formatter nor its linter."""
    file = folder / "literals_of_a_test.py"
    file.write_bytes(('"""Literals."""\n\nJson = object\n\n' + "\n".join(statements) + "\n").encode("utf-8"))
    for command in (["format", "--diff"], ["check"]):
        ran = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--config", str(ROOT / "pyproject.toml"), str(file)],
            capture_output=True,
            encoding="utf-8",
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
