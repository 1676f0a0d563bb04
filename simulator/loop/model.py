"""One request to the model: its body, the call of the client, and the answer as JSON.

Rules of this file:

1. The body is made of the state alone, so a retry sends the very same request.
2. Any client with ``messages.create(**body)`` will do. Where it can be told so, its own retries are turned
   off.
3. An answer is whole or it is none: without a ``stop_reason`` it is :class:`Incomplete`, and nothing of it
   runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.loop.failures import Incomplete
from simulator.loop.sending import sent
from simulator.loop.state import Answer, State
from simulator.loop.transcript import plain
from simulator.text import say
from simulator.wire.stream import Assembler, StreamError


@dataclass
class Model:
    """The client of a run, and the last response as it gave it."""

    client: Any
    tools: Sequence[Mapping[str, Any]]
    response: Any = None

    @classmethod
    def of(cls, client: Any, tools: Sequence[Mapping[str, Any]]) -> Model:
        """Return the model behind *client*, with the client's own retries turned off (rule 2)."""
        retries = getattr(client, "max_retries", None) != 0 and hasattr(client, "with_options")
        return cls(client.with_options(max_retries=0) if retries else client, tools)

    def ask(self, state: State) -> Answer:
        """Send the next request of *state* and return the answer; raises what the client raises, or
        Incomplete.
        """
        body, show = self.body(state), state.policy.on_stream
        if show is None:
            return self.answer(self._create(body))
        stream = self._create(body | {"stream": True})
        try:
            with Watch(show) as watch:
                for event in stream:
                    watch.take(event)
        finally:
            if hasattr(stream, "close"):
                stream.close()
        return self.answer(watch.message)

    def answer(self, response: Any) -> Answer:
        """Return *response* as JSON, and keep it as it is. Raises Incomplete (rule 3)."""
        message = plain(response)
        if not isinstance(message, dict) or message.get("stop_reason") is None:
            raise Incomplete(say("loop.mistake.incomplete"))
        self.response = response
        return Answer(message.get("content") or [], message["stop_reason"], message.get("usage") or {})

    def _create(self, body: dict[str, Any]) -> Any:
        response = self.client.messages.create(**body)
        if inspect.isawaitable(response):
            if inspect.iscoroutine(response):
                response.close()
            raise TypeError(say("loop.mistake.async_client"))
        return response

    def body(self, state: State) -> dict[str, Any]:
        """Return the parameters of the next request."""
        policy = state.policy
        body = dict(policy.parameters) | {
            "model": policy.model,
            "max_tokens": state.max_tokens,
            "messages": sent(state),
        }
        if policy.system is not None:
            body["system"] = policy.system
        if self.tools:
            body["tools"] = list(self.tools)
        choice = body.get("tool_choice")
        if isinstance(choice, Mapping) and choice.get("type") in ("any", "tool") and state.spend.steps:
            del body["tool_choice"]
        return body


class Watch:
    """A stream as it comes: each event is shown to the caller, and a cut answer is taken back."""

    def __init__(self, show: Callable[[dict[str, Any]], None]) -> None:
        self.message: dict[str, Any] | None = None
        """The whole message, once the stream is over; None where it was cut."""
        self._show, self._assembler, self._shown = show, Assembler(), False

    def __enter__(self) -> Watch:
        return self

    def take(self, event: Any) -> None:
        """Take the next event. Raises StreamError for one that cannot stand there."""
        received = plain(event)
        self._assembler.feed(received)
        self._shown = True
        self._show(received)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            whole = self._assembler.message if error is None and self._assembler.complete else None
        except StreamError as broken:
            whole, error = None, broken
        if whole is not None and whole.get("stop_reason") is not None:
            self.message = whole
        if self._shown and self.message is None:
            self._show({"type": "discarded"})
        if isinstance(error, StreamError):
            raise Incomplete(str(error)) from error
