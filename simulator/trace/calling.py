"""Call any loop: give it what it names, and run it to its end whatever kind of function it is.

Rules of this file:

1. A loop gets the parameters it names and no others. What it needs and nobody can give is one clear sentence
   before anything runs.
2. A coroutine is awaited and a generator drained. Where an event loop is running already (in Jupyter), a
   coroutine runs in a thread with its own.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping
from typing import Any

from simulator.text import say
from simulator.trace.faults import LoopError
from simulator.trace.source import name_of, plain, signature_of
from simulator.trace.watchdog import raise_in

MAIN = ("client", "messages", "tools", "handlers")
"""What a loop with ``**kwargs`` is given."""

_BEAT = 0.05
"""Seconds between two awakenings of an event loop, and of whoever waits for one."""

Supply = Mapping[str, Callable[[], Any]]
"""What can be given, by name; made when it is asked for."""


def _nothing() -> None:
    """Nobody waits for the end."""


def is_async(loop: object) -> bool:
    """Return whether *loop* is written as ``async def``, so that it needs the asynchronous client."""
    function = plain(loop)
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def bind(loop: Callable[..., Any], supply: Supply, extra: dict[str, Any]) -> Callable[[], Any]:
    """Return a call of *loop* with what it names of *supply* and with *extra*; raises LoopError."""
    try:
        parameters = signature_of(loop).parameters
    except (TypeError, ValueError):
        raise LoopError(say("trace.loop.no_signature", name=name_of(loop))) from None
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    named = {name for name, p in parameters.items() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    _no_strangers(loop, extra, named, takes_any)
    wanted = named | (set(MAIN) | set(extra) if takes_any else set())
    values = {name: make() for name, make in supply.items() if name in wanted and name not in extra} | extra
    for name, parameter in parameters.items():
        if values.get(name, name) is None and name not in extra and parameter.default is not parameter.empty:
            del values[name]  # What the conversation does not have is the loop's own to choose.
    positional: list[Any] = []
    for name, parameter in parameters.items():
        if name in named and name not in values and parameter.default is parameter.empty:
            raise LoopError(
                say("trace.loop.cannot_supply", name=name_of(loop), parameter=name, known=_list(supply))
            )
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(values.pop(name, parameter.default))
    return lambda: loop(*positional, **values)


def limits(loop: Callable[..., Any], supply: Supply) -> dict[str, Any]:
    """Return the loop's own settings, ``max_turns=20``: numbers and texts by default, and not of *supply*."""
    parameters = signature_of(loop).parameters
    defaults = {name: p.default for name, p in parameters.items() if name not in supply}
    return {name: value for name, value in defaults.items() if isinstance(value, (int, float, str))}


def _no_strangers(loop: object, extra: dict[str, Any], named: set[str], takes_any: bool) -> None:
    if "client" in extra:
        raise LoopError(say("trace.loop.client_given"))
    strange = [name for name in extra if name not in named and not takes_any]
    if strange:
        raise LoopError(
            say(
                "trace.loop.unexpected",
                name=name_of(loop),
                argument=strange[0],
                known=", ".join(sorted(named)),
            )
        )


def _list(supply: Supply) -> str:
    return ", ".join(supply)


def complete(result: Any, over: Callable[[], None] = _nothing) -> Any:
    """Return what *result*, a loop's return value, comes to: awaited, drained, or as it is.

    A generator comes to its return value; where it has none, to the last value it yielded. *over* is called
    when the loop has come to its end, before an event loop waits for its last threads.
    """
    if inspect.isasyncgen(result):
        return asyncio.run(_to_its_end(_drained(result), over))
    if inspect.isawaitable(result):
        return asyncio.run(_to_its_end(result, over))
    return _drain(result) if inspect.isgenerator(result) else result


async def _to_its_end(result: Awaitable[Any], over: Callable[[], None]) -> Any:
    _beat()
    try:
        return await result
    finally:
        over()


async def _drained(result: AsyncIterable[Any]) -> Any:
    last = None
    async for item in result:
        last = item
    return last


def _beat() -> None:
    """Have the event loop wake up now and then, so that one that waits for ever still meets its deadline."""
    asyncio.get_running_loop().call_later(_BEAT, _beat)


def _drain(result: Any) -> Any:
    last = None
    while True:
        try:
            last = next(result)
        except StopIteration as stop:
            return last if stop.value is None else stop.value


def run(call: Callable[[], Any], over: Callable[[], None] = _nothing) -> Any:
    """Call the loop and run it to its end. The walk from a request outwards ends at this frame."""
    return complete(call(), over)


RUNS = run.__code__


def in_own_thread(work: Callable[[], None]) -> None:
    """Do *work*, which runs an event loop, here; where one is running already, in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        work()
        return
    done = threading.Event()
    context = contextvars.copy_context()

    def worker() -> None:
        try:
            context.run(work)
        finally:
            done.set()

    thread = threading.Thread(target=worker, name="agent loop", daemon=True)
    thread.start()
    # Not thread.join(): interrupted, it takes the thread for finished (CPython issue 90882).
    while not done.is_set():
        try:
            # In short waits: on Windows a lock that is waited for without end hears no Ctrl-C.
            done.wait(_BEAT)
        except KeyboardInterrupt:
            # Ctrl-C is meant for the loop, which runs over there.
            raise_in(thread.ident or 0, KeyboardInterrupt)
