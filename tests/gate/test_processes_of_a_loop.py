"""Processes that a loop starts: they answer for nobody, hold nobody up, and end when the check does."""

import os
import textwrap
import time

import pytest

from simulator.gate import target
from simulator.gate.pool import Pool
from simulator.gate.probe import Case

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no fork")

FORKS_AT_IMPORT = """
import os, time
if os.fork() == 0:
    while True:
        open({alive!r}, "w").close()
        time.sleep(0.05)
def loop(client, messages, tools, handlers):
    return client.messages.create(model="m", max_tokens=999, messages=messages, tools=tools)
"""

FORKS_IN_A_RUN = """
import os
def loop(client, messages, tools, handlers, scenario):
    os.fork()
    client.messages.create(model="m", max_tokens=999, messages=messages, tools=tools)
    return scenario.name
"""


def written(source, folder):
    (folder / "agent.py").write_text(textwrap.dedent(source), encoding="utf-8")
    return target.read("agent.py", folder)


def test_a_process_that_the_loop_leaves_behind_ends_with_the_check(tmp_path):
    alive = tmp_path / "alive"
    with Pool(written(FORKS_AT_IMPORT.format(alive=str(alive)), tmp_path), tmp_path, workers=1) as pool:
        pool.load()
        (one,) = pool.run([Case("list_then_read")], 0)
    assert one.trace.exit.reason == "returned"
    alive.unlink(missing_ok=True)
    time.sleep(0.3)
    assert not alive.exists()


def test_a_fork_of_a_run_gives_no_second_answer(tmp_path):
    names = ["list_then_read", "todo_list", "parallel_reads", "terse_error", "lost_property"]
    with Pool(written(FORKS_IN_A_RUN, tmp_path), tmp_path, workers=1) as pool:
        pool.load()
        outcomes = pool.run([Case(name) for name in names], 0)
    assert [one.trace.exit.value for one in outcomes] == names
