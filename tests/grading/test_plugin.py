"""pytest on a folder of katas, as a learner runs it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOLUTIONS = ROOT / "tests" / "katas"


@pytest.fixture
def katas(tmp_path):
    """A folder of katas of one's own."""
    folder = tmp_path / "katas"
    shutil.copytree(
        ROOT / "katas", folder, ignore=shutil.ignore_patterns(".katas", "__pycache__", "*.backup-*")
    )
    return folder


def run(*words, cwd, **environment):
    """Run pytest as a learner does and return (exit status, what it printed)."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    kept |= {"SIMULATOR_LANG": "en", "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"} | environment
    command = [sys.executable, "-m", "pytest", *map(str, words)]
    done = subprocess.run(
        command, cwd=cwd, env=kept, capture_output=True, text=True, encoding="utf-8", timeout=300
    )
    return done.returncode, done.stdout + done.stderr


def solve(katas, slug):
    shutil.copyfile(SOLUTIONS / slug / "solution.py", katas / slug / "loop.py")


def test_the_starter_fails_on_one_page_that_names_the_repeated_request(katas):
    status, text = run(katas / "02_missing_append", "--seed", "7", cwd=katas.parent)
    assert status == 1
    assert text.count("Happened") == 1
    assert text.count("K02-E1") == 2, "the page, and one line for the other conversation"
    assert "Request 2 is word for word request 1." in text
    assert "→ #2  sends the same as #1" in text
    assert "seed 7" in text
    assert "Traceback" not in text
    assert len(text.splitlines()) <= 50
    assert not (katas / ".katas").exists()


def test_the_solution_passes_is_ticked_and_the_next_kata_is_named(katas):
    solve(katas, "02_missing_append")
    status, text = run(katas / "02_missing_append" / "loop_test.py", cwd=katas / "01_typed_stop_reason")
    assert status == 0
    assert "kata 02 missing_append: passed" in text
    assert "katas solution 02" in text
    assert "01_typed_stop_reason (katas next)" in text
    ticks = json.loads((katas / ".katas" / "progress.json").read_text(encoding="utf-8"))
    assert ticks["passed"] == ["02_missing_append"]


def test_a_contract_is_graded_in_steps_and_told_in_the_language_asked_for(katas):
    folder = katas / "28_capstone_contract"
    stated = json.loads((SOLUTIONS / "28_capstone_contract" / "solution.json").read_text(encoding="utf-8"))
    stated["results"]["role"] = "assistant"
    (folder / "contract.json").write_text(json.dumps(stated), encoding="utf-8")
    status, text = run(folder, "--lang", "es", cwd=katas.parent)
    assert status == 1
    assert "K28-E6  Los resultados volverían en boca de quien no es" in text
    assert "solo acepta bloques tool_result en un turno user" in " ".join(text.split())
    assert "1 failed, 1 passed, 9 skipped" in text
    assert not (katas / ".katas").exists()


def test_a_part_of_the_tests_is_no_pass(katas):
    solve(katas, "02_missing_append")
    status, text = run(katas / "02_missing_append", "-k", "each_request", cwd=katas)
    assert status == 0
    assert "passed" not in text.replace("1 passed", "")
    assert not (katas / ".katas").exists()


def test_all_katas_are_graded_at_once_from_any_folder(katas):
    solve(katas, "03_missing_tool_use_id")
    status, text = run(katas, cwd=katas.parent, KATAS_SEED="4711")
    assert status == 1
    for message in ("K01-E1", "K02-E1", "K04-E1", "K28-E1"):
        assert message in text
    assert "K03-E" not in text
    assert "kata 03 missing_tool_use_id: passed" in text
    assert "--seed 4711" in text


def test_a_changed_grader_is_noticed(katas):
    test = katas / "02_missing_append" / "loop_test.py"
    test.write_text("def test_everything_is_fine(run):\n    pass\n", encoding="utf-8")
    status, text = run(katas / "02_missing_append", cwd=katas)
    assert status == 0
    assert "loop_test.py) is not the one that was shipped" in text


def test_other_line_ends_are_no_change(katas):
    test = katas / "02_missing_append" / "loop_test.py"
    test.write_bytes(test.read_bytes().replace(b"\n", b"\r\n"))
    assert "is not the one that was shipped" not in run(katas / "02_missing_append", cwd=katas)[1]


def test_it_speaks_spanish(katas):
    status, text = run(katas / "02_missing_append", "--lang", "es", "--seed", "1", cwd=katas)
    assert status == 1
    assert "La misma petición, una y otra vez" in text
    assert "semilla 1" in text


def test_a_terminal_that_knows_no_arrows_gets_plain_characters(katas):
    _, text = run(katas / "02_missing_append", cwd=katas, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert "-> #2  sends the same as #1" in text


def test_a_wrong_seed_is_wrong_usage(katas):
    status, text = run(katas / "02_missing_append", "--seed", "soon", cwd=katas)
    assert status == 4
    assert "A seed is a whole number from 0 on." in text


def test_the_parent_process_never_imports_the_sdk(katas):
    watch = katas / "conftest.py"
    watch.write_text(
        "import sys\n\ndef pytest_unconfigure():\n"
        "    names = ('anthropic', 'httpx2', 'vcr', 'jsonschema', 'nbval', 'hypothesis')\n"
        "    heavy = [name for name in names if name in sys.modules]\n"
        "    print('heavy:', heavy)\n",
        encoding="utf-8",
    )
    assert "heavy: []" in run(katas / "02_missing_append", cwd=katas)[1]
