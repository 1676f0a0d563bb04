"""The command ``simulator``: what each command prints, and how each mistake ends."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from simulator import paths
from simulator.cli import COMMANDS, main
from simulator.commands import validate
from simulator.commands.patience import patience
from simulator.text import LANGUAGES, say
from simulator.trace.document import Trace

Capture = pytest.CaptureFixture[str]

LAWFUL = {"model": "claude-sonnet-5-5", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}
ORPHAN = {
    **LAWFUL,
    "messages": [
        {"role": "user", "content": "Read a.txt"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a.txt"}}],
        },
        {"role": "user", "content": "go on"},
    ],
}

LOOP = """
def run(client, messages, tools, handlers, model):
    response = client.messages.create(model=model, max_tokens=1024, tools=tools, messages=messages)
    return response

def crash(client, messages, tools, handlers):
    raise ValueError("not today")
"""


def saved(path: Path, value: object) -> str:
    """Write *value* as JSON to *path* and return its name."""
    path.write_text(json.dumps(value), encoding="utf-8")
    return str(path)


@pytest.fixture
def loop(tmp_path: Path) -> Path:
    path = tmp_path / "my_agent.py"
    path.write_text(LOOP, encoding="utf-8")
    return path


def test_help_names_every_command_in_both_languages(capsys: Capture) -> None:
    for lang in LANGUAGES:
        assert main(["--help", "--lang", lang]) == 0
        shown = capsys.readouterr().out
        for command in COMMANDS:
            assert f"  {command} " in shown
            assert say(f"cli.{command}.short", lang) in shown


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_shows_an_example(command: str, lang: str, capsys: Capture) -> None:
    assert main([command, "--help", f"--lang={lang}"]) == 0
    assert f"simulator {command}" in capsys.readouterr().out.split("\n\n")[-1]


def test_without_a_command_the_help_is_shown_and_the_status_is_wrong_usage(capsys: Capture) -> None:
    assert main([]) == 2
    assert "usage: simulator COMMAND" in capsys.readouterr().out


def test_a_misspelt_command_is_answered_with_the_one_that_was_meant(capsys: Capture) -> None:
    assert main(["exprot"]) == 2
    assert capsys.readouterr().err == "There is no command exprot. Did you mean `simulator export`?\n"


def test_an_unknown_option_is_wrong_usage_in_one_line(capsys: Capture) -> None:
    assert main(["list", "--jsn"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("words", [["--lang", "fr", "list"], ["list", "--lang"], ["list", "--lang=xx"]])
def test_a_language_that_is_not_spoken_is_wrong_usage(words: list[str], capsys: Capture) -> None:
    assert main(words) == 2
    assert "there are: en, es" in capsys.readouterr().err


def test_the_language_holds_for_one_command_only(capsys: Capture) -> None:
    before = dict(os.environ)
    assert main(["list", "--lang", "es"]) == 0
    assert "ESCENARIO" in capsys.readouterr().out
    assert dict(os.environ) == before


def test_list_shows_every_scenario_with_its_provenance(capsys: Capture) -> None:
    assert main(["list"]) == 0
    shown = capsys.readouterr().out
    for cassette in paths.cassettes().glob("*.yaml"):
        [line] = [line for line in shown.splitlines() if line.startswith(f"{cassette.stem} ")]
        assert "scripted" in line


def test_list_as_json_can_be_read_by_a_program(capsys: Capture) -> None:
    assert main(["list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    [row] = [row for row in rows if row["name"] == "list_then_read"]
    assert row["requests"] == 3
    assert row["provenance"]["kind"] == "scripted"
    assert row["branches"]


def test_validate_accepts_a_lawful_request(tmp_path: Path, capsys: Capture) -> None:
    assert main(["validate", saved(tmp_path / "request.json", LAWFUL)]) == 0
    assert "nothing to refuse" in capsys.readouterr().out


def test_validate_shows_what_the_api_would_say_where_and_what_to_do(tmp_path: Path, capsys: Capture) -> None:
    assert main(["validate", saved(tmp_path / "request.json", ORPHAN)]) == 1
    shown = capsys.readouterr().out
    assert "400 invalid_request_error" in shown
    assert "`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1" in shown
    assert "  at messages.1," in shown
    assert "would refuse 1 of 1" in shown


def test_validate_as_json_gives_the_rule_and_the_path(tmp_path: Path, capsys: Capture) -> None:
    assert main(["validate", "--json", saved(tmp_path / "request.json", ORPHAN)]) == 1
    [finding] = json.loads(capsys.readouterr().out)["requests"]
    assert set(finding["error"]) == {"status", "type", "message", "path", "rule", "explanation"}
    assert finding["error"]["status"] == 400


@pytest.mark.parametrize("content", ['{"model": ', "[1, 2", '{"a": NaN}', '"text"', "{}", "[]", "null"])
def test_validate_reports_a_body_that_is_no_request_as_the_api_would(
    tmp_path: Path, content: str, capsys: Capture
) -> None:
    (tmp_path / "request.json").write_text(content, encoding="utf-8")
    assert main(["validate", str(tmp_path / "request.json")]) == 1
    assert " invalid_request_error" in capsys.readouterr().out


def test_validate_checks_every_request_of_a_cassette(capsys: Capture) -> None:
    cassette = paths.cassettes() / "list_then_read.yaml"
    assert main(["validate", "--json", str(cassette)]) == 0
    findings = json.loads(capsys.readouterr().out)["requests"]
    assert [finding["request"] for finding in findings] == list(range(len(findings)))
    assert len(findings) >= 3


@pytest.mark.parametrize("content", ["", "- 1\n", "interactions: []\n", "a: [\n", "\x00"])
def test_validate_reports_a_file_that_is_neither_in_one_sentence(
    tmp_path: Path, content: str, capsys: Capture
) -> None:
    (tmp_path / "x.yaml").write_text(content, encoding="utf-8")
    assert main(["validate", str(tmp_path / "x.yaml")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_validate_of_a_file_that_is_not_there_is_wrong_usage(tmp_path: Path, capsys: Capture) -> None:
    assert main(["validate", str(tmp_path / "none.json")]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_validate_reads_no_more_than_a_request_can_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    with (tmp_path / "endless.json").open("wb") as file:
        file.truncate(validate.MAX_BYTES + 1)
    for name in (str(tmp_path / "endless.json"), "-"):
        with (tmp_path / "endless.json").open(encoding="utf-8") as endless:
            monkeypatch.setattr("sys.stdin", endless)
            assert main(["validate", name]) == 2
        assert "nothing larger is read" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["\x1b[31m"], ["step", "\x1b[31m.json"], ["validate", "\x1b[31m.json"]])
def test_what_the_user_wrote_cannot_steer_the_terminal(words: list[str], capsys: Capture) -> None:
    assert main(words) in (1, 2)
    shown = capsys.readouterr()
    assert "⟨U+001B⟩" in shown.err
    assert "\x1b" not in shown.out + shown.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_full_disk_is_one_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        done = process("list", stdout=full, stderr=subprocess.PIPE, capture_output=False)
    assert done.returncode == 1
    assert done.stderr.decode().startswith("The output could not be read or written: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="the shell of POSIX systems can close a stream")
@pytest.mark.parametrize("words", ["list >&-", "step list_then_read <&-", "validate - <&-", "nonsense 2>&-"])
def test_a_closed_stream_is_no_crash(words: str) -> None:
    command = f'"{sys.executable}" -m simulator {words}'
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False)
    assert done.returncode in (0, 1, 2)
    assert b"Traceback" not in done.stderr
    assert (done.returncode == 0) == (words.split()[0] in ("list", "step"))


def test_validate_holds_a_saved_trace_against_itself_and_the_rules(tmp_path: Path, capsys: Capture) -> None:
    trace = Trace.from_cassette(paths.cassettes() / "list_then_read.yaml")
    path = trace.save(tmp_path / "run.json")
    assert main(["validate", str(path)]) == 0
    document = json.loads(path.read_text(encoding="utf-8"))
    document["pool"][0]["content"] = "something else"
    assert main(["validate", saved(path, document)]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_step_lists_a_run_as_plain_text_where_there_is_no_terminal(capsys: Capture) -> None:
    assert main(["step", "list_then_read"]) == 0
    shown = capsys.readouterr().out
    assert "read_file" in shown
    assert "\x1b" not in shown


def test_step_of_a_loop_with_a_fault_shows_it_and_ends_with_1(capsys: Capture) -> None:
    assert main(["step", "count_python_files", "--loop", "no_append"]) == 1
    seen = capsys.readouterr()
    assert "find_files" in seen.out
    assert seen.err.startswith("The run did not end well (raised). RuntimeError")


def test_step_runs_a_loop_of_the_users_own(loop: Path, capsys: Capture) -> None:
    assert main(["step", "list_then_read", "--loop", f"{loop}:run"]) == 0
    assert "list_dir" in capsys.readouterr().out
    assert main(["step", "list_then_read", "--loop", f"{loop}:crash"]) == 1
    assert "ValueError: not today" in capsys.readouterr().err


def test_a_saved_trace_and_a_cassette_are_shown_as_they_are(tmp_path: Path, capsys: Capture) -> None:
    cassette = str(paths.cassettes() / "list_then_read.yaml")
    saved_trace = str(Trace.from_cassette(cassette).save(tmp_path / "run.json"))
    assert main(["step", cassette]) == main(["step", saved_trace]) == 0
    shown = capsys.readouterr().out
    half = len(shown) // 2
    assert shown[:half] == shown[half:]


def test_a_saved_trace_cannot_be_run_again(tmp_path: Path, capsys: Capture) -> None:
    assert main(["step", str(tmp_path / "run.json"), "--loop", "whole"]) == 2
    assert "is a saved trace" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("target", "status", "said"),
    [
        ("nonsense", 2, "names no loop"),
        ("{file}", 2, "names no loop"),
        ("{file}:", 2, "names no loop"),
        ("{folder}/none.py:run", 2, "There is no file"),
        ("{file}:walk", 2, "has no function walk; it has: run, crash"),
        ("{folder}/broken.py:run", 1, "is not Python yet"),
        ("{folder}/fails.py:run", 1, "ZeroDivisionError: division by zero (line 2)"),
        ("{folder}/exits.py:run", 1, "SystemExit"),
        ("{folder}/raises.py:run", 1, "Stop: now (line 2)"),
        ("{folder}/zero.py:run", 1, "null bytes (line 1)"),
    ],
)
def test_a_loop_that_cannot_be_had_is_one_sentence(
    loop: Path, target: str, status: int, said: str, capsys: Capture
) -> None:
    (loop.parent / "broken.py").write_text("def run(:\n", encoding="utf-8")
    (loop.parent / "fails.py").write_text("\nx = 1 / 0\n", encoding="utf-8")
    (loop.parent / "exits.py").write_text("import sys\nsys.exit(0)\n", encoding="utf-8")
    (loop.parent / "raises.py").write_text(
        "class Stop(BaseException): pass\nraise Stop('now')\n", encoding="utf-8"
    )
    (loop.parent / "zero.py").write_text("x = 1\n\0\n", encoding="utf-8")
    named = target.format(file=loop, folder=loop.parent)
    assert main(["step", "list_then_read", "--loop", named]) == status
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("name", ["json.py", "anthropic.py", "typing.py", "simulator.py", "my loop-2.py"])
def test_a_loop_in_a_file_named_like_a_library_runs_and_replaces_nothing(loop: Path, name: str) -> None:
    (loop.parent / "json.py").write_text(LOOP, encoding="utf-8")
    (loop.parent / "anthropic.py").write_text(LOOP, encoding="utf-8")
    (loop.parent / name).write_text(LOOP, encoding="utf-8")
    done = process("step", "list_then_read", "--loop", f"{loop.parent / name}:run")
    assert done.returncode == 0, done.stderr.decode()


def test_a_loop_can_import_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "beside_it.py").write_text(LOOP, encoding="utf-8")
    (tmp_path / "agent.py").write_text("from beside_it import run\n", encoding="utf-8")
    assert process("step", "list_then_read", "--loop", f"{tmp_path / 'agent.py'}:run").returncode == 0


def test_what_a_loop_does_to_the_process_does_not_lose_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (tmp_path / "elsewhere").mkdir()
    source = (
        "import os, sys\ndef run(client):\n    os.chdir('elsewhere')\n    sys.stdout = sys.stderr = None\n"
    )
    (tmp_path / "moves.py").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["export", "list_then_read", "--loop", "moves.py:run", "-o", "run.html"]) == 0
    assert (tmp_path / "run.html").is_file()
    assert "run.html" in capsys.readouterr().err


def test_a_loop_gets_the_time_that_the_command_line_gives_it(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "spin.py").write_text("def run(client):\n    while True:\n        pass\n", encoding="utf-8")
    target = f"{tmp_path / 'spin.py'}:run"
    assert main(["step", "list_then_read", "--loop", target, "--deadline", "0.3"]) == 1
    assert "within 0.3 s" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_a_deadline_that_is_no_time_is_wrong_usage(seconds: str, capsys: Capture) -> None:
    assert main(["step", "list_then_read", f"--deadline={seconds}"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_who_waits_is_told_so_and_what_never_ends_is_ended(capsys: Capture) -> None:
    ended: list[int] = []
    over = threading.Event()

    def end(status: int) -> None:
        ended.append(status)
        over.set()

    with patience(0.02, notice=0.01, grace=0.01, end=end):
        assert over.wait(30)
    assert ended == [1]
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("The loop is still running")
    assert "could not be stopped" in told[1]


def test_an_unknown_scenario_is_wrong_usage_with_the_nearest_name(capsys: Capture) -> None:
    assert main(["step", "list_than_read"]) == 2
    assert "list_then_read" in capsys.readouterr().err


def test_a_broken_cassette_is_the_files_fault(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "bad.yaml").write_text("interactions: [\n", encoding="utf-8")
    assert main(["export", str(tmp_path / "bad.yaml"), "-o", str(tmp_path / "out.html")]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out.html").exists()


def test_export_writes_one_page_under_60_kb(tmp_path: Path, capsys: Capture) -> None:
    output = tmp_path / "run.html"
    assert main(["export", "list_then_read", "-o", str(output)]) == 0
    assert output.stat().st_size < 60_000
    assert str(output) in capsys.readouterr().err


def test_export_never_replaces_a_file_of_somebody_elses_unasked(tmp_path: Path, capsys: Capture) -> None:
    output = tmp_path / "diary.html"
    output.write_text("dear diary", encoding="utf-8")
    assert main(["export", "list_then_read", "-o", str(output)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "pass --force" in error
    assert output.read_text(encoding="utf-8") == "dear diary"
    assert main(["export", "list_then_read", "-o", str(output), "--force"]) == 0


def test_a_seed_changes_the_ids_and_the_same_seed_gives_the_same_run(capsys: Capture) -> None:
    shown = []
    for seed in ("1", "1", "2"):
        assert main(["step", "list_then_read", "--seed", seed]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] != shown[2]


def process(*words: str, **options: object) -> "subprocess.CompletedProcess[bytes]":
    """Run ``python -m simulator`` with *words* in a process of its own."""
    env = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).resolve().parent.parent),
        "PYTHONIOENCODING": "cp1252",
    }
    command = [sys.executable, "-m", "simulator", *words]
    options = {"capture_output": True, **options}
    return subprocess.run(command, check=False, env=env, **options)  # type: ignore[call-overload,no-any-return]  # options are those of run


def test_output_is_utf8_whatever_the_console_would_have() -> None:
    done = process("list", "--lang", "es")
    assert done.returncode == 0
    assert "TÍTULO" in done.stdout.decode("utf-8")


def test_a_reader_that_stops_early_is_no_error() -> None:
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "simulator", "step", "todo_list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        error = running.stderr.read()
        assert running.wait(timeout=60) == 0
    assert error == b""


def test_validate_reads_a_request_from_standard_input() -> None:
    done = process("validate", "-", input=json.dumps(ORPHAN).encode())
    assert done.returncode == 1
    assert b"toolu_1" in done.stdout
