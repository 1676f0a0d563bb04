"""What a contract becomes, and what is wrong with each contract that is refused."""

import json
import pickle
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulator.contract import Contract, ContractError, Problem, problems_as_dicts, read
from simulator.contract.model import Action, Progress, Retries, Tracing

REJECTED = Path(__file__).parent.parent / "contracts" / "rejected"
EXPECTED: dict[str, list[list[Any]]] = tomllib.loads((REJECTED / "expected.toml").read_text(encoding="utf-8"))

UNHANDLED = {"do": "raise", "error": "UnhandledStop"}
PLAIN: dict[str, Any] = {
    "format": "loop-contract",
    "version": 1,
    "name": "file-finder",
    "request": {"model": "claude-sonnet-4-5"},
    "budget": {"iterations": 20},
    "signals": {
        "tool_use": {"do": "run_tools"},
        "end_turn": {"do": "finish"},
        "stop_sequence": {"do": "finish"},
        "max_tokens": UNHANDLED,
        "pause_turn": {"do": "resume", "times": 10},
        "refusal": UNHANDLED,
        "model_context_window_exceeded": UNHANDLED,
        "otherwise": UNHANDLED,
    },
    "results": {"role": "user", "blocks": "all", "ids": "tool_use_id"},
    "handlers": {"on_error": "tell", "on_unknown": "tell"},
}


def contract(**changes: Any) -> Contract:
    return read(json.dumps({**PLAIN, **changes}).encode())


def refusal(source: Path | str | bytes) -> ContractError:
    with pytest.raises(ContractError) as caught:
        read(source)
    return caught.value


def refused(**changes: Any) -> list[Problem]:
    return list(refusal(json.dumps({**PLAIN, **changes}).encode()).problems)


@pytest.mark.parametrize("name", sorted(path.stem for path in REJECTED.glob("*.json")))
def test_a_rejected_contract_is_told_all_that_is_wrong_with_it_and_where(name: str) -> None:
    found = refusal(REJECTED / f"{name}.json").problems
    assert [[p.rule, p.pointer, p.line, p.column] for p in found] == EXPECTED[name]
    assert all(problem.saw and problem.reason and problem.remedy for problem in found)


def test_every_expectation_has_its_contract_and_there_are_many() -> None:
    assert sorted(EXPECTED) == sorted(path.stem for path in REJECTED.glob("*.json"))
    assert len(EXPECTED) >= 30


def test_line_ends_of_windows_change_no_place() -> None:
    for name in ("several_faults", "json_comment", "json_duplicate"):
        raw = (REJECTED / f"{name}.json").read_bytes()
        found = refusal(raw.replace(b"\n", b"\r\n")).problems
        assert [[p.rule, p.pointer, p.line, p.column] for p in found] == EXPECTED[name]


def test_a_contract_that_says_little_gets_the_defaults_and_says_which() -> None:
    read_one = contract()
    assert (read_one.name, read_one.request.model, read_one.request.max_tokens) == (
        "file-finder",
        "claude-sonnet-4-5",
        4096,
    )
    assert read_one.signals["pause_turn"] == Action("resume", 10)
    assert (read_one.progress, read_one.retries, read_one.tracing) == (
        Progress(2, 3),
        Retries("client"),
        Tracing("agent_loop"),
    )
    assert (read_one.verification, read_one.compaction, read_one.budget.prices) == (None, None, None)
    assert read_one.defaults == {"/request/max_tokens", "/control", "/progress", "/retries", "/tracing"}


def test_a_default_is_taken_key_by_key() -> None:
    read_one = contract(progress={"stop_at": 5})
    assert read_one.progress == Progress(2, 5)
    assert "/progress/note_at" in read_one.defaults
    assert "/progress" not in read_one.defaults


def test_a_contract_that_says_all_is_read_whole() -> None:
    choice = {"type": "tool", "name": "look"}
    prices = {"as_of": "2026-11-30", "input": 3, "output": 15, "cache_write": 3.75, "cache_read": 0}
    read_one = contract(
        description="Finds files.",
        request={
            "model": "m",
            "system": "Look.",
            "top_k": 4,
            "tool_choice": {"type": "tool", "name": "look"},
        },
        budget={"iterations": 2, "tokens": 9, "seconds": 0.5, "cost": {"usd": 2.5, "prices": prices}},
        results={**PLAIN["results"], "max_chars": 20000},
        handlers={"on_error": "propagate", "on_unknown": "raise", "timeout_seconds": 30},
        retries={"by": "loop", "attempts": 4, "first_wait_seconds": 1, "longest_wait_seconds": 60},
        verification={"rounds": 2},
        compaction={"context_tokens": 100000, "share": 0.6, "keep_steps": 3},
        tracing={"logger": "agents.file_finder"},
    )
    assert read_one.request.parameters == {"top_k": 4, "tool_choice": choice}
    assert read_one.budget.prices is not None
    assert (read_one.budget.usd, read_one.budget.prices.cache_write) == (2.5, 3.75)
    assert read_one.retries == Retries("loop", 4, 1, 60)
    assert read_one.compaction is not None
    assert read_one.verification is not None


def test_the_same_loop_has_the_same_digest_however_it_is_written_down() -> None:
    digest = contract().digest
    backwards = json.dumps(dict(reversed(list(PLAIN.items()))), indent=3)
    assert read(backwards.encode()).digest == digest
    assert read(backwards.replace("20", "20.0").encode()).digest == digest
    assert contract(**{"$schema": "elsewhere.json"}, control={"by": "stop_reason"}).digest == digest
    assert contract(budget={"iterations": 21}).digest != digest


def test_code_in_a_text_is_a_text() -> None:
    code = '"""\n__import__("os").system("touch here") {{ 7 * 7 }} {% x %} \\'
    assert contract(description=code, request={"model": "m", "system": code}).request.system == code


@pytest.mark.parametrize("value", ["a\n", "-a", "a" * 65, "", "á"])
def test_a_name_is_a_name_to_its_end(value: str) -> None:
    assert [problem.rule for problem in refused(name=value)] == ["value.form"]


def test_what_the_api_refuses_is_told_in_its_own_words_one_after_the_other() -> None:
    request = {
        "model": "claude-opus-5-5",
        "temperature": 0.5,
        "thinking": {"type": "adaptive"},
        "tool_choice": {"type": "any"},
        "top_k": 4,
    }
    told = {problem.pointer: problem.reason for problem in refused(request=request)}
    assert list(told) == ["/request/temperature", "/request/tool_choice", "/request/top_k"]
    assert told["/request/temperature"].endswith("when thinking is enabled or in adaptive mode.")
    assert told["/request/tool_choice"].endswith('type "tool" and "any" are not supported for this model.')
    assert told["/request/top_k"].endswith("`top_k` is deprecated for this model.")


def test_a_missing_key_and_one_of_nearly_its_name_are_one_fault() -> None:
    signals = {("end_trun" if name == "end_turn" else name): do for name, do in PLAIN["signals"].items()}
    (problem,) = refused(signals=signals)
    assert (problem.rule, problem.saw) == ("signals.unknown", 'the key "end_trun"')
    assert problem.remedy.startswith('Write "end_turn".')


def test_a_key_that_is_near_to_none_is_told_those_that_there_are() -> None:
    (problem,) = refused(handlers={**PLAIN["handlers"], "colour": "red"})
    assert problem.remedy == "Leave it out; the keys here are: on_error, on_unknown, timeout_seconds."


def test_problems_are_told_as_text_in_the_order_of_their_places() -> None:
    text = str(refusal(REJECTED / "budget_empty.json"))
    first, saw, rule, remedy = text.splitlines()
    assert first.endswith("budget_empty.json:7:13: budget.missing (/budget)")
    assert saw == "  saw:    {}"
    assert rule.startswith("  rule:   A loop without a limit")
    assert remedy.startswith('  remedy: Declare at least one limit: "budget": {"iterations": 20}')


def test_problems_are_told_in_spanish(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMULATOR_LANG", "es")
    text = str(refusal(REJECTED / "several_faults.json"))
    assert "regla:   Un bucle" not in text
    assert "visto:   falta " in text
    assert "regla:   La respuesta se cortó en max_tokens" in text
    assert "remedio: Escribe " in text


def test_a_refusal_can_be_sent_to_another_process() -> None:
    error = refusal(REJECTED / "several_faults.json")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.problems, again.file) == (str(error), error.problems, error.file)


def test_problems_are_told_as_plain_data() -> None:
    (told,) = problems_as_dicts(refusal(REJECTED / "results_as_tool.json"))
    assert list(told) == ["rule", "pointer", "line", "column", "saw", "reason", "remedy"]
    assert (told["rule"], told["pointer"], told["line"]) == ("results.role", "/results/role", 18)
    assert json.loads(json.dumps(told)) == told


def test_nothing_of_the_file_steers_a_terminal_or_breaks_a_line() -> None:
    error = refusal(json.dumps({**PLAIN, "a\n\x1b[31m\u202e": 1, "name": "\x1b]0;x\x07\n"}).encode())
    text = str(error)
    assert not any(mark in text for mark in ("\x1b", "\u202e", "\x07"))
    assert len(text.splitlines()) == 4 * len(error.problems)
    assert json.dumps(problems_as_dicts(error), ensure_ascii=False).encode()


def test_of_very_many_problems_a_hundred_are_told_and_the_rest_counted() -> None:
    error = refusal(json.dumps({**PLAIN, **{f"key{n}": n for n in range(1000)}}).encode())
    assert (len(error.problems), error.more) == (100, 900)
    assert str(error).endswith("… and 900 more; mend these first.")


@pytest.mark.parametrize("make", [str, Path])
def test_a_contract_is_read_from_a_path_or_from_bytes(make: Callable[[Path], Any], tmp_path: Path) -> None:
    path = tmp_path / "contrato ñ.json"
    path.write_text(json.dumps(PLAIN), encoding="utf-8")
    assert read(make(path)) == contract()
