"""docs/declaring-a-loop.md: its tables are derived from the data, its commands run, its JSON compiles."""

import ast
import json
import re
import shlex
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from simulator.cli import main
from simulator.contract import ContractError, loop_source, read
from tests.contract.made import FULL

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "declaring-a-loop.md").read_text(encoding="utf-8")


def data(name: str) -> Any:
    return json.loads(files("simulator.contract").joinpath(name).read_text(encoding="utf-8"))


SCHEMA, POLICY = data("loop-contract.schema.json"), data("loop-policy.json")


def blocks(language: str = "") -> list[str]:
    """Return the fenced blocks of the page in *language*, as they stand."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return [text for named, text in found if named == language]


def table(head: str) -> list[str]:
    """Return the rows of the table whose first row is *head*."""
    _, _, rest = PAGE.partition(f"{head}\n")
    assert rest, f"no table {head}"
    return rest.partition("\n\n")[0].splitlines()[1:]


def resolved(node: Any) -> Any:
    return resolved(SCHEMA["$defs"][node["$ref"].rsplit("/", 1)[1]]) if "$ref" in node else node


def never(node: Any, key: str) -> bool:
    """Say whether no choice within *node* leaves room for *key*."""
    branches = [each["then"].get("properties", {}) for each in node.get("allOf", ())]
    return bool(branches) and all(branch.get(key) == {"not": {}} for branch in branches)


def keys(node: Any, at: tuple[str, ...] = (), within: str = "") -> Iterator[tuple[tuple[str, ...], Any, str]]:
    """Yield each key that holds a value: its place, its schema, and in what it is required."""
    for name, child in node.get("properties", {}).items():
        inner, place, needed = resolved(child), (*at, name), name in node.get("required", ())
        if never(node, name):
            continue
        if "properties" in inner:
            yield from keys(inner, place, within if needed else f" in `{'.'.join(place)}`")
        else:
            yield place, inner, f"required{within}" if needed else ""


def fits(node: Any) -> str:
    """Return what may be written where *node* is the schema, in words."""
    if "const" in node or "enum" in node:
        return " or ".join(f"`{json.dumps(each)}`" for each in node.get("enum", [node.get("const")]))
    if node.get("format") == "date":
        return "day, `YYYY-MM-DD`"
    if "pattern" in node:
        return f"text, `{node['pattern']}`"
    words = {"integer": "whole number", "number": "number", "string": "text", "boolean": "true or false"}
    if node["type"] == "array":
        return f"list of at most {node['maxItems']:,} texts"
    if node["type"] == "string":
        return f"text of {node.get('minLength', 0)} to {node['maxLength']:,} characters"
    if "exclusiveMinimum" in node:
        return f"number above {node['exclusiveMinimum']}, at most {node['maximum']:,}"
    return words[node["type"]] + (
        f", {node['minimum']:,} to {node['maximum']:,}" if "minimum" in node else ""
    )


def default(place: tuple[str, ...]) -> str:
    value: Any = POLICY["defaults"]
    for step in place:
        value = value.get(step) if isinstance(value, dict) else None
    return "" if value is None else f"`{json.dumps(value)}`"


def rows_of_keys() -> list[str]:
    return [
        f"| `{'.'.join(place)}` | {fits(node)} | {needed or default(place) or 'none'} |"
        for place, node, needed in keys(SCHEMA)
    ]


def rows_of_rules() -> list[str]:
    told = [(row["id"], row["reason"]["en"]) for row in POLICY["rules"]]
    limit = str(POLICY["limits"]["depth"])
    return [
        f"| `{rule}` | {reason.replace('{limit}', limit).replace('{said}', '…')} |"
        for rule, reason in dict.fromkeys(told)
    ]


def contract() -> dict[str, Any]:
    """Return the contract of the page."""
    found: dict[str, Any] = json.loads(blocks("json")[0])
    return found


def merged(value: Any, change: Any) -> Any:
    """Return *value* with *change* put over it, key by key; null takes a key away."""
    if not isinstance(value, dict) or not isinstance(change, dict):
        return change
    both = {**value, **{key: merged(value.get(key), each) for key, each in change.items()}}
    return {key: each for key, each in both.items() if each is not None}


def test_the_table_of_keys_is_the_schemas_and_the_policys_own() -> None:
    assert table("| key | what fits | default |") == rows_of_keys()


def test_the_table_of_rules_is_the_policys_own() -> None:
    assert table("| rule | why |") == rows_of_rules()


def test_the_table_of_options_is_the_signature_of_a_loop_that_declares_everything() -> None:
    made = ast.parse(loop_source(FULL)).body
    (loop,) = (n for n in made if isinstance(n, ast.FunctionDef) and n.name == "run_agent_loop")
    named = [each.arg for each in (*loop.args.args[4:], *loop.args.kwonlyargs)]
    rows = table("| option | is there where the contract has | what it does |")
    assert [re.findall(r"`(\w+)`", row)[0] for row in rows] == named


def test_the_table_of_endings_is_the_classes_of_a_loop_that_declares_everything() -> None:
    made = [node for node in ast.parse(loop_source(FULL)).body if isinstance(node, ast.ClassDef)]
    endings = {n.name for n in made if isinstance(n.bases[0] if n.bases else None, ast.Name)} - {
        "LoopStopped"
    }
    rows = table("| ending | when | holds besides |")
    assert {re.findall(r"`(\w+)`", row)[0] for row in rows} == endings


def test_every_contract_that_is_shown_compiles() -> None:
    shown = [json.loads(text) for text in blocks("json")]
    whole = [each for each in shown if each.get("format") == "loop-contract"]
    assert whole
    for each in whole:
        compile(loop_source(read(json.dumps(each).encode())), "page", "exec")


@pytest.mark.parametrize("row", table("| in the contract | refused by |"))
def test_what_the_page_says_is_refused_is_refused_by_that_rule(row: str) -> None:
    found = re.fullmatch(r"\| `(.*)` \| `(.*)` \|", row)
    assert found, row
    stated = merged(contract(), json.loads(found[1]))
    with pytest.raises(ContractError) as refused:
        read(json.dumps(stated).encode())
    assert [problem.rule for problem in refused.value.problems] == [found[2]]


@pytest.mark.parametrize("row", table("| you may add | for |"))
def test_what_the_page_says_may_be_added_may(row: str) -> None:
    found = re.fullmatch(r"\| `(.*)` \| .* \|", row)
    assert found, row
    read(json.dumps(merged(contract(), json.loads(found[1]))).encode())


def test_every_command_of_the_page_runs_and_the_programs_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "contract.json").write_text(blocks("json")[0], encoding="utf-8")
    (tmp_path / "house-rule.json").write_text(blocks("json")[1], encoding="utf-8")
    policy, run = blocks("python")
    exec(compile(policy, "page", "exec"), {})
    lines = [line for text in blocks() for line in text.splitlines() if line.startswith("simulator ")]
    assert len(lines) >= 6
    for line in lines:
        command, _, said = line.partition("#")
        status = main(shlex.split(command)[1:])
        assert status == (1 if "exit status 1" in said else 0), (line, capsys.readouterr())
    assert "house.money" in capsys.readouterr().err
    monkeypatch.syspath_prepend(str(tmp_path))
    asked: list[Any] = []

    class Client:
        def create(self, **request: Any) -> dict[str, Any]:
            asked.append(request)
            return {"content": [{"type": "text", "text": "Well."}], "stop_reason": "refusal", "usage": {}}

    client = type("Sdk", (), {"messages": Client()})()
    messages = [{"role": "user", "content": "Where is it?"}]
    exec(compile(run, "page", "exec"), {"client": client, "messages": messages, "tools": [], "handlers": {}})
    assert len(asked) == 1
    assert "ended by UnhandledStop" in capsys.readouterr().out


def test_the_page_names_every_option_of_the_command() -> None:
    from simulator.commands.parser import Parser  # the words of --help

    assert Parser("compile").format_help()
    for option in ("--output", "--report", "--check", "--policy", "--force", "--json", "--lang"):
        assert f"`{option}" in PAGE, option
