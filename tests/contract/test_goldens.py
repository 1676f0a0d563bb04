"""Contracts and the loops they are compiled to, side by side: byte for byte, and held against everything.

``python -m tests.contracts.renew`` writes the loops anew.
"""

import ast
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from simulator.contract import loop_source, read
from simulator.contract.model import Contract
from simulator.contract.seal import state
from simulator.gate.probes import all_probes
from tests.contracts.renew import HERE, compiled, pairs
from tests.gate.proving import Provers

ROOT = Path(__file__).parents[2]
FOLDERS = pairs()
NAMES = [folder.name for folder in FOLDERS]
CONFIG = ["--config", str(ROOT / "pyproject.toml")]

SCENARIOS = ("count_python_files", "todo_list", "cold_rooms", "thinks_before_calls", "asks_the_web_too")
"""Conversations that come to their end with any loop that is right."""


def loop_of(name: str) -> Callable[..., Any]:
    """Return the loop of the pair *name*."""
    place = HERE / name / "loop.py"
    spec = importlib.util.spec_from_file_location(f"golden_{name}", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # A dataclass looks for its module there.
    spec.loader.exec_module(module)
    function: Callable[..., Any] = module.run_agent_loop
    return function


@lru_cache(maxsize=32)
def contract_of(name: str) -> Contract:
    return read(HERE / name / "contract.json")


@pytest.fixture(scope="module")
def provers() -> Iterator[Provers]:
    """Return the children that judge, which are set to work on all pairs at once."""
    one = Provers()
    for name in NAMES:
        one.ask(module_of(name), 0)
    yield one
    one.close()


def module_of(name: str) -> str:
    return f"tests.contracts.{name}.loop"


def run(*command: str) -> str:
    """Run a module of Python on what is said; return what it found wrong."""
    ran = subprocess.run([sys.executable, "-m", *command], capture_output=True, encoding="utf-8", cwd=ROOT)
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr


def test_there_are_enough_of_them_and_each_has_its_loop_and_its_page() -> None:
    assert len(NAMES) >= 12
    for folder in FOLDERS:
        assert {path.name for path in folder.glob("*.*")} == {"contract.json", "loop.py", "report.md"}


@pytest.mark.parametrize("name", NAMES)
def test_the_contract_is_compiled_to_these_very_bytes(name: str) -> None:
    for file, content in compiled(HERE / name).items():
        there = (HERE / name / file).read_bytes()
        assert there == content, f"{name}/{file} is another one now: python -m tests.contracts.renew {name}"


def test_another_process_with_other_hashes_compiles_the_same_bytes() -> None:
    script = (
        "import hashlib, json; from tests.contracts.renew import compiled, pairs; "
        "print(json.dumps({f.name: {n: hashlib.sha256(c).hexdigest() for n, c in compiled(f).items()} "
        "for f in pairs()}))"
    )
    found = []
    for seed in ("0", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT), "SIMULATOR_LANG": "es"}
        ran = subprocess.run(
            [sys.executable, "-X", "utf8=0", "-c", script], capture_output=True, env=environment, check=True
        )
        found.append(json.loads(ran.stdout))
    assert found[0] == found[1]
    assert found[0].keys() == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_loop_is_as_it_was_generated_and_stands_on_the_standard_library_alone(name: str) -> None:
    source = (HERE / name / "loop.py").read_text(encoding="utf-8")
    assert state(source) == "whole"
    for node in ast.walk(ast.parse(source)):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or "?"] if isinstance(node, ast.ImportFrom) else []
        assert {each.partition(".")[0] for each in names} <= sys.stdlib_module_names


def test_the_type_checker_has_nothing_to_say(tmp_path: Path) -> None:
    for name in NAMES:
        # Side by side under names of their own: fourteen modules called loop would be one too many.
        (tmp_path / f"loop_{name}.py").write_bytes((HERE / name / "loop.py").read_bytes())
    assert not run("mypy", "--strict", "--config-file", os.devnull, str(tmp_path))


def test_the_formatter_and_the_linter_have_nothing_to_say() -> None:
    loops = [str(HERE / name / "loop.py") for name in NAMES]
    assert not run("ruff", "format", "--check", *CONFIG, *loops)
    # Names of endings are the article's: a suffix `Error` would say less.
    assert not run("ruff", "check", *CONFIG, "--ignore", "N818", *loops)
    assert not run("ruff", "check", "--isolated", *loops)


@pytest.mark.parametrize("name", NAMES)
def test_a_loop_brings_each_conversation_to_its_recorded_end(name: str) -> None:
    from simulator.recording.scenario import scenario
    from simulator.trace.observe import observe

    loop = loop_of(name)
    for each in SCENARIOS:
        recorded = scenario(each)
        trace = observe(loop, recorded, lines=False)
        answers = [step.event for step in trace.steps if step.event.kind == "response"]
        assert trace.exit.reason == "returned", (each, trace.exit.message)
        assert not [answer.error for answer in answers if answer.error], each
        last = recorded.recording.exchanges[recorded.recording.metadata["scenario"]["main"][-1]].message
        assert last is not None
        assert trace.exit.value["id"] == last["id"], each
        assert trace.exit.value["text"] == "".join(block.get("text", "") for block in last["content"]), each


@pytest.mark.parametrize("name", NAMES)
def test_a_loop_holds_before_the_gate(name: str, provers: Provers) -> None:
    found = provers.ask(module_of(name), 0).result()
    wrong = {probe: told for probe, told in found.items() if told["state"] not in ("pass", "not-applicable")}
    assert not wrong
    assert len(found) == len(all_probes())
    assert sum(told["state"] == "pass" for told in found.values()) >= 66


@pytest.mark.parametrize("name", NAMES)
def test_what_a_contract_declares_is_what_the_gate_finds_on_offer(name: str, provers: Provers) -> None:
    """A probe about an option is applicable exactly where the contract has it."""
    contract, found = contract_of(name), provers.ask(module_of(name), 0).result()
    offered = {
        "budget.keeps_to_tokens": contract.budget.tokens,
        "budget.keeps_to_seconds": contract.budget.seconds,
        "budget.keeps_to_money": contract.budget.usd,
        "verification.sends_the_problem_back": contract.verification,
        "context.keeps_pinned_facts": contract.compaction,
        "context.bounds_large_results": contract.results.max_chars,
        "deadlines.answers_for_a_hanging_tool": contract.handlers.timeout_seconds,
    }
    for probe, declared in offered.items():
        assert (found[probe]["state"] == "pass") is (declared is not None), probe


def test_compiled_twice_it_is_the_same() -> None:
    for name in NAMES:
        assert loop_source(contract_of(name)) == loop_source(contract_of(name))
