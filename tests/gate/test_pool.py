"""Whatever a loop does to the process it runs in: a verdict or a sentence, and the other runs stand."""

import os
import textwrap

import pytest

from simulator.gate import target
from simulator.gate.judge import examine, hopeless_problem, performed
from simulator.gate.messages import line_of, sentence
from simulator.gate.pool import Pool
from simulator.gate.probe import Case, Probe
from simulator.gate.problems import Problem
from simulator.gate.ran import Ran, hopeless
from simulator.gate.verdict import unknown

RIGHT = """
def loop(client, messages, tools, handlers, scenario):
    messages = list(messages)
    odd(scenario.name, client, handlers)
    while True:
        response = client.messages.create(model="m", max_tokens=999, messages=messages, tools=tools)
        if response.stop_reason != "tool_use":
            return response
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": run(handlers[b.name], b.input)}
            for b in response.content if b.type == "tool_use"
        ]
        messages += [{"role": "assistant", "content": response.content}, {"role": "user", "content": results}]


def run(handler, given):
    try:
        return handler(**given)
    except Exception as error:
        return str(error)


def odd(name, client, handlers):
    pass
"""
"""A loop, with a place where a test has it do something odd before anything else."""


@pytest.fixture
def written(tmp_path):
    def write(source, name="agent.py"):
        (tmp_path / name).write_text(textwrap.dedent(source), encoding="utf-8")
        return target.read(name, tmp_path)

    return write


def doing(body):
    """Return RIGHT with *body* in its odd place."""
    return RIGHT.replace("    pass\n", textwrap.indent(textwrap.dedent(body), "    ") + "\n")


def ran(found, folder, cases, **how):
    with Pool(found, folder, **how) as pool:
        loop = pool.load()
        return loop, pool.run(cases, 0)


def end(one):
    return one.trace.exit.reason if one.trace else one.problem.code


# Runs

ODD = """
    import os, sys, threading, time
    match name:
        case "parallel_reads":
            os._exit(3)
        case "todo_list":
            sys.exit("enough")
        case "not_done_yet":
            raise KeyboardInterrupt
        case "cold_rooms":
            raise MemoryError("no room")
        case "night_log":
            raise type("Odd", (BaseException,), {})()
        case "silent_station":
            odd(name, client, handlers)
        case "two_tickets":
            input("?")
        case "two_part_minutes":
            threading.Event().wait()
        case "truncated_report":
            while True: pass
        case "truncated_again":
            [print("x" * 1000) for _ in range(3000)]
            os.write(1, b"{}\\n" * 9999)
        case "page_after_page":
            from concurrent.futures import ThreadPoolExecutor
            global pool
            pool = ThreadPoolExecutor()
            pool.submit(print).result()
        case "count_python_files":
            sys.stdout.reconfigure(encoding="utf-8")
            sys.stdout.buffer.write("ä".encode())
            print(sys.stdout.encoding, file=sys.stderr, flush=True)
        case "terse_error":
            threading.Thread(target=threading.Event().wait, daemon=True).start()
        case "lost_property":
            time.sleep(3600)
            time.sleep(0.5)
        case "shaky_api":
            client.messages.count_tokens(model="m", messages=[])
"""

ENDS = {
    "list_then_read": "returned",
    "count_python_files": "returned",
    "parallel_reads": "gate.end.died",
    "todo_list": "exited",
    "not_done_yet": "interrupted",
    "cold_rooms": "raised",
    "night_log": "raised",
    "silent_station": "raised",
    "two_tickets": "raised",
    "two_part_minutes": "gate.end.hangs",
    "truncated_report": "deadline",
    "truncated_again": "returned",
    "terse_error": "returned",
    "lost_property": "returned",
    "shaky_api": "off_script",
    "page_after_page": "returned",
}
"""What comes of each scenario where the loop does ODD things."""


@pytest.fixture(scope="module")
def odd_runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    (folder / "agent.py").write_text(doing(ODD), encoding="utf-8")
    cases = [Case(name) for name in ENDS]
    loop, outcomes = ran(target.read("agent.py", folder), folder, cases, deadline=1.0)
    assert loop.name == "loop"
    return dict(zip(ENDS, outcomes, strict=True))


def test_whatever_one_run_ends_with_the_others_stand(odd_runs):
    assert {name: end(one) for name, one in odd_runs.items()} == ENDS


def test_runs_come_back_in_the_order_of_their_cases(odd_runs):
    traces = {name: one.trace for name, one in odd_runs.items() if one.trace}
    assert all(
        trace.scenario == {**trace.scenario, "name": name, "seed": 0} for name, trace in traces.items()
    )


def test_a_run_that_never_comes_back_says_where_it_was(odd_runs):
    frame = odd_runs["two_part_minutes"].problem.frames[-1]
    assert (frame.function, frame.text) == ("odd", "threading.Event().wait()")


def test_a_flood_of_output_is_counted_and_harms_nobody(odd_runs):
    assert odd_runs["truncated_again"].printed == 3000 * 1001
    assert odd_runs["terse_error"].printed == 0


def test_its_output_is_as_good_as_any_other(odd_runs):
    assert odd_runs["count_python_files"].printed == len("ä" + "utf-8\n")


def test_threads_that_a_run_leaves_behind_are_counted(odd_runs):
    assert [name for name, one in odd_runs.items() if one.threads] == ["terse_error"]


def test_a_loop_may_sleep_as_long_as_it_likes(odd_runs):
    requests = odd_runs["lost_property"].trace.requests
    assert [step.event.waited for step in requests[:2]] == [3600.5, 0.0]


def test_a_child_that_is_lost_again_and_again_runs_no_more(written, tmp_path):
    found = written(doing("import os\nif name == 'todo_list': os._exit(1)"))
    cases = [Case("list_then_read"), *(Case("todo_list", {"steps?": n}) for n in range(3))]
    _, outcomes = ran(found, tmp_path, cases, workers=1, enough=2)
    assert [end(one) for one in outcomes] == ["returned", *["gate.end.died"] * 2, "gate.end.not_run"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_a_crash_of_python_itself_is_a_verdict(written, tmp_path):
    body = "import os, signal\nif name == 'todo_list': os.kill(os.getpid(), signal.SIGSEGV)"
    cases = [Case("todo_list"), Case("list_then_read")]
    _, outcomes = ran(written(doing(body)), tmp_path, cases, workers=1)
    assert [end(one) for one in outcomes] == ["gate.end.died", "returned"]


def test_what_a_loop_keeps_in_its_module_stays_and_is_the_same_each_time(written, tmp_path):
    source = "names = []\n" + doing("names.append(name)").replace("return response", "return list(names)")
    found, cases = written(source), [Case(name) for name in ENDS][:4]
    values = [[one.trace.exit.value for one in ran(found, tmp_path, cases)[1]] for _ in range(2)]
    assert values[0] == values[1]
    first, second, third, fourth = list(ENDS)[:4]
    assert values[0] == [[first], [second], [first, third], [second, fourth]]


def test_nothing_leaves_the_machine_and_a_key_is_there_that_opens_nothing(written, tmp_path):
    source = """
    import os, urllib.request
    KEY = os.environ["ANTHROPIC_API_KEY"]
    def loop(client, messages, tools, handlers):
        try:
            urllib.request.urlopen("http://192.0.2.1/")
        except OSError as error:
            return [KEY, type(error).__name__]
    """
    _, (one,) = ran(written(source), tmp_path, [Case("list_then_read")], workers=1)
    assert one.trace.exit.value == ["offline", "URLError"]
    assert one.tried == "192.0.2.1"


# Loading


@pytest.mark.parametrize(
    ("source", "code", "lines"),
    [
        ("import os\nos._exit(4)", "gate.target.died", ()),
        ("import threading\nx = 1\nthreading.Event().wait()", "gate.target.hangs", (3,)),
        ("while True:\n    pass", "gate.target.hangs", (1, 2)),
    ],
)
def test_a_file_that_ends_or_holds_up_its_loading_is_one_sentence(source, code, lines, written, tmp_path):
    with Pool(written(source), tmp_path, workers=1, loading=0.5) as pool:
        problem = pool.load()
    assert problem.code == code
    assert problem.facts.get("line") in (lines or (None,))
    assert all("\n" not in sentence(problem, lang) for lang in ("en", "es"))


def test_a_python_that_cannot_load_the_simulator_is_said(written, tmp_path):
    script = tmp_path / ("python.bat" if os.name == "nt" else "python.sh")
    script.write_text("@exit /b 0\n" if os.name == "nt" else "#!/bin/sh\nexit 0\n", encoding="utf-8")
    script.chmod(0o755)
    with Pool(written(RIGHT), tmp_path, python=str(script)) as pool:
        assert pool.load().code == "gate.target.no_start"


# Hopeless loops


def never(trace):
    """A judgement that never can tell."""
    return unknown()


PROBES = [Probe(f"pool.{name}", "a", never, (Case(name),)) for name in list(ENDS)[:4]]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("raise TypeError('no such argument')", "gate.everywhere.raised"),
        (
            "import anthropic\nanthropic.Anthropic().messages.create(model='m', max_tokens=9, messages=[{}])",
            None,
        ),
    ],
    ids=["raises", "asks a client of its own"],
)
def test_a_loop_that_ends_every_run_before_it_asks_is_one_sentence(body, code, written, tmp_path):
    report = examine(written(doing(body)), PROBES, folder=tmp_path)
    assert report.problem.code == (code or "gate.everywhere.elsewhere")
    assert (report.findings, report.passed) == ((), False)
    assert "api.anthropic.com" in sentence(report.problem) or code


def stopping(how):
    def loop(client, messages, tools, handlers):
        how(client, handlers)

    return loop


def fall(kind):
    raise kind("no more")


HOPELESS = {
    "exited": lambda client, handlers: fall(SystemExit),
    "interrupted": lambda client, handlers: fall(KeyboardInterrupt),
    "raised": lambda client, handlers: fall(LookupError),
    "off_script": lambda client, handlers: client.messages.count_tokens(model="m", messages=[]),
    "recording_ends": lambda client, handlers: handlers["read_file"](odd=1),
}


@pytest.mark.parametrize("code", HOPELESS)
def test_each_hopeless_end_has_its_sentence(code):
    probe = Probe("pool.one", "a", never, (Case("list_then_read"),))
    (one,) = performed(stopping(HOPELESS[code]), [probe], 0).values()
    assert hopeless([one, one], bare=False)
    assert_told(hopeless_problem(one), code)


@pytest.mark.parametrize(
    ("code", "facts"),
    [("died", {"status": 3}), ("hangs", {"seconds": "6"}), ("not_a_loop", {"error": "no"})],
)
def test_each_loss_has_its_sentence(code, facts):
    one = Ran(None, problem=Problem(f"gate.end.{code}", facts))
    assert hopeless([one, one], bare=False)
    assert_told(hopeless_problem(one), code)


def assert_told(problem, code):
    assert problem.code == f"gate.everywhere.{code}"
    for lang in ("en", "es"):
        assert "\n" not in sentence(problem, lang)


def test_a_run_that_ends_badly_beside_one_that_does_not_is_no_reason_to_give_up(odd_runs):
    dead, alive = odd_runs["cold_rooms"], odd_runs["list_then_read"]
    assert hopeless([dead, dead], bare=False)
    assert not hopeless([dead, alive], bare=True)
    assert not hopeless([Ran(None, lacks="steps")] * 2, bare=True)


def test_a_loop_that_never_asks_is_hopeless_where_nothing_told_it_not_to():
    probe = Probe("pool.one", "a", never, (Case("list_then_read"),))
    (one,) = performed(lambda client, messages, tools, handlers: "done", [probe], 0).values()
    assert hopeless([one, one], bare=True)
    assert not hopeless([one, one], bare=False)
    assert_told(hopeless_problem(one), "returned")


def test_a_report_notes_what_was_seen_besides_and_follows_the_source_of_failures(written, tmp_path):
    body = """
    import threading
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    print("x" * 900_000)
    """
    source = doing(body).replace("return response", "raise ValueError('no')")
    report = examine(written(source), PROBES[:2], folder=tmp_path, lines=True)
    assert [note.code for note in report.notes] == ["gate.note.threads", "gate.note.printed"]
    assert all(sentence(note, lang) for note in report.notes for lang in ("en", "es"))
    first = report.findings[0]
    assert (first.state, first.finding, line_of(first)) == ("fail", "gate.end.raised", 8)
    assert "append" in {step.event.kind for step in first.trace.steps}
