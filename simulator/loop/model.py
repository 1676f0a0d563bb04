"""One request to the model: its body, the call of the client, and the answer as JSON.

Rules of this file:

1. The body is made of the state alone, so a retry sends the very same request.
2. Any client with ``messages.create(**body)`` will do. Where it can be told so, its own retries are turned
   off.
3. An answer is whole or it is none: without a ``stop_reason`` it is :class:`Incomplete`, and nothing of it
   runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.loop.failures import Incomplete
from simulator.loop.reducer import sent
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
        body = self.body(state)
        create = self.client.messages.create
        response = self._streamed(create, body, state) if state.policy.on_stream else create(**body)
        message = plain(response)
        if not isinstance(message, dict) or message.get("stop_reason") is None:
            raise Incomplete(say("loop.mistake.incomplete"))
        self.response = response
        return Answer(message.get("content") or [], message["stop_reason"], message.get("usage") or {})

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

    def _streamed(self, create: Any, body: dict[str, Any], state: State) -> Any:
        """Return the message of a stream, each event of which was shown to the caller."""
        show = state.policy.on_stream
        assert show is not None, "streamed only where somebody watches"
        assembler = Assembler()
        shown = False
        message = None
        stream = create(**body, stream=True)
        try:
            for event in stream:
                received = plain(event)
                assembler.feed(received)
                shown = True
                show(received)
            message = assembler.message if assembler.complete else None
        except StreamError as error:
            raise Incomplete(str(error)) from error
        finally:
            if hasattr(stream, "close"):
                stream.close()
            if shown and message is None:
                show({"type": "discarded"})
        return message
