"""Have line tracing rest while the SDK works: on a request, and on each event of a stream.

Rules of this file:

1. What is wrapped belongs to one client, and only to it; no class of the SDK is changed. The SDK gives its
   streams other iterators in the same way (``stream._iterator``, in its tool runner).
2. Wrapped or not, a loop sees the same objects: what it does wrong with one is told in the SDK's own words.
3. Between two events of a stream the loop runs, and is traced.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractContextManager
from typing import Any

Rest = Callable[[], AbstractContextManager[None]]
"""Makes a context in which tracing rests."""


def quieten(client: Any, rest: Rest) -> None:
    """Have tracing rest while *client*, an SDK client that nobody has used yet, works for the loop."""
    post = client.post

    def quiet(*args: Any, **options: Any) -> Any:
        with rest():
            return _quiet_stream(post(*args, **options), rest)

    async def quiet_async(*args: Any, **options: Any) -> Any:
        return _quiet_stream(await _Steps(post(*args, **options), rest), rest)

    # Before anything else: the resources of the SDK take the method from their client when they are made.
    client.post = quiet_async if inspect.iscoroutinefunction(post) else quiet
    messages = client.messages
    stream = messages.stream
    managing: dict[type[Any], type[Any]] = {}

    def managed(*args: Any, **options: Any) -> Any:
        manager = stream(*args, **options)
        kind = type(manager)
        manager.__class__ = managing.get(kind) or managing.setdefault(kind, _managing(kind, rest))
        return manager

    messages.stream = managed


def _managing(kind: type[Any], rest: Rest) -> type[Any]:
    """Return the class *kind* of managers of streams under its own name, its streams quiet."""

    def enter(self: Any) -> Any:
        return _quiet_stream(kind.__enter__(self), rest)

    async def enter_async(self: Any) -> Any:
        return _quiet_stream(await kind.__aenter__(self), rest)

    body = {"__aenter__": enter_async} if hasattr(kind, "__aenter__") else {"__enter__": enter}
    return type(kind.__name__, (kind,), body)


def _quiet_stream(result: Any, rest: Rest) -> Any:
    """Return *result*; where it is a stream of events, tracing rests while the SDK makes each of them."""
    events = getattr(result, "_iterator", None)
    if hasattr(events, "__anext__"):
        result._iterator = _AsyncEvents(events, rest)
    elif hasattr(events, "__next__"):
        result._iterator = _Events(events, rest)
    return result


class _Events:
    """The events of a stream."""

    def __init__(self, events: Any, rest: Rest) -> None:
        self._events, self._rest = events, rest

    def __iter__(self) -> _Events:
        return self

    def __next__(self) -> Any:
        with self._rest():
            return next(self._events)


class _AsyncEvents:
    """The events of an asynchronous stream."""

    def __init__(self, events: Any, rest: Rest) -> None:
        self._events, self._rest = events, rest

    def __aiter__(self) -> _AsyncEvents:
        return self

    def __anext__(self) -> Awaitable[Any]:
        return _Steps(self._events.__anext__(), self._rest)


class _Steps:
    """Awaits something while tracing rests, but not while others run in between."""

    def __init__(self, awaitable: Awaitable[Any], rest: Rest) -> None:
        self._awaitable, self._rest = awaitable, rest

    def __await__(self) -> Generator[Any, Any, Any]:
        inner = self._awaitable.__await__()
        step: Callable[[], Any] = functools.partial(next, inner)
        while True:
            with self._rest():
                try:
                    waited = step()
                except StopIteration as done:
                    return done.value
            try:
                step = functools.partial(inner.send, (yield waited))
            except BaseException as error:
                # Cancelled meanwhile: that is the SDK's to deal with.
                step = functools.partial(inner.throw, error)
