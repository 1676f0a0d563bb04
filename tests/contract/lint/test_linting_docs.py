"""docs/linting-your-loop.md and its examples: the tables are current, commands are understood, code runs."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

from simulator.commands.lint import _parser, _read
from simulator.contract.lint import lint_source
from simulator.contract.lint.catalogue import FIXABLE, slugs, title
from simulator.contract.lint.settings import KEYS, from_table
from simulator.text.visible import visible

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = (DOCS / "linting-your-loop.md").read_text(encoding="utf-8")
EXAMPLES = [DOCS / "examples" / name for name in ("lint-github-actions.yml", "lint-pre-commit-config.yaml")]


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_table_of_rules_is_the_catalogues_own():
    rows = re.findall(r"^\| AL\d\d .*\|$", PAGE, re.MULTILINE)
    assert rows == [
        f"| {rule} | `{slug}` | {title(rule, 'en')} | {'yes' if rule in FIXABLE else 'no'} |"
        for rule, slug in slugs().items()
    ]


def test_the_table_of_options_is_the_commands_own():
    told = set(re.findall(r"^\|.*?(--[a-z]+)", PAGE, re.MULTILINE))
    options = {option for action in _parser()._actions for option in action.option_strings}
    assert told == {each for each in options if each.startswith("--")} - {"--help"}


def commands():
    """Return the words of every ``simulator lint`` in the page and the examples."""
    texts = [PAGE, *(path.read_text(encoding="utf-8") for path in EXAMPLES)]
    found = [line for text in texts for line in re.findall(r"simulator lint ([^`\n#>]+)", text)]
    return [shlex.split(line) for line in found if not line.startswith("PATH")]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_is_one_that_is_understood(words):
    asked = _read([*words, "agents/loop.py"])
    assert asked.list or asked.paths[-1] == "agents/loop.py"


def test_the_settings_of_the_page_are_settings():
    [text] = blocks("toml")
    table = tomllib.loads(text)["tool"]["loop-lint"]
    settings = from_table(table, "pyproject.toml", Path(), {**slugs(), "AL01": "x", "AL02": "y", "AL07": "z"})
    assert tuple(table) == KEYS
    assert settings.select == {"AL01", "AL02", "AL91"}


def test_the_code_of_the_page_runs(tmp_path, monkeypatch, capsys):
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "loop.py").write_text("x = (\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    suppression, program = blocks("python")
    assert {each.rule for each in lint_source(suppression)} <= {"AL91"}  # there is no loop to suppress in
    names = {}
    exec(compile(program, "page", "exec"), names)
    assert names["broken"] == [str(Path("agents") / "loop.py")]
    assert visible(capsys.readouterr().out) == ""


def test_the_workflow_lints_and_shows_the_findings_beside_the_lines():
    stated = yaml.safe_load(EXAMPLES[0].read_text(encoding="utf-8"))
    (job,) = stated["jobs"].values()
    runs = [step["run"] for step in job["steps"] if "run" in step]
    assert "simulator lint $AGENTS --github" in runs
    assert {name for run in runs for name in re.findall(r"\$(\w+)", run)} == set(stated["env"])
    assert stated[True] == {"push": {"branches": ["main"]}, "pull_request": None}  # YAML 1.1 reads "on" so


def test_the_hook_is_one_that_pre_commit_takes():
    stated = yaml.safe_load(EXAMPLES[1].read_text(encoding="utf-8"))
    ((hook,),) = [repo["hooks"] for repo in stated["repos"]]
    assert set(hook) >= {"id", "name", "entry", "language", "files"}
    assert re.compile(hook["files"]).search("agents/sub/loop.py")
    assert _read([*shlex.split(hook["entry"])[2:], "agents/loop.py"]).brief


def test_the_page_names_every_example():
    assert all(f"examples/{path.name}" in PAGE for path in EXAMPLES)
