"""``simulator check``: what it prints and writes, and with what status it ends."""

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from simulator.cli import main
from simulator.commands.check import chosen
from simulator.commands.check_table import Row, plain, show
from simulator.commands.parser import UsageError
from simulator.gate.probes import all_probes

RIGHT = """
def loop(client, messages, tools, handlers, max_iterations=20):
    messages = list(messages)
    for _ in range(max_iterations):
        response = client.messages.create(model="m", max_tokens=4096, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": [answer(b, handlers) for b in calls(response)]})
    raise RuntimeError("max_iterations")


def calls(response):
    return [block for block in response.content if block.type == "tool_use"]


def answer(call, handlers):
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return result | {"content": handlers[call.name](**call.input)}
    except Exception as error:
        return result | {"content": f"{call.name} failed: {error}", "is_error": True}
"""

FIRST_ONLY = RIGHT.replace('if block.type == "tool_use"]', 'if block.type == "tool_use"][:1]')
"""The same, but for the calls after the first."""

PROSE = '''
def loop(client, messages, tools, handlers):
    """The anti-pattern: look for a word, take one call, and never give up."""
    while True:
        response = client.messages.create(model="m", max_tokens=4096, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        text = " ".join(block.text for block in response.content if block.type == "text")
        if "done" in text.lower() or "let me know" in text.lower():
            return text
        call = next((block for block in response.content if block.type == "tool_use"), None)
        if call is None:
            messages.append({"role": "user", "content": "Continue."})
            continue
        said = handlers[call.name](**call.input)
        result = {"type": "tool_result", "tool_use_id": call.id, "content": str(said)}
        messages.append({"role": "user", "content": [result]})
'''


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of the user's, with some loops in it."""
    for name, source in (("right", RIGHT), ("first_only", FIRST_ONLY), ("prose", PROSE)):
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *words):
    """Return exit status, standard output and standard error of ``simulator check``."""
    status = main(["check", *map(str, words)])
    shown = capsys.readouterr()
    return status, shown.out, shown.err


# Right and wrong loops


def test_a_loop_with_which_nothing_is_wrong_ends_with_0(here, capsys):
    status, out, err = run(capsys, "right.py", "--only", "parallel", "--seed", "4")
    assert (status, err) == (0, "")
    assert out.startswith("right.py: loop, right.py:2. Seed 4.\n\nd  Several calls in one answer\n")
    assert len(re.findall(r"^  pass  ", out, re.MULTILINE)) == 4
    assert out.endswith("Of 4 probes: 4 hold, 0 fail, 0 could not be checked, 0 do not apply.\n")


def test_a_failure_is_told_in_three_sentences_with_its_place_and_ends_with_1(here, capsys):
    files = ("--json", "a.json", "--junit", "a.xml", "--sarif", "a.sarif", "--html", "pages")
    status, out, err = run(capsys, "first_only.py:loop", "--only", "parallel", *files)
    assert status == 1
    for part in ("saw", "rule", "remedy", "where"):
        assert re.search(rf"^    {part} ", out, re.MULTILINE)
    assert "scenario cold_rooms, request 2, line 5 of first_only.py" in " ".join(out.split())
    assert out.endswith("simulator check first_only.py:loop --only parallel --html out\n")
    assert err == f"The pages begin at {Path('pages') / 'index.html'}.\n"
    written(here)


def written(here):
    """Check the four reports of one run against each other."""
    told = json.loads((here / "a.json").read_text(encoding="utf-8"))
    failed = [one["id"] for one in told["probes"] if one["state"] == "fail"]
    assert "parallel.runs_every_call" in failed
    suite = ET.fromstring((here / "a.xml").read_bytes())
    assert [
        one.get("name").partition(":")[0] for one in suite.iter("testcase") if one.find("failure") is not None
    ] == failed
    sarif = json.loads((here / "a.sarif").read_text(encoding="utf-8"))
    assert [one["ruleId"] for one in sarif["runs"][0]["results"]] == failed
    index = (here / "pages" / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'href="([^"#]+)#step=(\d+)"', index)
    assert [name for name, _ in links] == [f"{one}.html" for one in failed]
    for name, step in links:
        page = (here / "pages" / name).read_text(encoding="utf-8")
        view = json.loads(re.search(r'id="view">(.*?)</script>', page, re.DOTALL)[1])
        assert view["trace"]["steps"][int(step) - 1]["kind"] == "request"
        assert view["trace"]["source"]["file"] == "first_only.py"


def test_the_anti_pattern_fails_in_the_right_families(here, capsys):
    status, out, _ = run(capsys, "prose.py", "--json")
    told = json.loads(out)
    failed = {one["family"] for one in told["probes"] if one["state"] == "fail"}
    assert status == 1
    assert failed >= {"d", "f", "g", "h", "o"}
    assert told["problem"] is None


def test_the_reference_loop_meets_all_seven_criteria(here, capsys):
    status, out, _ = run(capsys, "simulator.loop:run_agent_loop", "--criteria", "--lang", "es")
    assert status == 0
    assert re.findall(r"^  cumplido  (\d)\.", out, re.MULTILINE) == list("1234567")
    assert out.endswith("Criterios cumplidos: 7 de 7.\n")


def test_a_criterion_that_nothing_can_meet_says_which_parameter_is_missing(here, capsys):
    status, out, _ = run(capsys, "prose.py", "--criteria", "--only", "budget.keeps_to_tokens")
    assert status == 1
    assert "NOT MET  5. " in out
    assert "would be called max_total_tokens" in " ".join(out.split())
    assert "1. " not in out


def test_the_same_seed_gives_the_same_bytes(here, capsys):
    first, second = (run(capsys, "prose.py", "--only", "d", "--only", "o", "--json") for _ in range(2))
    assert first == second


# Loops that cannot be judged


@pytest.mark.parametrize(
    ("target", "source", "status", "says"),
    [
        ("none.py", None, 2, "There is no file none.py."),
        ("no.such:loop", None, 2, "No module no.such can be imported"),
        ("my loop", None, 2, "names no loop"),
        ("odd.py", "def loop(client:\n", 1, "odd.py, line 1, is not Python yet"),
        ("odd.py:lop", "def loop(client): ...\n", 1, "did you mean loop?"),
    ],
)
def test_a_loop_that_cannot_be_had_is_one_sentence(target, source, status, says, here, capsys):
    if source is not None:
        (here / "odd.py").write_text(source, encoding="utf-8")
    seen, out, err = run(capsys, target, "--only", "parallel.runs_every_call", "--lang", "en")
    assert (seen, out) == (status, "")
    assert says in err
    assert err.count("\n") == 1


def test_a_loop_that_hangs_is_one_sentence_and_still_a_report_for_programs(here, capsys):
    (here / "odd.py").write_text(
        RIGHT.replace("    messages = list", "    while True: pass\n    messages = list"), encoding="utf-8"
    )
    status, out, err = run(capsys, "odd.py", "--only", "parallel", "--junit", "odd.xml")
    assert (status, out) == (1, "")
    assert err.startswith("In every run the loop was still busy at line 3 when its time was up")
    assert (
        ET.parse(here / "odd.xml").find("testsuite/testcase/error").get("type") == "gate.everywhere.deadline"
    )


# Words


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "Name the loop to check"),
        (["right.py", "--only", "paralel"], "Did you mean parallel?"),
        (["right.py", "--only", "zzzz"], "There are: history, "),
        (["right.py", "--seed", "x"], "invalid int value"),
        (["right.py", "--odd"], "--odd"),
    ],
)
def test_wrong_usage_ends_with_2_and_one_line(words, says, here, capsys):
    status, out, err = run(capsys, *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert says in err


def test_only_takes_a_letter_a_module_or_an_id_and_may_be_given_again():
    probes = all_probes()
    assert {one.id for one in chosen(probes, ["d"])} == {one.id for one in chosen(probes, ["parallel"])}
    both = chosen(probes, ["order.never_refused", "parallel"])
    assert [one.id.partition(".")[0] for one in both] == ["parallel"] * 4 + ["order"]
    assert chosen(probes, []) == list(probes)
    with pytest.raises(UsageError):
        chosen(probes, ["Parallel"])


def test_json_before_the_loop_is_understood(here, capsys):
    status, out, _ = run(capsys, "--json", "right.py", "--only", "parallel.runs_every_call")
    assert (status, json.loads(out)["target"]) == (0, "right.py")


def test_a_file_that_is_no_report_is_left_alone(here, capsys):
    before = (here / "right.py").read_bytes()
    for option, content in (("--json", b"import os\n"), ("--junit", b"{}"), ("--sarif", b"<html>")):
        (here / "notes.txt").write_bytes(content)
        status, _, err = run(capsys, "right.py", "--only", "parallel.runs_every_call", option, "notes.txt")
        assert status == 2
        assert "left as it is" in err
        assert (here / "notes.txt").read_bytes() == content
    assert (here / "right.py").read_bytes() == before


def test_a_report_goes_nowhere_without_its_folder(here, capsys):
    status, _, err = run(capsys, "right.py", "--only", "parallel.runs_every_call", "--junit", "no/a.xml")
    assert (status, "its folder is not there" in err) == (2, True)


def test_pages_of_somebody_else_are_left_alone(here, capsys):
    (here / "site").mkdir()
    (here / "site" / "index.html").write_text("<h1>mine</h1>", encoding="utf-8")
    words = ("right.py", "--only", "parallel.runs_every_call", "--html")
    assert run(capsys, *words, "site")[0] == 2
    assert run(capsys, *words, "right.py")[0] == 2
    assert (here / "site" / "index.html").read_text(encoding="utf-8") == "<h1>mine</h1>"


@pytest.mark.parametrize("lang", ["en", "es"])
def test_the_list_names_every_probe(lang, capsys):
    assert main(["check", "--list", "--lang", lang]) == 0
    out = capsys.readouterr().out
    assert all(one.id in out for one in all_probes())
    letters = re.findall(r"^([a-w])  ", out, re.MULTILINE)
    assert letters == sorted(set(letters))


def test_the_list_is_there_for_programs_too(capsys):
    assert main(["check", "--list", "--json", "--only", "parallel"]) == 0
    first, *_ = told = json.loads(capsys.readouterr().out)
    assert len(told) == 4
    assert first["id"] == "parallel.runs_every_call"
    assert set(first) == {"id", "family", "title", "criteria", "katas", "cases"}


# Showing

ROWS = [
    Row("d  Several calls", style="head"),
    Row("It holds (a.b)", "pass", "pass", 1),
    Row("It does not [red]hold[/red] (a.c)", "FAIL", "fail", 1),
    Row("A sentence " * 20, "saw", depth=2),
]


class Screen:
    """A terminal that keeps what is written to it."""

    encoding = "utf-8"

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return True


def test_plain_text_is_wrapped_under_its_label():
    shown = plain(ROWS).splitlines()
    assert shown[1] == "  pass  It holds (a.b)"
    assert shown[3].startswith("    saw  A sentence")
    assert shown[4].startswith("         A sentence") or shown[4].startswith("         sentence")
    assert all(len(line) <= 100 for line in shown)


@pytest.mark.parametrize("colour", [True, False])
def test_a_terminal_gets_colour_unless_it_is_not_wanted_and_never_markup(colour, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if not colour:
        monkeypatch.setenv("NO_COLOR", "1")
    screen = Screen()
    show(ROWS, screen)
    assert ("\x1b[32m" in screen.text) is colour
    assert "[red]hold[/red]" in screen.text
    bare = re.sub(r"\x1b\[[\d;]*m", "", screen.text)
    assert [word in bare for word in ("pass", "FAIL", "saw")] == [True] * 3


def test_help_shows_an_example_in_both_languages(capsys):
    for lang in ("en", "es"):
        assert main(["check", "--help", "--lang", lang]) == 0
        assert "simulator check simulator.loop:run_agent_loop --criteria" in capsys.readouterr().out


def test_whoever_judges_never_imports_the_sdk():
    script = (
        "import sys, simulator.gate.judge, simulator.gate.probes\n"
        "import simulator.gate.as_sarif, simulator.gate.as_junit\n"
        "import simulator.commands.check_table, simulator.commands.check_pages\n"
        "simulator.gate.probes.all_probes()\n"
        "print(sorted({'anthropic', 'httpx2', 'vcr', 'yaml', 'rich', 'jsonschema'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
