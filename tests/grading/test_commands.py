"""The command ``katas``."""

import json
import shutil
from pathlib import Path

import pytest

from simulator.grading.catalogue import load
from simulator.grading.commands import main

ROOT = Path(__file__).parents[2]
FIRST = (ROOT / "katas" / "katas.toml").read_text(encoding="utf-8")


@pytest.fixture
def katas(tmp_path):
    folder = tmp_path / "katas"
    shutil.copytree(
        ROOT / "katas", folder, ignore=shutil.ignore_patterns(".katas", "__pycache__", "*.backup-*")
    )
    return folder


@pytest.fixture
def run(katas, capsys):
    """Run ``katas`` on the folder and return (exit status, stdout, stderr)."""

    def call(*words):
        status = main([*words, "--katas", str(katas)])
        seen = capsys.readouterr()
        return status, seen.out, seen.err

    return call


def _solve(katas, slug):
    shutil.copyfile(ROOT / "tests" / "katas" / slug / "solution.py", katas / slug / "loop.py")


def test_list_shows_each_kata_and_its_tick(run):
    status, text, _ = run("list")
    assert status == 0
    assert ". 02  missing_append" in text
    rows = json.loads(run("list", "--json")[1])["katas"]
    assert [row["state"] for row in rows] == ["open"] * len(load().katas)


def test_grade_fails_with_a_page_and_passes_with_a_tick(run, katas):
    status, text, _ = run("grade", "2", "--seed", "7")
    assert status == 1
    assert text.startswith("K02-E1")
    _solve(katas, "02_missing_append")
    status, text, _ = run("grade", "missing_append")
    assert status == 0
    assert "kata 02 missing_append: passed" in text
    assert "x 02" in run("list")[1]


def test_grade_tells_programs_what_each_check_found(run):
    status, text, _ = run("grade", "02", "--json", "--seed", "7")
    told = json.loads(text)
    assert status == 1
    assert told["seed"] == 7
    first, second, *_ = told["katas"][0]["checks"]
    assert (first["verdict"], first["message_id"], first["probe"]) == ("fail", "K02-E1", "history.carries_on")
    assert first["turn"] == 2
    assert (second["verdict"], second["message_id"]) == ("skipped", "K02-E1")


def test_hints_come_one_at_a_time_and_the_last_repeats(run):
    first, second = run("hint", "2")[1], run("hint", "2")[1]
    assert "question 1 of 5" in first
    assert "question 2 of 5" in second
    again = json.loads(run("hint", "2", "--again", "--json")[1])
    assert [one["rung"] for one in again["hints"]] == [1, 2]
    for _ in range(5):
        last = run("hint", "2")[1]
    assert "question 5 of 5" in last
    assert "That was the last question." in last


def test_a_hint_is_a_question_and_never_code(run):
    for kata in load().katas:
        for _ in range(kata.hints + 1):
            text = run("hint", kata.number)[1]
            assert "?" in text
            assert "append(" not in text
            assert "def " not in text


def test_the_solution_opens_after_passing(run, katas):
    status, out, err = run("solution", "2")
    assert (status, out) == (1, "")
    assert "has not been passed yet" in err
    _solve(katas, "02_missing_append")
    assert run("grade", "2")[0] == 0
    assert "word for word" in run("solution", "2")[1]
    shutil.copyfile(
        ROOT / "tests/katas/02_missing_append/accepted/recursion.py", katas / "02_missing_append/loop.py"
    )
    status, out, _ = run("solution", "2")
    assert status == 0
    assert "One possibility" in out
    assert '+        messages.append({"role": "user", "content": results})' in out
    assert "Why:" in out


def test_giving_up_marks_the_kata_as_seen_and_not_as_done(run):
    status, out, _ = run("solution", "3", "--give-up")
    assert status == 0
    assert "marked as seen" in out
    assert "~ 03" in run("list")[1]


def test_reset_restores_the_starter_and_keeps_every_version(run, katas):
    loop = katas / "02_missing_append" / "loop.py"
    starter = loop.read_bytes()
    for number, text in ((1, b"my first try"), (2, b"my second try \xff")):
        loop.write_bytes(text)
        status, out, _ = run("reset", "2")
        backup = loop.with_name(f"loop.backup-{number}.py")
        assert status == 0
        assert str(backup) in out
        assert backup.read_bytes() == text
        assert loop.read_bytes() == starter
    assert "Nothing to do." in run("reset", "2")[1]
    loop.unlink()
    assert "is there again" in run("reset", "2")[1]
    assert loop.read_bytes() == starter


def test_reset_puts_a_contract_away_and_loses_nothing(run, katas):
    folder = katas / "28_capstone_contract"
    starter = (folder / "loop.py").read_bytes()
    (folder / "contract.json").write_text("mine", encoding="utf-8")
    (folder / "loop.py").write_text("compiled", encoding="utf-8")
    told = json.loads(run("reset", "28", "--json")[1])
    assert (told["file"], told["what"]) == ("loop.py", "done")
    assert [(one["file"], one["what"]) for one in told["others"]] == [("contract.json", "away")]
    assert (folder / "loop.py").read_bytes() == starter
    assert (folder / "loop.backup-1.py").read_text(encoding="utf-8") == "compiled"
    assert (folder / "contract.backup-1.json").read_text(encoding="utf-8") == "mine"
    assert not (folder / "contract.json").exists()
    assert "Nothing to do." in run("reset", "28")[1]
    (folder / "contract.json").write_text("another", encoding="utf-8")
    assert "contract.backup-2.json" in run("reset", "28")[1]
    (folder / "contract.json").write_text("a third", encoding="utf-8")
    assert run("reset", "28", "--grader")[0] == 0
    assert (folder / "contract.json").read_text(encoding="utf-8") == "a third"


def test_the_solution_of_a_contract_is_a_contract(run, katas):
    status, out, _ = run("solution", "28", "--give-up")
    assert status == 0
    assert '+  "name": "night-clerk",' in out
    assert "def run_agent_loop" not in out
    solution = ROOT / "tests" / "katas" / "28_capstone_contract" / "solution.json"
    shutil.copyfile(solution, katas / "28_capstone_contract" / "contract.json")
    assert "Your contract of kata 28 is this solution, word for word." in run("solution", "28")[1]


def test_grade_names_the_commands_of_a_contract_for_programs(run, katas):
    contract = katas / "28_capstone_contract" / "contract.json"
    contract.write_text('{"format": "loop-contract", "version": 1}', encoding="utf-8")
    first, second, *_ = json.loads(run("grade", "28", "--json")[1])["katas"][0]["checks"]
    assert first["verdict"] == "pass"
    assert second["probe"] == "budget.missing"
    assert second["commands"][0].startswith("simulator compile ")
    assert run("grade", "28", "--lang", "es")[1].startswith("K28-E4  Un bucle sin límite")


def test_next_says_write_where_there_is_no_file_yet(run, katas):
    progress = katas / ".katas" / "progress.json"
    progress.parent.mkdir()
    done = [kata.slug for kata in load().katas if kata.kind == "loop"]
    progress.write_text(json.dumps({"passed": done, "seen": [], "hints": {}}), encoding="utf-8")
    assert f"write {katas / '28_capstone_contract' / 'contract.json'}" in run("next")[1]


def test_reset_brings_the_grader_back_too(run, katas):
    test = katas / "02_missing_append" / "loop_test.py"
    shipped = test.read_bytes()
    test.write_text("# nothing is tested\n", encoding="utf-8")
    assert run("reset", "2", "--grader")[0] == 0
    assert test.read_bytes() == shipped


def test_reset_without_the_shipped_copy_touches_nothing(run, katas):
    loop = katas / "02_missing_append" / "loop.py"
    loop.write_text("mine", encoding="utf-8")
    shutil.rmtree(katas / ".pristine")
    status, _, err = run("reset", "2")
    assert status == 1
    assert "your file was not touched" in err
    assert loop.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"passed": 3}', '{"passed": [], "seen": [], "hints": {"x": "y"}}']
)
def test_ticks_that_cannot_be_read_are_said_and_left_alone(run, katas, text):
    file = katas / ".katas" / "progress.json"
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    for words in (("list",), ("hint", "2")):
        status, _, err = run(*words)
        assert status == 0
        assert "It is left as it is." in err
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not a catalogue"),
        ("format = 2", "is not a catalogue"),
        ("format = 1\n[[kata]]\nslug = 3", "slug must be there"),
        (FIRST.replace('kind = "loop"', 'kind = "loops"'), "has to be one of these: loop, contract"),
        ("format = [", "cannot be read"),
        ("\x00", "cannot be read"),
    ],
)
def test_a_broken_catalogue_is_one_sentence(run, katas, text, said):
    (katas / "katas.toml").write_text(text, encoding="utf-8")
    status, out, err = run("list")
    assert (status, out) == (1, "")
    assert said in err
    assert "katas.toml" in err


def test_a_folder_without_katas_and_a_kata_that_is_not_there_are_said(capsys, tmp_path, run):
    assert main(["list", "--katas", str(tmp_path)]) == 1
    assert "this folder holds no katas" in capsys.readouterr().err
    status, _, err = run("grade", "77")
    assert status == 2
    assert "There is no kata 77" in err


@pytest.mark.parametrize("words", [[], ["frobnicate"], ["hint"], ["grade", "2", "--seed", "-1"]])
def test_wrong_usage_has_status_two(words, capsys):
    assert main(words) == 2
    assert "usage: katas" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["list", "next", "grade", "hint", "solution", "reset"])
def test_help_shows_an_example_in_both_languages(command, capsys):
    assert main([command, "--help"]) == 0
    assert f"example: katas {command}" in capsys.readouterr().out
    assert main([command, "--help", "--lang", "es"]) == 0
    assert f"ejemplo: katas {command}" in capsys.readouterr().out


def test_next_names_the_files_to_open(run, katas):
    text = run("next")[1]
    assert str(katas / "01_typed_stop_reason" / "README.md") in text
    assert str(katas / "01_typed_stop_reason" / "README.es.md") in run("next", "--lang", "es")[1]
