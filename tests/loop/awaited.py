"""The fakes of ``made`` with awaits in them, each of which can be the one at which a run is cancelled."""

import asyncio
import copy
from typing import Any

from simulator.loop import Policy, Run, arun
from tests.loop.made import HANDLERS, MODEL, TASK, TOOLS, Clock, Fake


class Scissors:
    """Counts the awaits of a run and cancels its task at the chosen one."""

    def __init__(self, at: int | None = None) -> None:
        self.awaits, self.at = 0, at

    async def breath(self, seconds: float = 0) -> None:
        """One await that the event loop sees."""
        self.awaits += 1
        if self.awaits == self.at:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
        await asyncio.sleep(0)


class AsyncFake:
    """An asynchronous face of a :class:`Fake`; each request and each event of a stream is an await."""

    def __init__(self, fake: Fake, scissors: Scissors) -> None:
        self.fake, self.scissors = fake, scissors
        self.messages = self

    async def create(self, **body: Any) -> Any:
        await self.scissors.breath()
        answer = self.fake.create(**body)
        await self.scissors.breath()
        return self.events(answer) if body.get("stream") else answer

    async def events(self, answer: Any) -> Any:
        for event in answer:
            await self.scissors.breath()
            yield event


def awaited(handler: Any, scissors: Scissors) -> Any:
    """*handler* as a coroutine function with an await before and after what it does."""

    async def coroutine(**given: Any) -> Any:
        await scissors.breath()
        value = handler(**given)
        await scissors.breath()
        return value

    return coroutine


def aplay(
    client: Any,
    *,
    scissors: Scissors | None = None,
    tools: Any = None,
    handlers: Any = None,
    plain: bool = False,
    **how: Any,
) -> Run:
    """Run the loop in an event loop, cut by *scissors*; return the run, also of a cancelled task."""
    cut = scissors or Scissors()
    given = HANDLERS | (handlers or {})
    if not plain:
        given = {
            name: each if hasattr(each, "delegate") else awaited(each, cut) for name, each in given.items()
        }
    clock, ended = Clock(), list[Run]()
    settled: dict[str, Any] = {"clock": clock, "sleep": cut.breath} | how
    policy = Policy(MODEL, **settled)

    async def main() -> None:
        face = client if hasattr(client, "scissors") else AsyncFake(client, cut)
        with_tools = TOOLS if tools is None else tools
        await arun(face, copy.deepcopy(TASK), with_tools, given, policy, on_end=ended.append)

    try:
        asyncio.run(main())
    except asyncio.CancelledError:
        assert scissors is not None, "cancelled by nobody"
    [result] = ended
    return result
