"""The skill: its own check is green, and whatever is broken in a copy of it is named."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SKILL = ROOT / "skills" / "agentic-loop-engineering"
EXAMPLES = Path("assets", "examples")

needs_sh = pytest.mark.skipif(shutil.which("sh") is None, reason="there is no sh on this machine")


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """Return a copy of the skill, in a folder whose name has spaces, with two of its examples."""
    copy = tmp_path / "a folder" / SKILL.name
    shutil.copytree(SKILL, copy)
    (copy / EXAMPLES / "long-search.json").unlink()
    text = (copy / "SKILL.md").read_text(encoding="utf-8")
    (copy / "SKILL.md").write_text(text.replace("`assets/examples/long-search.json`", "-"), encoding="utf-8")
    return copy


def check(
    skill: Path, *words: str, shell: str = "sh", at: Path | None = None, **variables: str
) -> tuple[int, str]:
    """Run the skill's check in the folder *at*; return its exit status and what it printed."""
    unset = ("VIRTUAL_ENV", "PYTHON", "PYTHONPATH")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    chosen = variables or {"PYTHON": sys.executable}
    done = subprocess.run(
        [shutil.which(shell) or shell, str(skill / "scripts" / "check.sh"), *words],
        cwd=at or skill.parent,
        env={**environment, **chosen},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    return done.returncode, done.stdout + done.stderr


@needs_sh
def test_the_skill_is_whole_and_says_what_was_checked(tmp_path: Path) -> None:
    status, said = check(SKILL, at=tmp_path)
    assert status == 0, said
    lines = said.splitlines()
    assert all(line.startswith("ok    ") for line in lines[:-1]), said
    assert lines[-1] == f"Checked: {len(lines) - 1}. All of it holds."
    for path in [*(SKILL / "assets").glob("*.json"), *(SKILL / EXAMPLES).glob("*.json")]:
        assert path.relative_to(SKILL).as_posix() in said
    for claim in ("passes the gate", "meets the seven criteria", "the linter finds nothing"):
        assert said.count(claim) == 3


@needs_sh
def test_it_runs_in_any_folder_under_any_shell_and_says_the_same(skill: Path) -> None:
    status, said = check(skill, "--assets", at=skill / "scripts")
    assert status == 0, said
    assert "so nothing here says how the loops run" in said
    shutil.rmtree(skill / "assets")  # so that the others are over soon
    reports = {shell: check(skill, shell=shell) for shell in ("sh", "dash", "bash") if shutil.which(shell)}
    assert set(reports.values()) == {reports["sh"]}
    assert reports["sh"][0] == 1


def removed(path: Path) -> None:
    path.unlink()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def no_text(path: Path) -> None:
    path.write_bytes(b"\xff\xfe")


def with_a_key(path: Path) -> None:
    value = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**value, "unheard": 1}), encoding="utf-8")


def with_a_wrong_type(path: Path) -> None:
    value = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**value, "type": "objekt"}), encoding="utf-8")


def respaced(path: Path) -> None:
    value = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(value), encoding="utf-8")


def without_a_budget(path: Path) -> None:
    value = json.loads(path.read_text(encoding="utf-8"))
    del value["budget"]
    path.write_text(json.dumps(value), encoding="utf-8")


def without_front_matter(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(text.partition("\n---\n")[2], encoding="utf-8")


def renamed(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("name: agentic-loop-engineering", "name: Loops"), encoding="utf-8")


def naming_what_is_not_there(path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("\nSee `assets/examples/gone.json`.\n")


def lying(path: Path) -> None:
    path.write_text("print('done')\n", encoding="utf-8")


SCHEMA, POLICY = "assets/loop-contract.schema.json", "assets/loop-policy.json"
SCRIPT, EXAMPLE = "scripts/compile-agentic-loop.py", "assets/examples/smallest.json"


Break = tuple[str, Callable[[Path], None], str]


@needs_sh
@pytest.mark.parametrize(
    "breaks",
    [
        [
            (SCHEMA, removed, "cannot be read"),
            (POLICY, cut, "no JSON"),
            (EXAMPLE, no_text, "json.encoding"),
            ("SKILL.md", without_front_matter, "does not begin with front matter"),
        ],
        [
            (SCHEMA, with_a_wrong_type, "no JSON Schema"),
            (POLICY, with_a_key, "no policy"),
            (EXAMPLE, without_a_budget, "budget.missing"),
            ("SKILL.md", renamed, "the name of its folder"),
        ],
        [
            (SCHEMA, respaced, "not the one that the package has"),
            (SCRIPT, removed, "No such file"),
            ("SKILL.md", naming_what_is_not_there, "gone.json"),
        ],
        [(SCRIPT, cut, "SyntaxError")],
        [(SCRIPT, lying, "Its loop.py is another")],
        [(POLICY, respaced, "not the one that the package has")],
    ],
)
def test_what_is_broken_is_named_and_the_rest_is_checked(skill: Path, breaks: list[Break]) -> None:
    for name, breaking, _ in breaks:
        breaking(skill / name)
    status, said = check(skill, "--assets")
    assert status == 1, said
    failed = re.findall(r"^FAIL  (\S+): ((?:.*\n)(?:      .*\n)*)", said, re.MULTILINE)
    for name, _, word in breaks:
        assert any(file == name and word in text for file, text in failed), said
    broken = {name for name, _, _ in breaks}
    # The script takes the skill's own policy: without it, it makes nothing.
    assert {file for file, _ in failed} <= broken | ({SCRIPT} if POLICY in broken else set())
    assert "ok    assets/examples/checked-report.json: compiles" in said
    assert f"in {', '.join(dict.fromkeys(file for file, _ in failed))}." in said


@needs_sh
def test_without_an_example_it_is_red(skill: Path) -> None:
    (skill / EXAMPLES / "smallest.json").unlink()
    status, said = check(skill, "--assets")
    assert status == 1
    assert "There are 1, and at least 2 belong here" in said


def python_at(place: Path) -> None:
    """Put something at *place* that runs the Python of this test, and says so."""
    place.parent.mkdir(parents=True)
    script = f'#!/bin/sh\necho "by {place.parent.parent.name}" >&2\nexec "{sys.executable}" "$@"\n'
    place.write_text(script, encoding="utf-8")
    place.chmod(0o755)


@needs_sh
@pytest.mark.skipif(os.name == "nt", reason="made of a shell script that plays Python")
def test_its_python_is_the_one_named_the_active_one_or_that_of_the_clone(tmp_path: Path) -> None:
    clone = tmp_path / "my clone"
    shutil.copytree(SKILL, clone / "skills" / SKILL.name)
    skill = clone / "skills" / SKILL.name
    shutil.rmtree(skill / "assets")  # so that it is over soon
    for name in ("my clone/.venv", "named", "active"):
        python_at(tmp_path / name / "bin" / "python")
    named, active = tmp_path / "named" / "bin" / "python", tmp_path / "active"
    assert "by .venv" in check(skill, NOTHING="")[1]
    assert "by active" in check(skill, VIRTUAL_ENV=str(active))[1]
    assert "by named" in check(skill, VIRTUAL_ENV=str(active), PYTHON=str(named))[1]


@needs_sh
@pytest.mark.skipif(os.name == "nt", reason="made of links to programs")
def test_without_a_python_it_says_what_to_do(skill: Path, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "dirname").symlink_to(shutil.which("dirname") or "")
    status, said = check(skill, PATH=str(programs))
    assert status == 1
    assert said.startswith("FAIL  Python: none that has the package agent-loop-katas.")


@pytest.mark.parametrize(("lang", "said"), [("en", "is missing from"), ("es", "Falta el paquete")])
def test_the_script_says_in_one_sentence_that_the_package_is_missing(
    skill: Path, lang: str, said: str
) -> None:
    environment = {**os.environ, "SIMULATOR_LANG": lang, "PYTHONUTF8": "1"}
    environment.pop("PYTHONPATH", None)
    # -S: without what is installed.
    command = [sys.executable, "-S", str(skill / SCRIPT), "contract.json"]
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", env=environment, cwd=skill
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["loop-contract.schema.json", "loop-policy.json"])
def test_the_assets_are_the_packages_own(name: str) -> None:
    ours = (ROOT / "simulator" / "contract" / name).read_bytes()
    assert (SKILL / "assets" / name).read_bytes() == ours, (
        f"copy simulator/contract/{name} to the skill's assets"
    )


def test_it_names_every_rule_of_the_linter_that_is_about_loops() -> None:
    from simulator.contract.lint.rules import RULES

    named = re.findall(r"^\| (AL\d\d) \|", (SKILL / "SKILL.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert named == sorted(rule for rule in RULES if rule < "AL90")
