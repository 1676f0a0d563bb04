"""docs/checking-your-loop.md and its examples: the files run, commands are understood, tables are current."""

import importlib.util
import re
import shlex
from pathlib import Path

import pytest
import yaml

from simulator.commands.check import _read, chosen
from simulator.gate.judge import judge, performed
from simulator.gate.options import OPTIONS
from simulator.gate.probes import all_probes

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "checking-your-loop.md").read_text(encoding="utf-8")
EXAMPLES = DOCS / "examples"
ADAPTERS = sorted(EXAMPLES.glob("*.py"))


def loop_of(path):
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.loop


@pytest.mark.parametrize("path", ADAPTERS, ids=lambda path: path.stem)
def test_each_adapter_of_the_page_is_a_loop_that_holds(path):
    probes = chosen(all_probes(), ["history", "pairing", "parallel", "ending"])
    findings = judge(probes, performed(loop_of(path), probes, 0))
    assert {one.probe.id: one.state for one in findings if one.state != "pass"} == {}


def test_the_page_names_every_adapter_and_quotes_what_they_say():
    assert all(f"examples/{path.name}" in PAGE for path in ADAPTERS)
    quoted = [
        re.sub(r"^  ", "", block, flags=re.MULTILINE)
        for block in re.findall(r"  ```python\n(.*?)  ```", PAGE, re.DOTALL)
    ]
    assert quoted
    sources = [path.read_text(encoding="utf-8") for path in ADAPTERS]
    assert all(any(block in source for source in sources) for block in quoted)


def test_the_table_of_options_is_the_codes_own():
    rows = dict(re.findall(r"^\| ([a-z ]+) \| (`\w+`(?: `\w+`)*) \|$", PAGE, re.MULTILINE))
    known = {
        name.replace("_", " "): " ".join(f"`{each}`" for each in one.names) for name, one in OPTIONS.items()
    }
    assert {name: row for name, row in rows.items() if name in known} == known


def commands():
    """Return the words of every ``simulator check`` in the page and the examples."""
    texts = [PAGE, *(path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*.y*ml")))]
    found = [line for text in texts for line in re.findall(r"simulator check ([^`\n#]+)", text)]
    return [shlex.split(re.sub(r"\)$|`.*", "", line.strip())) for line in found]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_is_one_that_is_understood(words):
    asked = _read(words)
    assert chosen(all_probes(), asked.only)
    assert asked.list or asked.target


def test_the_workflow_is_one_that_runs_the_check_and_keeps_its_reports():
    stated = yaml.safe_load((EXAMPLES / "github-actions.yml").read_text(encoding="utf-8"))
    (job,) = stated["jobs"].values()
    runs = [step["run"] for step in job["steps"] if "run" in step]
    assert any(run.startswith('simulator check "$LOOP"') for run in runs)
    named = {name for run in runs for name in re.findall(r"\$(\w+)", run)}
    assert named == set(stated["env"])
    uploads = " ".join(str(step.get("with")) for step in job["steps"] if "uses" in step)
    written = re.findall(r"--(?:junit|sarif|html) (\S+)", " ".join(runs))
    assert len(written) == 3
    assert all(name in uploads for name in written)
    assert stated[True] == {"push": {"branches": ["main"]}, "pull_request": None}  # YAML 1.1 reads "on" so


def test_the_hook_is_one_that_pre_commit_takes():
    stated = yaml.safe_load((EXAMPLES / "pre-commit-config.yaml").read_text(encoding="utf-8"))
    ((hook,),) = [repo["hooks"] for repo in stated["repos"]]
    assert set(hook) >= {"id", "name", "entry", "language"}
    assert (hook["language"], hook["pass_filenames"]) == ("python", False)
    assert re.compile(hook["files"]).search("agents/loop.py")
    assert hook["entry"].startswith("simulator check ")
