"""The page about a contract and its loop: derived, and nothing of a contract is markup in it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from simulator.contract import read
from simulator.contract.compiler import loop_source
from simulator.contract.declared import rows
from simulator.contract.diagram import mermaid
from simulator.contract.located import criteria, parts
from simulator.contract.model import Budget, Contract
from simulator.contract.reporting import report
from simulator.contract.seal import state
from simulator.text.visible import HIDDEN
from tests.contract.made import FULL, LOOP, PLAIN, asking

GOLDEN = Path(__file__).resolve().parent.parent / "contracts"
CONTRACTS = [read(path) for path in sorted(GOLDEN.glob("*/contract.json"))] + [PLAIN, FULL]
each_contract = pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.name)

HOSTILE = [
    "`",
    "``` \n# heading\n```",
    "a | b | c",
    "<script>alert(1)</script>",
    "</details>\n\n---\n\n| x |\n| - |",
    "\u202egnp.exe",
    "line\nline\r\nline\rline\u2028line\x0bline",
    "\\`\\|\\\\|",
    "]] [link](https://example.com) ![img](x) www.example.com",
    "`````` -->",
    "$x$ \x1b[31m red",
    "{say} %s {0}",
]


def structure(page: str) -> list[tuple[str, str]]:
    """Return what a Markdown reader makes of *page*, without the words."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(page)
    return [(token.type, token.tag) for each in tokens for token in (each, *(each.children or ()))]


def words(page: str) -> str:
    return page.split("-->", 1)[1]


def row(page: str, pointer: str) -> list[str]:
    """Return the cells of the row that begins with *pointer*."""
    line = next(line for line in page.splitlines() if line.startswith(f"| `{pointer}` |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_each_setting_says_whether_the_contract_states_it_or_a_default_decides() -> None:
    page = report(PLAIN, LOOP)
    assert row(page, "/budget/iterations") == ["`/budget/iterations`", "`20`", "contract"]
    assert row(page, "/progress")[1:] == ['`{"note_at": 2, "stop_at": 3}`', "default"]
    assert row(page, "/request/max_tokens")[2] == "default"
    assert row(page, "/request/model")[2] == "contract"


def test_what_was_not_declared_is_named() -> None:
    absent = next(line for line in report(PLAIN, LOOP).splitlines() if line.startswith("Not declared"))
    assert "`/verification`" in absent
    assert "`/budget/cost`" in absent
    assert "Not declared" not in report(FULL, LOOP)


def test_a_function_is_told_with_its_lines_and_what_it_carries_out() -> None:
    page = report(PLAIN, LOOP)
    first = next(n for n, line in enumerate(LOOP.splitlines(), 1) if line.startswith("def run_agent_loop"))
    last = next(n for n, line in enumerate(LOOP.splitlines(), 1) if "raise BudgetExceeded" in line)
    assert row(page, "run_agent_loop") == [
        "`run_agent_loop`",
        f"{first}–{last}",
        "`/signals`, `/results`",
    ]
    assert "These serve the others: `UnhandledStop`" in page
    assert "`answered`" in page


def test_each_criterion_is_told_with_its_place() -> None:
    page = report(PLAIN, LOOP)
    wanted = next(n for n, line in enumerate(LOOP.splitlines(), 1) if "raise BudgetExceeded" in line)
    assert f"(BudgetExceeded) | `run_agent_loop` {wanted} |" in page
    assert "not found" not in page


@pytest.mark.parametrize(
    ("gone", "instead", "number"),
    [
        (".stop_reason", ".text", 1),
        ("raise UnhandledStop", "raise ValueError", 2),
        ('if block.type == "tool_use"]', "]", 3),
        ('"tool_use_id"', '"id"', 4),
        ("raise BudgetExceeded", "raise ValueError", 5),
        (', "is_error": True', "", 6),
        ("on_event(response)", "pass", 7),
    ],
)
def test_a_criterion_whose_marks_are_gone_is_said_to_be_missing(gone: str, instead: str, number: int) -> None:
    assert gone in LOOP
    page = report(PLAIN, LOOP.replace(gone, instead))
    missing = [line[2] for line in page.splitlines() if "**not found**" in line]
    assert str(number) in missing


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_contract_is_markup(text: str) -> None:
    benign = structure(report(replace(asking(system="x", stop_sequences=["x"]), description="x"), LOOP))
    hostile = replace(asking(system=text, stop_sequences=[text]), description=text)
    assert structure(report(hostile, LOOP)) == benign


@given(
    text=st.text(st.sampled_from("`|<>\\\n\r\t~#*_[]()!&;:-=\"'$%{} a\u202e\u2028"), min_size=1, max_size=40)
)
def test_no_text_of_a_contract_is_markup_whatever_it_is(text: str) -> None:
    test_no_text_of_a_contract_is_markup(text)


def test_no_hidden_character_of_a_contract_reaches_the_page() -> None:
    hidden = "".join(chr(first) for first, _ in HIDDEN)
    page = report(replace(asking(system=hidden), description=hidden), LOOP)
    assert not set(hidden) & set(page)
    page.encode("utf-8")


def test_a_long_text_is_cut_and_how_much_is_said() -> None:
    cell = row(report(asking(system="x" * 5000), LOOP), "/request/system")[1]
    assert len(cell) < 200
    assert cell.endswith("(+4842)`")


def test_the_same_contract_gives_the_same_bytes_without_a_date_or_a_place() -> None:
    assert report(FULL, LOOP) == report(FULL, LOOP)
    assert state(report(FULL, LOOP), "markdown") == "whole"
    assert "\r" not in report(FULL, LOOP)


def test_the_page_speaks_spanish() -> None:
    page = words(report(PLAIN, LOOP, "es"))
    assert "## Los siete criterios" in page
    assert "por omisión" in page


def test_the_commands_on_the_page_are_commands_of_the_simulator() -> None:
    from simulator.cli import COMMANDS

    named = re.findall(r"`simulator (\w+)", report(PLAIN, LOOP))
    assert set(named) <= set(COMMANDS) | {"lint"}


def arrows(contract: Contract) -> set[tuple[str, str]]:
    return set(re.findall(r"^    (\S+) --> ([^\s:]+)", mermaid(contract), re.MULTILINE))


def test_the_picture_has_no_arrow_that_the_contract_does_not_declare() -> None:
    plain, full = arrows(PLAIN), arrows(FULL)
    assert ("ask", "accept") in plain & full
    for optional in (
        ("ask", "wait"),
        ("accept", "NotVerified"),
        ("guard", "shrink"),
        ("run", "ToolFailed"),
        ("run", "UnknownTool"),
    ):
        assert optional in full - plain


def test_the_picture_names_every_limit_and_every_signal() -> None:
    drawn = mermaid(FULL)
    assert "iterations 20, tokens 200000, seconds 300, usd 2.5" in drawn
    for signal in set(FULL.signals) - {"otherwise"}:
        assert signal in drawn
    assert "any other signal" in drawn


@each_contract
def test_every_ending_of_the_picture_is_a_class_of_the_loop(contract: Contract) -> None:
    endings = {after for _, after in arrows(contract) if after[0].isupper()}
    classes = set(re.findall(r"^class (\w+)\(LoopStopped\)", loop_source(contract), re.MULTILINE))
    assert endings == classes


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("contract", [PLAIN, FULL, replace(FULL, budget=Budget(tokens=1))])
def test_every_state_is_reached_left_and_its_label_is_plain(contract: Contract, lang: str) -> None:
    drawn = mermaid(contract, lang)
    reached = {after for _, after in arrows(contract)} - {"[*]"}
    left = {before for before, _ in arrows(contract)} - {"[*]"}
    declared = set(re.findall(r" as (\w+)$", drawn, re.MULTILINE))
    assert reached == left
    assert declared == {state for state in reached if state[0].islower()}
    for label in re.findall(r": (.*)$", drawn, re.MULTILINE):
        assert not set(label) & set(';#":{}<>`')


@each_contract
def test_of_a_compiled_loop_every_criterion_is_found_and_every_pointer_is_the_contracts(
    contract: Contract,
) -> None:
    source = loop_source(contract)
    assert all(criteria(source, contract).values())
    sections = {row.pointer.split("/")[1] for row in rows(contract)}
    carried = {pointer for part in parts(source) for pointer in part.carries}
    assert {pointer.split("/")[1] for pointer in carried} == sections


@each_contract
def test_the_lines_of_a_part_are_those_of_its_code(contract: Contract) -> None:
    lines = loop_source(contract).splitlines()
    for part in parts("\n".join(lines)):
        assert re.match(r"@|def |class ", lines[part.first - 1])
        assert lines[part.last : part.last + 2] in ([], ["", ""])
