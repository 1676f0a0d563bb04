"""Run any loop on a scenario's replay, and keep what happened as a trace.

Rules of this file:

1. How a loop ends is data: its return value, its crash, ``sys.exit``, Ctrl-C or a stop of the simulator is
   the trace's exit, never an exception out of ``observe``. Only what cannot be run as a loop at all raises.
2. Once the simulator has stopped a run, that is how it ended, whatever the loop made of it.
3. The same loop on the same recording gives the same bytes: no clock, no address, no folder gets in.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from simulator.text import say
from simulator.text.visible import visible
from simulator.trace.calling import bind, in_own_thread, is_async, limits, run
from simulator.trace.document import Trace
from simulator.trace.ending import exit_of
from simulator.trace.faults import LoopError
from simulator.trace.jsonable import described, jsonable
from simulator.trace.lines import LineTracer
from simulator.trace.quiet import quieten
from simulator.trace.recorder import Recorder
from simulator.trace.source import Source, code_of, name_of, source_of
from simulator.trace.watchdog import Watchdog

if TYPE_CHECKING:
    from simulator.recording.scenario import Scenario, Session

__all__ = ["LoopError", "observe"]

Lines = bool | Literal["all"]


def observe(
    loop: Callable[..., Any],
    scenario: Scenario | str | Path,
    *,
    seed: int | None = None,
    max_requests: int = 50,
    lines: Lines = True,
    deadline: float = 60.0,
    clock: Callable[[], float] = time.monotonic,
    retries: int = 0,
    waits: Callable[[], float] | None = None,
    what_if: Mapping[int, str] | None = None,
    **arguments: Any,
) -> Trace:
    """Run *loop* on *scenario* (one, its name, or the path of a cassette) and return the trace.

    *loop* is called with what it names among ``client``, ``messages``, ``tools``, ``handlers``, ``system``,
    ``model``, ``max_tokens``, ``scenario``, and with *arguments*; an ``async`` one gets the asynchronous
    client and is awaited, a generator is drained. *lines*: follow the loop's source (True), record every line
    of it (``"all"``), or not at all (False), which is faster. *deadline*: seconds it may take by *clock*.
    Ctrl-C while it runs is the trace's exit, ``interrupted``. *retries*: how often the SDK itself tries
    again. *waits* returns the seconds slept so far, for whoever counts them. *what_if*: number of a request
    (from 1) -> the ``stop_reason`` with which its answer ends instead. Raises LoopError, a TypeError, where
    *loop* cannot be called with what there is, ValueError for an option of no use, and ``scenario()``'s own.
    """
    _check(seed, max_requests, deadline, clock)
    source = source_of(code_of(loop))
    recorder = Recorder(code_of(loop), source, waits)
    session = _scenario(scenario).start(
        seed=seed, max_requests=max_requests, listener=recorder, retries=retries, what_if=what_if
    )
    recorder.tracer = _tracer(lines, source, recorder)
    supply = _supply(loop, session, recorder)
    call = bind(loop, supply, _reporting(arguments, recorder))
    watchdog = Watchdog(deadline, clock, recorder.lock, session.close)
    recorder.begin(arguments.get("messages", session.messages))
    work = functools.partial(_run, call, session, recorder, watchdog, source)
    in_own_thread(work) if is_async(loop) else work()
    ran = {"name": name_of(loop), "arguments": jsonable(limits(loop, supply) | arguments)}
    return Trace.build(recorder.builder, loop=ran, **_about(session, recorder, source))


def _check(seed: object, max_requests: object, deadline: object, clock: object) -> None:
    """Raise ValueError for an option of no use; during the run it would look like the loop's fault."""
    whole = type(max_requests) is int and max_requests >= 0
    seconds = isinstance(deadline, (int, float)) and deadline > 0
    options = {
        "seed": (seed, seed is None or type(seed) is int),
        "max_requests": (max_requests, whole),
        "deadline": (deadline, seconds),
        "clock": (clock, callable(clock)),
    }
    for name, (seen, fits) in options.items():
        if not fits:
            raise ValueError(say(f"trace.loop.option.{name}", seen=visible(described(seen))[:60]))


def _tracer(lines: Lines, source: Source | None, recorder: Recorder) -> LineTracer | None:
    if lines not in (True, False, "all"):
        raise ValueError(say("trace.loop.lines", seen=repr(lines)))
    return LineTracer(source, recorder, lines == "all") if source is not None and lines else None


def _run(
    call: Callable[[], Any],
    session: Session,
    recorder: Recorder,
    watchdog: Watchdog,
    source: Source | None,
) -> None:
    """Run the loop to whatever end, and record that."""
    tracer = recorder.tracer
    value: Any = None
    error: BaseException | None = None
    try:
        with watchdog:
            if tracer is not None:
                tracer.start()
            value = run(call, session.close)
    except BaseException as raised:
        error = raised
    finally:
        # Only now, when the watchdog can no longer break in.
        if tracer is not None:
            tracer.stop()
        session.close()
    if watchdog.fired:
        recorder.stopped(watchdog.stop())
    recorder.finish()
    with recorder.lock:
        recorder.closed = True
        recorder.builder.add(exit_of(recorder, source, value, error))


def _supply(loop: object, session: Session, recorder: Recorder) -> dict[str, Callable[[], Any]]:
    """Return what a loop can be given, by name. The client is made only for a loop that asks for one."""
    return {
        "client": lambda: _client(loop, session, recorder),
        "messages": lambda: session.messages,
        "tools": lambda: session.tools,
        "handlers": lambda: _wrapped(session.handlers, recorder),
        "system": lambda: session.system,
        "model": lambda: session.model,
        "max_tokens": lambda: session.max_tokens,
        "scenario": lambda: session.scenario,
    }


def _client(loop: object, session: Session, recorder: Recorder) -> Any:
    client = session.async_client if is_async(loop) else session.client
    if recorder.tracer is not None:
        quieten(client, recorder.tracer.resting)
    return client


def _reporting(arguments: dict[str, Any], recorder: Recorder) -> dict[str, Any]:
    """Return *arguments*; handlers of the caller's own report what they do like the recorded ones."""
    handlers = arguments.get("handlers")
    return arguments | {"handlers": _wrapped(handlers, recorder)} if isinstance(handlers, dict) else arguments


def _wrapped(handlers: dict[str, Any], recorder: Recorder) -> dict[str, Any]:
    return {name: recorder.wrap(name, each) if callable(each) else each for name, each in handlers.items()}


def _scenario(given: Scenario | str | Path) -> Scenario:
    from simulator.recording.scenario import Scenario, scenario

    if isinstance(given, Scenario):
        return given
    if isinstance(given, (str, Path)):
        return scenario(given)
    raise TypeError(say("trace.loop.no_scenario", seen=type(given).__name__))


def _about(session: Session, recorder: Recorder, source: Source | None) -> dict[str, Any]:
    """Return the head of the document: the scenario, the source, and what the first request offered."""
    first = recorder.first_request
    tools = first.get("tools") if first is not None else session.tools
    return {
        "source": source.to_dict() if source is not None else None,
        "scenario": about_scenario(session.scenario, session.seed, session.what_if),
        "system": jsonable(first.get("system") if first is not None else session.system),
        "tools": [tool for tool in jsonable(tools or []) if isinstance(tool, dict)],
    }


def about_scenario(
    scenario: Scenario, seed: int | None, what_if: Mapping[int, str] | None = None
) -> dict[str, Any]:
    """Return *scenario* as the document's ``scenario``."""
    origin = scenario.provenance
    return {
        "name": scenario.name,
        "title": scenario.title,
        "provenance": {
            "kind": origin.kind,
            "model": origin.model,
            "date": origin.date,
            "origin": origin.origin,
        },
        "seed": seed,
        **({"what_if": {str(turn): what_if[turn] for turn in sorted(what_if)}} if what_if else {}),
    }
