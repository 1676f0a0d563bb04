"""``simulator signals`` and ``--what-if``: what a loop does when an answer ends otherwise."""

import json
from pathlib import Path

import pytest

from simulator.cli import main
from simulator.trace.events import SIGNALS

Capture = pytest.CaptureFixture[str]

LOOPS = """
def ask(client, messages, tools, model, max_tokens):
    return client.messages.create(model=model, max_tokens=max_tokens, tools=tools, messages=messages)


def careful(client, messages, tools, handlers, model, max_tokens):
    messages = list(messages)
    for _ in range(10):
        response = ask(client, messages, tools, model, max_tokens)
        if response.stop_reason in ("end_turn", "stop_sequence"):
            return response
        if response.stop_reason == "max_tokens":
            max_tokens *= 4
            continue
        if response.stop_reason not in ("tool_use", "pause_turn"):
            raise RuntimeError(response.stop_reason)
        messages.append({"role": "assistant", "content": response.content})
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        if results:
            messages.append({"role": "user", "content": results})


def endless(client, messages, tools, handlers, model, max_tokens):
    while ask(client, messages, tools, model, max_tokens).stop_reason != "end_turn":
        pass


def crash(client):
    raise ValueError("not today")


def silent(client):
    return None
"""


@pytest.fixture
def loops(tmp_path: Path) -> Path:
    path = tmp_path / "my_loops.py"
    path.write_text(LOOPS, encoding="utf-8")
    return path


def signals(*words: str) -> int:
    return main(["signals", *words])


def rows(shown: str) -> dict[str, str]:
    """Return the rows of the table: signal -> what the loop did."""
    table = shown.split("WHAT THE LOOP DID\n")[1].split("\n\n")[0]
    return {line.split("  ")[0]: line.split("  ", 1)[1].strip() for line in table.splitlines()}


def test_the_table_has_a_row_for_each_signal_and_one_for_a_signal_that_nobody_knows(
    loops: Path, capsys: Capture
) -> None:
    assert signals(f"{loops}:careful") == 0
    table = rows(capsys.readouterr().out)
    assert table == {
        "end_turn": "returned the message (end_turn)",
        "tool_use": "ran list_dir; sent results; returned the message (end_turn) after 2 more requests",
        "max_tokens": "asked the same again with max_tokens 4096; "
        "returned the message (end_turn) after 3 more requests",
        "stop_sequence": "returned the message (stop_sequence)",
        "pause_turn": "sent the answer back as it is; returned the message (end_turn) after 3 more requests",
        "refusal": "raised RuntimeError",
        "model_context_window_exceeded": "raised RuntimeError",
        "unheard_of": "raised RuntimeError",
    }
    assert list(table)[:-1] == list(SIGNALS)


def test_the_rail_shows_the_tests_of_the_loops_own_source(loops: Path, capsys: Capture) -> None:
    assert signals(f"{loops}:careful") == 0
    rail = capsys.readouterr().out.split("The tests it took on answer 1:\n")[1]
    refusal = rail.split("─ refusal\n")[1].split("─ ")[0]
    assert 'line 10: response.stop_reason in ("end_turn", "stop_sequence") → False' in refusal
    assert 'line 15: response.stop_reason not in ("tool_use", "pause_turn") → True' in refusal
    assert rail.count("├─") == 7
    assert rail.count("└─ unheard_of") == 1


def test_another_answer_of_another_scenario_can_be_asked_about(loops: Path, capsys: Capture) -> None:
    assert signals(f"{loops}:careful", "--scenario", "count_python_files", "--turn", "2", "--seed", "3") == 0
    table = rows(capsys.readouterr().out)
    assert table["tool_use"] == "sent the answer back as it is; raised BadRequestError after 1 more request"
    assert table["end_turn"] == "returned the message (end_turn)"


def test_a_program_can_read_it(loops: Path, capsys: Capture) -> None:
    assert signals(f"{loops}:careful", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["scenario"], told["turn"]) == ("list_then_read", 1)
    by_signal = {row["signal"]: row for row in told["signals"]}
    assert by_signal["max_tokens"]["next"] == "more_room"
    assert by_signal["max_tokens"]["max_tokens"] == 4096
    assert by_signal["tool_use"]["ran"] == ["list_dir"]
    assert by_signal["refusal"]["end"]["error_type"] == "RuntimeError"
    assert all(row["came"] and row["tests"] for row in told["signals"])


def test_a_loop_that_does_not_end_at_some_signal_is_said_so_and_ends_with_1(
    loops: Path, capsys: Capture
) -> None:
    assert signals(f"{loops}:endless") == 1
    table = rows(capsys.readouterr().out)
    assert table["end_turn"] == "returned None"
    assert table["refusal"] == "asked the same again; never ended after 30 more requests"


def test_a_loop_of_a_module_and_a_shipped_one_can_be_named(capsys: Capture) -> None:
    assert signals("simulator.loop:run_agent_loop") == 0
    assert rows(capsys.readouterr().out)["refusal"] == "raised UnhandledStop"
    assert signals("whole", "--lang", "es") == 0
    assert "devolvió el mensaje (refusal)" in capsys.readouterr().out


def test_a_module_of_the_current_folder_can_be_named(
    loops: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (loops.parent / "signals_package").mkdir()
    (loops.parent / "signals_package" / "agent.py").write_text(LOOPS, encoding="utf-8")
    monkeypatch.chdir(loops.parent)
    assert main(["step", "list_then_read", "--loop", "signals_package.agent:careful"]) == 0
    assert "read_file" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["{loops}:careful", "--turn", "0"], 2, "counted from 1"),
        (["{loops}:careful", "--turn", "9"], 2, "There is no answer 9 in this run on list_then_read"),
        (["{loops}:silent"], 2, "after 0 requests"),
        (["{loops}:crash"], 1, "never got to answer 1"),
        (["{loops}:careful", "--scenario", "nowhere"], 2, "no scenario called"),
        (["{loops}:careful", "--deadline", "0"], 2, "no time to wait for"),
        (["{loops}:nothing"], 2, "has no function nothing; it has: ask, careful"),
        (["nonsense"], 2, "names no loop"),
        (["no.such.module:run"], 2, "There is no module no here"),
        (["simulator.nothing:run"], 2, "There is no module simulator.nothing here"),
        (["simulator.loop:nothing"], 2, "has no function nothing"),
        ([], 2, "TARGET"),
    ],
)
def test_what_cannot_be_shown_is_one_sentence(
    loops: Path, words: list[str], status: int, said: str, capsys: Capture
) -> None:
    assert signals(*(word.format(loops=loops) for word in words)) == status
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_step_and_export_take_a_what_if(tmp_path: Path, capsys: Capture) -> None:
    assert main(["step", "list_then_read", "--what-if", "2=refusal"]) == 0
    shown = capsys.readouterr().out
    assert "what if answer 2 ended with refusal" in shown
    assert "What if: in the recording this answer ended with tool_use." in shown
    page = tmp_path / "run.html"
    assert main(["export", "list_then_read", "--what-if=1=out_of_ink", "-o", str(page)]) == 0
    assert '"what_if":{"1":"out_of_ink"}' in page.read_text(encoding="utf-8")


def test_a_what_if_runs_a_loop_on_a_cassette(root: Path, capsys: Capture) -> None:
    cassette = str(root / "cassettes" / "list_then_read.yaml")
    assert main(["step", cassette, "--what-if", "1=refusal", "--what-if", "7=end_turn"]) == 0
    assert "what if answer 7 ended with end_turn (it did not come to that" in capsys.readouterr().out


@pytest.mark.parametrize(
    "word", ["refusal", "0=refusal", "-1=refusal", "two=refusal", "2=", "2= ", "²=refusal"]
)
def test_what_is_no_what_if_is_wrong_usage(word: str, capsys: Capture) -> None:
    assert main(["step", "list_then_read", f"--what-if={word}"]) == 2
    error = capsys.readouterr().err
    assert "as in 2=refusal" in error
    assert error.count("\n") == 1


def test_a_saved_trace_takes_no_what_if(tmp_path: Path, capsys: Capture) -> None:
    assert main(["step", str(tmp_path / "run.json"), "--what-if", "1=refusal"]) == 2
    assert "is a saved trace" in capsys.readouterr().err
