"""docs/lint-in-the-wild.md says what its data say; what is installed here is still linted as recorded."""

import importlib.util
import sys
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Any

import pytest

from simulator.contract.lint.rules import RULES

DOCS = Path(__file__).resolve().parents[3] / "docs"


def _script() -> Any:
    spec = importlib.util.spec_from_file_location("lint_in_the_wild", DOCS / "lint_in_the_wild.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["lint_in_the_wild"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WILD = _script()
DATA = WILD.load()
PAGE = WILD.PAGE.read_text(encoding="utf-8")


def test_the_page_holds_a_row_for_each_function_that_was_read_and_no_other() -> None:
    rows = [
        f"{line}\n"
        for line in PAGE.split("## The loops")[1].split("\n## ")[0].splitlines()
        if line[:1] == "|"
    ]
    assert rows == "".join(WILD.table(DATA)).splitlines(keepends=True)


def test_the_page_counts_what_the_data_hold() -> None:
    found = len(WILD.recorded(DATA)) - len(DATA.elsewhere)
    assert f"| findings in what was read | {found}: " in PAGE
    assert f"{len(DATA.loops)} functions of " in PAGE


def test_at_least_thirty_loops_were_read_and_twenty_of_them_ask_the_messages_api() -> None:
    loops = [each for each in DATA.loops if each.kind == "loop"]
    assert len(loops) >= 30
    assert sum(each.api == "messages" for each in loops) >= 20


def test_nothing_that_the_linter_says_is_false() -> None:
    assert [(each.file, note) for each in DATA.loops for note in each.refuted if note.said is not None] == []
    assert [each for each in DATA.elsewhere if not each.true] == []


def test_each_function_is_read_once_and_each_note_lies_in_it_and_names_a_rule() -> None:
    assert len({(each.package, each.file, each.function) for each in DATA.loops}) == len(DATA.loops)
    for loop in DATA.loops:
        for note in (*loop.applies, *loop.arguable, *loop.refuted):
            assert note.rule in RULES, loop.function
            assert loop.line <= note.line <= loop.end, loop.function
            assert note.why.endswith("."), loop.function


def installed() -> dict[str, Path]:
    """Return the files of the data that lie in this environment, each with the folder it lies in."""
    found: dict[str, Path] = {}
    for loop in DATA.loops:
        try:
            home = Path(str(distribution(loop.package).locate_file("")))
        except PackageNotFoundError:
            continue
        if (home / loop.file).is_file():
            found[loop.file] = home
    return found


@pytest.mark.parametrize(("file", "home"), installed().items(), ids=str)
def test_what_is_installed_here_is_linted_as_recorded(file: str, home: Path) -> None:
    read = [each for each in DATA.loops if each.file == file]
    swept = WILD.sweep(home, [file])
    assert swept.refused == ()
    if version(read[0].package) == DATA.versions[read[0].package]:
        assert list(WILD.changed(home, read)) == []
        assert swept.said == {each for each in WILD.recorded(DATA) if each[0] == file}
    else:
        # Another version: the lines are others, but a rule that was never found must not be found now.
        assert {rule for _, rule, _ in swept.said} <= {
            rule for at, rule, _ in WILD.recorded(DATA) if at == file
        }


def test_the_tool_runners_of_the_sdk_are_among_them() -> None:
    assert "anthropic/lib/tools/_beta_runner.py" in installed()
