"""Files made to break a reader: each is refused in one sentence, quickly, or read as the data it is."""

import json
import os
import time
from pathlib import Path

import pytest

from simulator.contract import ContractError, read
from tests.contract.test_reading import PLAIN, refusal

WHOLE = json.dumps(PLAIN)
MANY = 250_000

FILES: dict[str, tuple[bytes, str]] = {
    "10 MB": (b'"' + b"a" * 10_000_000 + b'"', "json.too_large"),
    "10 MB of nothing": (b" " * 10_000_000, "json.too_large"),
    "100,000 lists": (b"[" * 100_000, "json.too_deep"),
    "100,000 closed lists": (b"[" * 100_000 + b"]" * 100_000, "json.too_deep"),
    "40,000 objects": (b'{"a":' * 40_000, "json.too_deep"),
    "deep behind a key": (WHOLE[:-1].encode() + b', "x": ' + b"[" * 90_000 + b"}", "json.too_deep"),
    "many values": (b"[" + b"1," * 100_000 + b"1]", "json.too_large"),
    "many keys": (json.dumps({f"k{n}": n for n in range(15_000)}).encode(), "json.too_large"),
    "many of one key": (b"{" + b",".join([b'"a":1'] * 40_000) + b"}", "json.too_large"),
    "UTF-16": (WHOLE.encode("utf-16"), "json.encoding"),
    "UTF-16 without a mark": (WHOLE.encode("utf-16-le"), "json.encoding"),
    "UTF-32": (WHOLE.encode("utf-32-be"), "json.encoding"),
    "byte order mark": (WHOLE.encode("utf-8-sig"), "json.encoding"),
    "latin-1": (WHOLE.replace("finder", "ñ").encode("latin-1"), "json.encoding"),
    "a surrogate as bytes": (WHOLE.encode().replace(b"finder", b"\xed\xa0\xbd"), "json.encoding"),
    "overlong": (WHOLE.encode().replace(b"finder", b"\xc0\xaf"), "json.encoding"),
    "nothing": (b"", "json.syntax"),
    "NULs": (b"\x00" * 1000, "json.syntax"),
    "a NUL in a text": (WHOLE.replace("finder", "\x00").encode(), "json.syntax"),
    "a NUL behind": (WHOLE.encode() + b"\x00", "json.syntax"),
    "backslashes": (b'"' + b"\\" * MANY, "json.syntax"),
    "quotes": (b'"' * MANY, "json.syntax"),
    "an open text": (b'{"' + b"a" * MANY, "json.syntax"),
    "white space": (b" " * MANY, "json.syntax"),
    "a long number": (b"1" * MANY, "json.number"),
    "a long exponent": (b"1e" + b"9" * MANY, "json.number"),
    "a long fraction": (b"0." + b"9" * MANY, "json.root"),
    "escapes": (b'"' + b"\\u0041" * 40_000 + b'"', "json.root"),
    "a binary": (bytes(range(256)) * 100, "json.encoding"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_refused_quickly_by_one_rule_in_short_words(name: str) -> None:
    raw, rule = FILES[name]
    began = time.perf_counter()
    error = refusal(raw)
    text = str(error)
    assert time.perf_counter() - began < 2
    assert [problem.rule for problem in error.problems] == [rule]
    assert len(text) < 800
    assert len(text.splitlines()) == 4


@pytest.mark.parametrize(
    ("section", "value"),
    [
        ("signals", {f"s{n}": {"do": "raise"} for n in range(1600)}),
        ("request", {"model": "m", "stop_sequences": [1, "", {}] * 1600}),
        ("request", {"model": "x" * 200_000}),
        ("budget", {f"iteration{n}": n for n in range(4000)}),
        ("x" * 200_000, 1),
        ("progress", {"note_at": 10**15, "stop_at": -(10**15)}),
        ("tracing", {"logger": "a." * 100_000}),
    ],
)
def test_a_contract_full_of_faults_is_refused_quickly(section: str, value: object) -> None:
    began = time.perf_counter()
    error = refusal(json.dumps({**PLAIN, section: value}).encode())
    text = str(error)
    assert time.perf_counter() - began < 3
    assert len(error.problems) <= 100
    assert max(map(len, text.splitlines())) < 1000


def unreadable(path: Path | str) -> None:
    (problem,) = refusal(path).problems
    assert (problem.rule, problem.pointer, problem.line, problem.column) == (
        "file.unreadable",
        "",
        None,
        None,
    )
    assert problem.saw


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    unreadable(tmp_path)
    unreadable(tmp_path / "missing.json")
    unreadable("a\x00b")
    unreadable(os.devnull)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        unreadable(tmp_path / "pipe")


def test_a_file_is_not_read_further_than_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    (problem,) = refusal(path).problems
    assert problem.rule == "json.too_large"


def test_the_largest_file_that_is_allowed_is_read() -> None:
    room = 262_144 - len(WHOLE)
    assert read(WHOLE.encode() + b" " * room).name == "file-finder"
    with pytest.raises(ContractError):
        read(WHOLE.encode() + b" " * (room + 1))
