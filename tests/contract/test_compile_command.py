"""``simulator compile``: what it writes, compares and refuses, and with what status it ends."""

import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from simulator.cli import main
from simulator.contract import loop_source, read
from simulator.contract.reporting import report

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "skills" / "agentic-loop-engineering" / "assets" / "examples" / "smallest.json"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a right contract in it, in which the commands run."""
    (tmp_path / "contract.json").write_bytes(EXAMPLE.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stated() -> Any:
    return json.loads(EXAMPLE.read_text(encoding="utf-8"))


def put(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")


def wanted() -> tuple[str, str]:
    """Return the loop and the report of the contract."""
    contract = read(EXAMPLE)
    return loop_source(contract), report(contract)


def test_without_a_place_to_go_the_loop_is_printed_alone(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in ([], ["--output", "-"]):
        assert main(["compile", "contract.json", *words]) == 0
        assert capsys.readouterr() == (wanted()[0], "")
    assert [path.name for path in here.iterdir()] == ["contract.json"]


def test_loop_and_report_are_written_to_the_byte(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "contract.json", "--output", "loop.py", "--report", "report.md"]) == 0
    loop, page = wanted()
    assert (here / "loop.py").read_bytes() == loop.encode()
    assert (here / "report.md").read_bytes() == page.encode()
    assert sorted(path.name for path in here.iterdir()) == ["contract.json", "loop.py", "report.md"]
    out, said = capsys.readouterr()
    assert out == ""
    assert "simulator check loop.py:run_agent_loop" in said


def test_the_contract_may_come_from_standard_input(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(EXAMPLE.read_bytes())))
    assert main(["compile", "-"]) == 0
    assert capsys.readouterr().out == wanted()[0]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{")))
    assert main(["compile", "-"]) == 1
    assert capsys.readouterr().err.startswith("-:1:2: json.syntax")


def test_every_problem_is_told_with_its_place_rule_reason_and_remedy(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = stated()
    wrong["results"]["role"] = "assistant"
    wrong["signals"]["max_tokens"] = {"do": "finish"}
    wrong["budget"] = {}
    put(here / "contract.json", wrong)
    assert main(["compile", "contract.json", "--output", "loop.py"]) == 1
    out, said = capsys.readouterr()
    assert out == ""
    for rule in ("results.role", "signals.truncation_is_end", "budget.missing"):
        assert any(line.startswith("contract.json:") and rule in line for line in said.splitlines())
    assert said.count("remedy: ") == 3
    assert said.endswith("contract.json: 3 problems, so nothing was compiled.\n")
    assert not (here / "loop.py").exists()


def test_problems_for_a_program(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = stated()
    del wrong["budget"]
    put(here / "contract.json", wrong)
    assert main(["compile", "contract.json", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["format"], told["passed"], told["file"]) == ("loop-compile", False, "contract.json")
    (problem,) = told["problems"]
    assert problem["rule"] == "budget.missing"
    assert {"pointer", "line", "column", "saw", "reason", "remedy"} <= set(problem)


def test_a_file_that_is_not_there_is_wrong_usage(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "nothing.json"]) == 2
    assert "nothing.json: file.unreadable" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["contract.json", "--check"], "name them with --output"),
        (["contract.json", "--output", "contract.json"], "contract.json is named twice"),
        (["contract.json", "--output", "x/../contract.json"], "is named twice"),
        (["contract.json", "--output", "a", "--report", "a"], "a is named twice"),
        (["contract.json", "--policy", "p.json", "--report", "p.json"], "p.json is named twice"),
        (["contract.json", "--output", "nowhere/loop.py"], "its folder is not there"),
        (["contract.json", "--output", "."], "is a folder"),
        (["contract.json", "--output", ""], "is a folder"),
        (["contract.json", "--report", "x", "--check"], "is a folder"),
        (["contract.json", "--output", "-", "--check"], "name them with --output"),
        ([], "CONTRACT"),
    ],
)
def test_wrong_usage_is_one_sentence(
    here: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    (here / "x").mkdir()
    assert main(["compile", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert (here / "contract.json").read_bytes() == EXAMPLE.read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="making a link takes a privilege on Windows")
def test_a_link_to_the_contract_is_the_contract(here: Path) -> None:
    (here / "loop.py").symlink_to("contract.json")
    assert main(["compile", "contract.json", "--output", "loop.py", "--force"]) == 2
    assert (here / "contract.json").read_bytes() == EXAMPLE.read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="making a link takes a privilege on Windows")
def test_a_link_into_a_folder_that_is_not_there_is_told_by_its_own_name(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "loop.py").symlink_to("nowhere/loop.py")
    assert main(["compile", "contract.json", "--output", "loop.py"]) == 2
    assert "loop.py" in (said := capsys.readouterr().err)
    assert ".tmp" not in said


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_a_pipe_is_refused_and_not_waited_for(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(here / "pipe")
    for words in (["--output", "pipe"], ["--output", "pipe", "--force"], ["--report", "pipe", "--check"]):
        assert main(["compile", "contract.json", *words]) == 2
        assert "no file" in capsys.readouterr().err


def test_a_file_of_somebody_else_is_never_replaced(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for content in ("print('mine')\n", "\xff\xfe not text"):
        (here / "loop.py").write_bytes(content.encode("latin-1"))
        assert main(["compile", "contract.json", "--output", "loop.py", "--report", "report.md"]) == 2
        assert "was not generated from a contract" in capsys.readouterr().err
        assert (here / "loop.py").read_bytes() == content.encode("latin-1")
        assert not (here / "report.md").exists(), "nothing is written where something cannot be"
    assert main(["compile", "contract.json", "--output", "loop.py", "--force"]) == 0
    assert (here / "loop.py").read_bytes() == wanted()[0].encode()


@pytest.mark.parametrize("name", ["--output", "--report"])
def test_a_file_that_was_changed_by_hand_is_never_replaced(
    here: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main(["compile", "contract.json", name, "made"]) == 0
    by_hand = (here / "made").read_text(encoding="utf-8") + "# mine\n"
    (here / "made").write_text(by_hand, encoding="utf-8")
    capsys.readouterr()
    assert main(["compile", "contract.json", name, "made"]) == 2
    assert "changed by hand" in capsys.readouterr().err
    assert (here / "made").read_text(encoding="utf-8") == by_hand
    assert main(["compile", "contract.json", name, "made", "--force"]) == 0
    assert "# mine" not in (here / "made").read_text(encoding="utf-8")


def test_a_generated_file_follows_its_contract(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "contract.json", "--output", "loop.py"]) == 0
    changed = stated()
    changed["budget"] = {"iterations": 7}
    put(here / "contract.json", changed)
    assert main(["compile", "contract.json", "--output", "loop.py"]) == 0
    assert "MAX_ITERATIONS = 7\n" in (here / "loop.py").read_text(encoding="utf-8")
    written = (here / "loop.py").stat().st_mtime_ns
    capsys.readouterr()
    assert main(["compile", "contract.json", "--output", "loop.py"]) == 0
    assert "as it was" in capsys.readouterr().err
    assert (here / "loop.py").stat().st_mtime_ns == written


def test_a_report_does_not_go_where_a_loop_is(here: Path) -> None:
    assert main(["compile", "contract.json", "--output", "loop.py"]) == 0
    assert main(["compile", "contract.json", "--report", "loop.py"]) == 2
    assert (here / "loop.py").read_bytes() == wanted()[0].encode()


def test_check_says_that_files_are_up_to_date_and_writes_nothing(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compile", "contract.json", "--output", "loop.py", "--report", "report.md"]
    assert main(words) == 0
    before = {path.name: path.stat().st_mtime_ns for path in here.iterdir()}
    capsys.readouterr()
    assert main([*words, "--check"]) == 0
    out, said = capsys.readouterr()
    assert out == ""
    assert said.count("the same as the contract gives") == 2
    assert {path.name: path.stat().st_mtime_ns for path in here.iterdir()} == before


def test_check_takes_the_line_ends_of_another_system_and_a_report_in_another_language(here: Path) -> None:
    words = ["compile", "contract.json", "--output", "loop.py", "--report", "report.md"]
    assert main(["--lang", "es", *words]) == 0
    assert "Los siete criterios" in (here / "report.md").read_text(encoding="utf-8")
    for name in ("loop.py", "report.md"):
        (here / name).write_bytes((here / name).read_bytes().replace(b"\n", b"\r\n"))
    assert main([*words, "--check"]) == 0


def test_check_shows_what_differs_and_how_to_put_it_right(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compile", "contract.json", "--output", "my loop.py"]
    assert main(words) == 0
    text = (
        (here / "my loop.py")
        .read_text(encoding="utf-8")
        .replace("MAX_ITERATIONS = 20", "MAX_ITERATIONS = 90")
    )
    (here / "my loop.py").write_text(text, encoding="utf-8")
    capsys.readouterr()
    assert main([*words, "--check"]) == 1
    out, said = capsys.readouterr()
    assert "\n-MAX_ITERATIONS = 90\n" in out
    assert "\n+MAX_ITERATIONS = 20\n" in out
    command = said.splitlines()[-1].split(": ", 1)[1]
    assert main([*shlex.split(command)[1:], "--force"]) == 0
    assert main([*words, "--check"]) == 0


def test_check_of_a_file_that_is_not_there_fails(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "contract.json", "--output", "loop.py", "--check"]) == 1
    assert "loop.py: not there" in capsys.readouterr().err
    assert not (here / "loop.py").exists()


def test_a_difference_cannot_steer_the_terminal(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "loop.py").write_text("\x1b[2Jevil\u202e\n", encoding="utf-8")
    assert main(["compile", "contract.json", "--output", "loop.py", "--check"]) == 1
    out, err = capsys.readouterr()
    assert not {"\x1b", "\u202e"} & set(out + err)


def test_for_a_program_each_file_has_its_state(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compile", "contract.json", "--output", "loop.py", "--report", "report.md", "--json"]
    states = []
    for more in ([], [], ["--check"]):
        assert main([*words, *more]) == 0
        told = json.loads(capsys.readouterr().out)
        assert (told["passed"], told["problems"], told["name"]) == (True, [], "smallest")
        states.append([(each["path"], each["kind"], each["state"]) for each in told["files"]])
    assert states == [
        [("loop.py", "loop", state), ("report.md", "report", state)]
        for state in ("wrote", "unchanged", "same")
    ]
    assert main(["compile", "contract.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["source"] == wanted()[0]


def test_another_policy_has_other_defaults(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shipped = ROOT / "simulator" / "contract" / "loop-policy.json"
    policy = json.loads(shipped.read_text(encoding="utf-8"))
    policy["defaults"]["request"]["max_tokens"] = 1234
    put(here / "policy.json", policy)
    assert main(["compile", "contract.json", "--policy", "policy.json"]) == 0
    assert '"max_tokens": 1234' in capsys.readouterr().out


def test_printed_in_a_process_of_its_own_the_loop_is_the_same_bytes(here: Path) -> None:
    command = [sys.executable, "-m", "simulator", "compile", "contract.json"]
    done = subprocess.run(
        command, capture_output=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.stdout == wanted()[0].encode()
