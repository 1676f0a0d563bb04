"""What a loop hands its caller, in full: the fields of what it returned, the attributes of what it raised.

A trace keeps a return value as JSON as the SDK would, and of an exception its type and text. Some judgements
ask whether a caller can find something in it (that the answer is incomplete, the text so far), and a caller
has eyes for a dataclass's fields too. So the child puts them into the exit's value before the trace leaves.

Rules of this file:

1. Whatever kind of function a loop is, its caller is handed one thing: what a coroutine comes to, what a
   generator returns, or the last thing that it yielded.
2. Whoever drains a generator has had all that it yielded before, too; it is kept beside that, as it was then.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import AsyncIterator, Callable, Generator
from typing import TYPE_CHECKING, Any

from simulator.gate.logged import Records
from simulator.gate.structured import attributes_of, structured

if TYPE_CHECKING:
    from simulator.trace.document import Trace


class Witness:
    """Stands between the observer and a loop, and keeps what the loop handed back."""

    def __init__(self, loop: Callable[..., Any]) -> None:
        self.returned: Any = None
        self.raised: BaseException | None = None
        self.records = Records()
        """What the loop put into the list or callable it was given for that."""
        self.logged: list[dict[str, Any]] = []
        """What it said through Python's ``logging``."""
        self._loop = loop
        self._yielded: list[Any] = []
        self._given: Any = None
        self._before: Any = None

    def wrapped(self) -> Callable[..., Any]:
        """Return the loop, watched; it is called and looks like the loop itself."""

        @functools.wraps(self._loop)
        def watched(*args: Any, **keywords: Any) -> Any:
            self._given = keywords.get("messages")
            self._before = self._messages()
            try:
                return self._kept(self._loop(*args, **keywords))
            except BaseException as error:
                self.raised = error
                raise

        return watched

    def complete(self, trace: Trace) -> Trace:
        """Return *trace* with all that was handed back in the value of its exit."""
        end = dataclasses.replace(trace.exit, left=self._left())
        if end.reason == "returned":
            value = structured(self.returned)
        elif end.reason == "raised" and self.raised is not None:
            value = attributes_of(self.raised)
        else:
            value = end.value
        told = dataclasses.replace(end, value=value)
        steps = (*trace.steps[:-1], dataclasses.replace(trace.steps[-1], event=told))
        return dataclasses.replace(trace, steps=steps)

    def _kept(self, result: Any) -> Any:
        """Return *result*, of which it is noted what it comes to."""
        if inspect.isasyncgen(result):
            return self._yielding(result)
        if inspect.isawaitable(result):
            return self._awaiting(result)
        if inspect.isgenerator(result):
            return self._generating(result)
        self.returned = result
        return result

    async def _awaiting(self, result: Any) -> Any:
        try:
            self.returned = await result
        except BaseException as error:
            self.raised = error
            raise
        return self.returned

    async def _yielding(self, result: Any) -> AsyncIterator[Any]:
        try:
            async for item in result:
                self.returned = self._noted(item)
                yield item
        except BaseException as error:
            self.raised = error
            raise

    def _generating(self, result: Any) -> Generator[Any, Any, Any]:
        try:
            while True:
                self.returned = self._noted(next(result))
                yield self.returned
        except StopIteration as stop:
            self.returned = self.returned if stop.value is None else stop.value
            return stop.value
        except BaseException as error:
            self.raised = error
            raise

    def _noted(self, item: Any) -> Any:
        """Keep what was yielded as it is now: a loop may yield one list again and again, while it grows."""
        self._yielded.append(structured(item))
        return item

    def _messages(self) -> Any:
        from simulator.trace.jsonable import jsonable

        return jsonable(self._given)

    def _left(self) -> dict[str, Any]:
        """Return what the caller can see besides the value: its list where it was changed, the records."""
        after = self._messages()
        changed = {"messages": after} if after != self._before else {}
        records = [*structured(list(self.records)), *self.logged]
        yielded = {"yielded": self._yielded} if self._yielded else {}
        return changed | ({"records": records} if records else {}) | yielded
