"""The same loop in an event loop: ``arun`` awaits the client and the handlers, and shares all the rest.

Rules of this file:

1. Guards, reducer, budgets, checks of calls and what a try means are the engine's own; here is only what has
   to be awaited. A handler, check or ``summarise`` that is no coroutine function runs in a thread beside the
   event loop, with the same deadline.
2. A task that is cancelled stays cancelled: the error is raised on. Whatever await it met, the transcript is
   lawful, finished results are kept, and *on_end* gets the :class:`Run` that was interrupted.
3. The deadline of a coroutine handler and waits are the event loop's own time; a ``Policy.sleep`` of the
   caller's is called, and awaited where it can be.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar, cast

from simulator.loop.ended import Run
from simulator.loop.engine import Engine
from simulator.loop.model import Watch
from simulator.loop.outcome import Outcome, late
from simulator.loop.policy import Policy, never
from simulator.loop.state import Answer, Checked, Step, Waited, open_calls
from simulator.loop.tools import Delegate, Handler, Left, as_delegate
from simulator.loop.tries import Tries
from simulator.loop.worker import TICK, CutShort, Worker
from simulator.wire.message import Block

Result = TypeVar("Result")


async def arun(
    client: Any,
    messages: Iterable[Any],
    tools: Iterable[Any],
    handlers: Mapping[str, Handler | Delegate],
    policy: Policy,
    *,
    levels: int | None = None,
    on_end: Callable[[Run], None] | None = None,
) -> Run:
    """Run the loop as :func:`simulator.loop.run` does, with an asynchronous *client*; return how it ended.

    *handlers* may be coroutine functions. *on_end* is called with the run also where the task is cancelled,
    and ``CancelledError`` raised on. Raises what ``run`` raises.
    """
    return await AsyncEngine(client, messages, tools, handlers, policy, levels).steps(on_end)


class AsyncEngine(Engine):
    """One run in an event loop."""

    async def steps(self, on_end: Callable[[Run], None] | None) -> Run:
        """Step until done."""
        try:
            while self.state.phase != "done":
                try:
                    self.move(self.guard() or await self.awaited())
                except (KeyboardInterrupt, asyncio.CancelledError) as stop:
                    self.interrupt("keyboard" if isinstance(stop, KeyboardInterrupt) else "caller")
                    if isinstance(stop, asyncio.CancelledError):
                        raise
            return self.ended()
        finally:
            self.bench.crew.close()
            if on_end is not None and self.state.phase == "done":
                on_end(self.ended())

    async def awaited(self) -> Step:
        """Do what the phase is for, and report it."""
        match self.state.phase:
            case "ask":
                try:
                    return self.answered(await self.asked())
                except Exception as error:
                    return self.failed(error)
            case "wait":
                await self.slept(self.pause())
                return Waited(self.at())
            case "act":
                try:
                    return self.acted(await self.watched(self.ran(open_calls(self.state), self.left)))
                except CutShort:
                    return self.interrupted("caller")
            case "check":
                try:
                    return Checked(self.at(), await self.view() or None)
                except Exception as error:
                    return Checked(self.at(), None, error)
            case _:
                return await self.beside(self.step)

    async def asked(self) -> Answer:
        """Ask the model once."""
        body, show = self.model.body(self.state), self.policy.on_stream
        if show is None:
            return self.model.answer(await self.model.client.messages.create(**body))
        stream = await self.model.client.messages.create(**body, stream=True)
        try:
            with Watch(show) as watch:
                async for event in stream:
                    watch.take(event)
        finally:
            if hasattr(stream, "close"):
                await stream.close()
        return self.model.answer(watch.message)

    async def view(self) -> Any:
        """Return what the caller's check says."""
        own = inspect.iscoroutinefunction(self.policy.check)
        said = self.opinion() if own else await self.beside(self.opinion)
        return await said if inspect.isawaitable(said) else said

    async def watched(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Return what *work* returns. Raises CutShort as soon as the caller's ``cancelled`` says so."""
        if self.policy.cancelled is never:
            return await work
        task = asyncio.ensure_future(work)
        try:
            while not (await asyncio.wait({task}, timeout=TICK))[0]:
                if self.policy.cancelled():
                    raise CutShort
            return task.result()
        finally:
            await stopped(task)

    async def ran(self, calls: Sequence[Block], left: Left) -> list[Outcome]:
        """Run *calls* and return their outcomes in order."""
        for group in self.bench.groups(calls):
            if len(group) == 1:
                await self.one(*group[0], left)
                continue
            tasks = [asyncio.ensure_future(self.one(index, call, left)) for index, call in group]
            try:
                await asyncio.gather(*tasks)
            finally:
                await stopped(*tasks)
        return self.bench.outcomes(calls)

    async def one(self, index: int, call: Block, left: Left) -> None:
        """Run one call and keep its outcome."""
        bench = self.bench
        refused = bench.refusal(call)
        handler = bench.handlers.get(str(call.get("name")))
        delegate = as_delegate(handler)
        if refused is not None:
            bench.done[index] = refused
        elif delegate is not None:
            more = left(bench.spent())
            await delegate.delegate_async(
                call, more, bench.levels, self.policy, lambda outcome: bench.done.update({index: outcome})
            )
        else:
            bench.done[index] = await self.tried(index, bench.tries(call), cast(Handler, handler))

    async def tried(self, index: int, tries: Tries, handler: Handler) -> Outcome:
        """Return the outcome of *handler*, or that it is late."""
        seconds = self.policy.tool_seconds
        try:
            async with asyncio.timeout(seconds):
                if inspect.iscoroutinefunction(handler):
                    return await self.attempts(tries, handler)
                return await self.beside(lambda: self.bench.attempts(tries, handler), index)
        except TimeoutError:  # the deadline's: one of the handler's own is an outcome
            return late(tries.call, seconds)
        finally:
            tries.over = True

    async def attempts(self, tries: Tries, handler: Handler) -> Outcome:
        """Await *handler* until it answers, waiting where it says itself that nothing has happened yet."""
        while True:
            try:
                return tries.returned(await handler(**tries.input()))
            except Exception as error:
                wait = tries.again(error)
                if wait is None:
                    return tries.raised(error)
            await self.slept(wait)

    async def slept(self, seconds: float) -> None:
        """Wait (rule 3)."""
        if self.policy.sleep is Policy.sleep:
            await asyncio.sleep(seconds)
            return
        waiting: Any = self.policy.sleep(seconds)
        if inspect.isawaitable(waiting):
            await waiting

    async def beside(self, job: Callable[[], Result], call: int | None = None) -> Result:
        """Do *job* in a thread, and await its end; *call*: which call of the turn it is."""
        loop, ended = asyncio.get_running_loop(), asyncio.Event()

        def over() -> None:
            with suppress(RuntimeError):  # the event loop is closed: nobody waits any more
                loop.call_soon_threadsafe(ended.set)

        worker: Worker[Any] = Worker(job, self.policy.clock, over)
        if call is not None:
            self.bench.workers[call] = worker
        self.bench.crew.start(worker)
        await ended.wait()
        result: Result = worker.outcome()
        return result


async def stopped(*tasks: asyncio.Future[Any]) -> None:
    """Cancel those of *tasks* that still run, and await their end, whatever it is."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
