"""The source that a contract is compiled to: always the same, and nothing of a text becomes code."""

import ast
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.contract import compiler
from simulator.contract.compiler import loop_source, rooms
from simulator.contract.model import Action, Contract
from simulator.contract.seal import state
from tests.contract.generating import CONTRACTS, HOSTILE, SAID
from tests.contract.made import FULL, PLAIN, asking

ROOT = Path(__file__).parents[2]
SOME = settings(max_examples=30)


def constants(source: str) -> dict[str, Any]:
    """Return the constants at the top of *source*: every assignment of a literal."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            try:
                found[ast.unparse(target)] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


def shape(source: str) -> str:
    """Return the syntax of *source* with every text replaced by the same one."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = "text"
    return ast.dump(tree)


@SOME
@given(CONTRACTS)
def test_what_a_contract_states_stands_in_the_constants_of_its_loop(contract: Contract) -> None:
    stated, found = contract.request, constants(loop_source(contract))
    system = {} if stated.system is None else {"system": stated.system}
    rest = {name: value for name, value in stated.parameters.items() if name != "tool_choice"}
    request = {**found["REQUEST"], **found["REQUEST"].get("extra_body", {})}
    request.pop("extra_body", None)
    assert request == {"model": stated.model, "max_tokens": stated.max_tokens, **system, **rest}
    assert found.get("TOOL_CHOICE") == stated.parameters.get("tool_choice")
    budget, retries = contract.budget, contract.retries
    assert found.get("MAX_ITERATIONS") == budget.iterations
    assert found.get("MAX_TOTAL_TOKENS") == budget.tokens
    assert found.get("MAX_SECONDS") == budget.seconds
    assert found.get("MAX_COST") == budget.usd
    assert found.get("PAUSES") == contract.signals["pause_turn"].times
    assert found.get("ROUNDS") == (contract.verification and contract.verification.rounds)
    assert found.get("MAX_RESULT_CHARS") == contract.results.max_chars
    assert found.get("TOOL_TIMEOUT") == contract.handlers.timeout_seconds
    assert (found["NOTE_AT"], found["STOP_AT"]) == (contract.progress.note_at, contract.progress.stop_at)
    assert found.get("ATTEMPTS") == (retries.attempts if retries.by == "loop" else None)
    assert found.get("SHARE") == (contract.compaction and contract.compaction.share)


@SOME
@given(CONTRACTS)
def test_its_imports_are_the_standard_librarys_and_each_of_them_is_used(contract: Contract) -> None:
    tree = ast.parse(loop_source(contract))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None
            names |= {node.module.partition(".")[0]}
    assert names <= {*sys.stdlib_module_names}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert names - {"__future__", "collections", "dataclasses", "typing"} <= used


@SOME
@given(CONTRACTS)
def test_its_functions_are_short_and_each_is_used_and_says_what_it_does(contract: Contract) -> None:
    source = loop_source(contract)
    tree = ast.parse(source)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {node.id for node in ast.walk(ast.parse(_annotations(tree))) if isinstance(node, ast.Name)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            assert node.name in used | {"run_agent_loop"}, node.name
            assert ast.get_docstring(node), node.name
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno is not None
            assert 3 <= node.end_lineno - node.lineno + 1 <= 40, node.name
    fields = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Run").body
    read = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert {ast.unparse(each.target) for each in fields if isinstance(each, ast.AnnAssign)} <= read


def _annotations(tree: ast.AST) -> str:
    """Return what stands behind the colons of parameters and arrows, as source."""
    found = [
        ast.unparse(node.returns)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.returns
    ]
    return "\n".join(found)


@settings(max_examples=30)
@given(st.lists(st.sampled_from(HOSTILE) | SAID, min_size=4, max_size=4))
def test_a_text_of_a_contract_stays_a_text(texts: list[str]) -> None:
    def contract(four: list[str]) -> Contract:
        made = asking(system=four[0], stop_sequences=[four[1]], metadata={"user_id": four[2]})
        return replace(made, description=four[3])

    assert shape(loop_source(contract(texts))) == shape(loop_source(contract(["plain"] * 4)))


@settings(max_examples=3)
@given(st.lists(CONTRACTS, min_size=12, max_size=20))
def test_the_formatter_and_the_linter_leave_every_loop_alone(contracts: list[Contract]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number, contract in enumerate(contracts):
            (Path(folder) / f"loop_{number}.py").write_bytes(loop_source(contract).encode("utf-8"))
        config = ["--config", str(ROOT / "pyproject.toml")]
        for command in (
            ["format", "--diff", *config],
            ["check", *config, "--ignore", "N818"],
            ["check", "--isolated"],
        ):
            ran = subprocess.run(
                [sys.executable, "-m", "ruff", *command, folder], capture_output=True, encoding="utf-8"
            )
            assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_order_of_keys_and_the_hashes_of_python_change_nothing(tmp_path: Path) -> None:
    stated = {
        "temperature": 0.2,
        "metadata": {"user_id": "u"},
        "tool_choice": {"type": "tool", "name": "look"},
    }
    turned = {
        name: dict(reversed(v.items())) if isinstance(v, dict) else v for name, v in reversed(stated.items())
    }
    assert loop_source(asking(**stated)) == loop_source(asking(**turned))
    signals = dict(reversed(FULL.signals.items()))
    assert loop_source(replace(FULL, signals=signals)) == loop_source(FULL)
    script = "from tests.contract.made import FULL; from simulator.contract import loop_source; "
    script += "import sys; sys.stdout.buffer.write(loop_source(FULL).encode())"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        made = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, env=environment, cwd=tmp_path, check=True
        )
        assert made.stdout == loop_source(FULL).encode("utf-8")


def test_a_loop_is_sealed_names_its_contract_and_no_place_of_a_machine() -> None:
    source = loop_source(FULL)
    assert state(source) == "whole"
    assert FULL.digest in source
    assert "\r" not in source
    assert str(ROOT) not in source


def test_what_a_contract_does_not_ask_for_is_not_there() -> None:
    source = loop_source(PLAIN)
    for word in ("check", "pinned", "thread", "context_tokens", "max_cost", "sleep", "TOOL_CHOICE", "ROOMS"):
        assert word not in source.partition("from __future__")[2], word
    assert len(source.splitlines()) < 420


def test_a_template_takes_nothing_that_was_not_made_a_literal() -> None:
    for template in ("{{ text }}", "{{ text ~ text }}", "{{ ('x' | literal) ~ text }}", "{{ 1 + 1 }}"):
        with pytest.raises(TypeError, match="as it is"):
            compiler._templates().from_string(template).render(text="import os")
    assert compiler._templates().from_string("{{ text | literal }}").render(text="import os") == '"import os"'


def test_a_template_that_names_what_is_not_there_does_not_compile() -> None:
    from jinja2 import UndefinedError

    with pytest.raises(UndefinedError):
        compiler._templates().from_string("{% if contract.verfication %}x{% endif %}").render(contract=PLAIN)


def test_a_word_in_a_comment_is_a_word() -> None:
    assert compiler.word("/signals/end_turn /verification") == "/signals/end_turn /verification"
    for text in ("a\nb", 'a"b', "a#b", "\u202ea"):
        with pytest.raises(ValueError, match="more than words"):
            compiler.word(text)


def test_room_is_doubled_as_far_as_a_request_may_go_without_a_stream() -> None:
    def made(room: int, times: int) -> Contract:
        request = replace(PLAIN.request, max_tokens=room)
        signals = {**PLAIN.signals, "max_tokens": Action("ask_again", times)}
        return replace(PLAIN, request=request, signals=signals)

    assert rooms(made(1000, 3)) == [1000, 2000, 4000, 8000]
    assert rooms(made(8000, 3)) == [8000, 16000]
    assert constants(loop_source(made(1000, 2)))["ROOMS"] == [1000, 2000, 4000]


def test_the_signature_has_an_option_for_each_thing_that_is_declared() -> None:
    function = next(
        node
        for node in ast.parse(loop_source(FULL)).body
        if isinstance(node, ast.FunctionDef) and node.name == "run_agent_loop"
    )
    assert [each.arg for each in function.args.args] == [
        "client",
        "messages",
        "tools",
        "handlers",
        "max_iterations",
    ]
    assert [each.arg for each in function.args.kwonlyargs] == [
        *("max_total_tokens", "max_seconds", "max_cost", "check", "tool_timeout", "max_result_chars"),
        *("context_tokens", "pinned", "on_event"),
    ]
    assert json.loads(json.dumps(constants(loop_source(FULL))["MAX_COST"])) == 2.5


def test_a_description_of_nothing_but_blanks_leaves_no_mark_in_the_file() -> None:
    for text in ("", "   \n\n ", "\u2028\t"):
        assert "\n>" not in loop_source(replace(PLAIN, description=text))
