"""Judge the loops of these tests in child processes, where no sleep takes time: ``-m tests.gate.proving``.

A job is one line of JSON, ``{"loop": module or module:function, "seed": n, "probes": [ids] or null}``; so is
its answer, which holds for each probe ``[state, finding, where, facts, how the run ended]``. The gate's own
children judge one loop each; here some hundred loops share two processes, so that the SDK is imported twice.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import Future
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from typing import Any

ROOT = Path(__file__).parents[2]
Finding = dict[str, Any]
Found = dict[str, Finding]


class Provers:
    """Two child processes that judge what they are asked to, in that order."""

    def __init__(self, workers: int = 2) -> None:
        self._jobs: SimpleQueue[tuple[dict[str, Any], Future[Found]] | None] = SimpleQueue()
        self._asked: dict[str, Future[Found]] = {}
        self._children = [self._child() for _ in range(workers)]
        self._threads = [
            threading.Thread(target=self._serve, args=(child,), daemon=True) for child in self._children
        ]
        for thread in self._threads:
            thread.start()

    def ask(self, loop: str, seed: int, probes: list[str] | None = None) -> Future[Found]:
        """Return what will be found about the loop of the module *loop*; asked twice, it is judged once."""
        job = {"loop": loop, "seed": seed, "probes": probes}
        key = json.dumps(job)
        if key not in self._asked:
            self._asked[key] = Future()
            self._jobs.put((job, self._asked[key]))
        return self._asked[key]

    def close(self) -> None:
        """End the children."""
        for child in self._children:
            child.kill()
            child.wait()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        for child in self._children:
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    stream.close()

    @staticmethod
    def _child() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-X", "utf8", "-m", "tests.gate.proving"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def _serve(self, child: subprocess.Popen[str]) -> None:
        assert child.stdin is not None
        assert child.stdout is not None
        while (taken := self._jobs.get()) is not None:
            job, future = taken
            try:
                child.stdin.write(json.dumps(job) + "\n")
                child.stdin.flush()
                answer = json.loads(child.stdout.readline() or '{"broken": "the child ended"}')
            except (OSError, ValueError) as error:
                answer = {"broken": str(error)}
            if "broken" in answer:
                future.set_exception(RuntimeError(f"{job['loop']}: {answer['broken']}"))
            else:
                future.set_result(answer["found"])


def main() -> None:
    """Answer jobs until there are none; what the loops print goes nowhere."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        from simulator.gate import waits

        waits.install()
        for line in sys.stdin:
            job = json.loads(line)
            try:
                answer = {"found": _found(**job)}
            except Exception as error:
                answer = {"broken": f"{type(error).__name__}: {error}"}
            answers.write(json.dumps(answer) + "\n")
            answers.flush()


def _found(loop: str, seed: int, probes: list[str] | None) -> Found:
    from simulator.gate.judge import judge
    from simulator.gate.probes import all_probes
    from tests.gate.sparing import runs

    chosen = [one for one in all_probes() if probes is None or one.id in probes]
    module, _, name = loop.partition(":")
    function = getattr(import_module(module), name or "run_agent_loop")
    return {one.probe.id: _told(one) for one in judge(chosen, runs(function, chosen, seed))}


def _told(one: Any) -> Finding:
    case, end = one.case, one.trace.exit if one.trace is not None else None
    return {
        "state": one.state,
        "finding": one.finding,
        "case": f"{case.scenario} {dict(case.options)} {dict(case.what_if) or ''}".strip(),
        "turn": one.turn,
        "facts": {name: str(value)[:300] for name, value in one.facts.items()},
        "end": f"{end.reason} {end.error_type or ''} {str(end.message or end.value)[:200]}" if end else "",
    }


if __name__ == "__main__":
    main()
