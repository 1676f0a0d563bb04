"""What a learner's file can do to the grader: each is one clear sentence, and the grader lives on."""

from pathlib import Path

import pytest

from simulator.gate.runner import Job, Runner
from simulator.grading import catalogue
from simulator.grading.checks import first_failure, grade
from simulator.grading.report import page

KATA = catalogue.load().find("02")
HEAD = "def run_agent_loop(client, messages, tools, handlers):\n    "

RIGHT = """
def run_agent_loop(client, messages, tools, handlers):
    while True:
        response = client.messages.create(model="m", max_tokens=99, messages=messages, tools=tools)
        if response.stop_reason != "tool_use":
            return response
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content if b.type == "tool_use"
        ]
        messages += [{"role": "assistant", "content": response.content}, {"role": "user", "content": results}]
"""

FILES = {
    "no Python": ("def run_agent_loop(client, messages, tools, handlers)\n    pass", "G-SYNTAX"),
    "an import that fails": ("import no_such_module_anywhere", "G-IMPORT"),
    "sys.exit while loading": ("import sys\nsys.exit('bye')", "G-IMPORT-EXIT"),
    "a misspelt name": ("def run_agent_lop(client, messages, tools, handlers): pass", "G-RENAMED"),
    "no function at all": ("x = 1", "G-MISSING"),
    "a number for a function": ("run_agent_loop = 3", "G-NOT-CALLABLE"),
    "a class": ("class run_agent_loop: pass", "G-NOT-CALLABLE"),
    "async": ("async def run_agent_loop(client, messages, tools, handlers): pass", "G-ASYNC"),
    "a generator": (HEAD + "yield 1", "G-GENERATOR"),
    "another parameter's name": ("def run_agent_loop(client, msgs, tools, handlers): pass", "G-SIGNATURE"),
    "a parameter too many": (
        "def run_agent_loop(client, messages, tools, handlers, extra): pass",
        "G-SIGNATURE",
    ),
    "a crash": (HEAD + "return 1 / 0", "G-CRASH"),
    "a BaseException": ("class Odd(BaseException): pass\n" + HEAD + "raise Odd('x')", "G-CRASH"),
    "sys.exit": (HEAD + "import sys; sys.exit(3)", "G-EXIT"),
    "KeyboardInterrupt": (HEAD + "raise KeyboardInterrupt", "G-INTERRUPT"),
    "an end of the process": (HEAD + "import os; os._exit(5)", "G-DIED"),
    "recursion without end": (HEAD + "return run_agent_loop(client, messages, tools, handlers)", "G-CRASH"),
    "input()": (HEAD + "return input('?')", "G-CRASH"),
    "no request": (HEAD + "return 'done'", "G-NOTHING"),
    "a huge value": (HEAD + "return 'y' * 5_000_000", "G-NOTHING"),
    "an unheard-of request": (
        HEAD + "return client.messages.create(model='m', max_tokens=9, tools=tools, "
        "messages=[{'role': 'user', 'content': 'Tell me a story.'}])",
        "G-OFFSCRIPT",
    ),
    "an unheard-of call": (HEAD + "return handlers['find_files'](pattern='*.none')", "G-RECORDING"),
}


@pytest.fixture(scope="module")
def runner():
    with Runner() as one:
        yield one


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_gives_nothing_to_judge_has_a_message_of_its_own(case, runner, tmp_path):
    source, message = FILES[case]
    loop = tmp_path / "loop.py"
    loop.write_text(source, encoding="utf-8")
    results = grade(KATA, loop, 7, runner)
    first = first_failure(results)
    assert first.message == message
    # Each run says it once: the tests after it are skipped. The other conversation is a run of its own.
    same_run, *other_run = [one.state for one in results if one is not first]
    assert same_run == "skipped"
    assert other_run in (["skipped", "skipped"], ["fail", "skipped"], ["could-not-check", "skipped"])
    for lang in ("en", "es"):
        text = page(first, KATA, 7, lang)
        assert text.startswith(message)
        assert "Traceback" not in text
        assert len(text.splitlines()) <= 40


def test_a_file_that_is_no_text_is_said_so(runner, tmp_path):
    loop = tmp_path / "loop.py"
    loop.write_bytes(b"\xff\xfe\x00")
    assert first_failure(grade(KATA, loop, 7, runner)).message == "G-UNREADABLE"
    assert first_failure(grade(KATA, tmp_path / "none.py", 7, runner)).message == "G-NOFILE"


@pytest.mark.parametrize(
    ("source", "code", "line"),
    [
        (HEAD + "n = 0\n    while True: n += 1", "deadline", 3),
        ("import time\n" + HEAD + "time.sleep(600)", "G-HANGS", 3),
        ("while True: pass", "G-HANGS", 1),
    ],
    ids=["a loop that never asks", "a sleep", "while loading"],
)
def test_a_loop_that_does_not_come_back_is_ended_and_the_next_run_is_graded(
    source, code, line, runner, tmp_path
):
    hangs, right = tmp_path / "hangs.py", tmp_path / "right.py"
    hangs.write_text(source, encoding="utf-8")
    right.write_text(RIGHT, encoding="utf-8")
    outcome = runner.run(Job(hangs, "count_python_files", 7, deadline=0.5))
    if outcome.trace is not None:
        assert outcome.trace.exit.reason == code
        assert outcome.trace.exit.line == line
    else:
        assert outcome.problem.code == code
        assert outcome.problem.frames[-1].line == line
    assert first_failure(grade(KATA, right, 7, runner)) is None


def test_a_loop_that_swallows_the_stop_is_ended_soon_and_its_page_says_why(runner):
    loop = Path(__file__).parents[1] / "katas" / KATA.slug / "rejected" / "swallows_everything.py"
    result = first_failure(grade(KATA, loop, 7, runner))
    assert result.outcome.trace.exit.ignored
    assert "not even with Ctrl-C" in " ".join(page(result, KATA, 7, "en").split())
    assert "ni siquiera con Ctrl-C" in " ".join(page(result, KATA, 7, "es").split())


def test_what_a_loop_prints_is_kept_in_short_and_cannot_forge_a_report(runner, tmp_path):
    loop = tmp_path / "loop.py"
    loop.write_text(
        "import os\n" + HEAD + "os.write(1, b'{\"trace\": null}\\n')\n    print('\\x1b[31mred\\u202e')\n"
        "    for _ in range(300): print('x' * 99)\n    return None\n",
        encoding="utf-8",
    )
    outcome = runner.run(Job(loop, "count_python_files", 7))
    assert outcome.trace is not None
    assert outcome.printed_count == 300 * 100 + len("\x1b[31mred\u202e") + 1
    assert len(outcome.printed) == 4000
    text = page(first_failure(grade(KATA, loop, 7, runner)), KATA, 7)
    assert "\x1b" not in text
    assert "⟨U+202E⟩" in text


def test_nothing_of_one_run_reaches_the_next(runner, tmp_path):
    loop = tmp_path / "loop.py"
    loop.write_text(
        "import os\nhere = os.getcwd()\nseen = []\n"
        + HEAD
        + "seen.append(1)\n    return [len(seen), 'KEY' in os.environ]\n",
        encoding="utf-8",
    )
    values = [runner.run(Job(loop, "count_python_files", 7)).trace.exit.value for _ in range(2)]
    assert values == [[1, False], [1, False]]


def test_a_helper_beside_the_loop_can_be_imported(runner, tmp_path):
    (tmp_path / "my_helper_for_loops.py").write_text("ANSWER = 42\n", encoding="utf-8")
    loop = tmp_path / "loop.py"
    loop.write_text("from my_helper_for_loops import ANSWER\n" + HEAD + "return ANSWER\n", encoding="utf-8")
    assert runner.run(Job(loop, "count_python_files", 7)).trace.exit.value == 42


def test_a_python_that_cannot_load_the_simulator_is_said(tmp_path):
    loop = tmp_path / "loop.py"
    loop.write_text(RIGHT, encoding="utf-8")
    with Runner(python=str(_false(tmp_path))) as broken:
        assert broken.run(Job(loop, "count_python_files", 7)).problem.code == "G-NOSTART"


def _false(folder):
    """Return a program that ends at once without a word: this very Python, asked for its version."""
    import os
    import sys

    script = folder / ("python.bat" if os.name == "nt" else "python.sh")
    text = f'@"{sys.executable}" -c ""\r\n' if os.name == "nt" else f'#!/bin/sh\n"{sys.executable}" -c ""\n'
    script.write_text(text, encoding="utf-8")
    script.chmod(0o755)
    return script
