"""A small fake model for faults: it answers by script, and holds each request to the rules."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import simulator
from simulator.loop import Policy, Run, run

MODEL = "claude-sonnet-5-5"
TASK = [{"role": "user", "content": "How many apples are in the crates?"}]
TOOLS = [
    {"name": name, "description": f"The tool {name}.", "input_schema": {"type": "object"}}
    for name in ("count", "weigh", "sell")
]


def call(key: str, name: str = "count", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": key, "name": name, "input": given}


def says(*blocks: Any, stop: str | None = "", usage: dict[str, Any] | None = None) -> dict[str, Any]:
    """An answer of the model; ``stop`` is what its blocks say where it is not given."""
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    asks = any(block["type"] == "tool_use" for block in content)
    return {
        "id": "msg_01Made",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": content,
        "stop_reason": ("tool_use" if asks else "end_turn") if stop == "" else stop,
        "stop_sequence": None,
        "usage": usage or {"input_tokens": 10, "output_tokens": 5},
    }


DONE = says("There are 12 apples.")


class ApiFailure(Exception):  # noqa: N818  # named for what it is
    """An error of the API, as an SDK raises it."""

    def __init__(self, status: int, kind: str = "api_error", words: str = "failed", **headers: str) -> None:
        super().__init__(words)
        self.status_code = status
        self.body = {"type": "error", "error": {"type": kind, "message": words}}
        self.response = type(
            "Response", (), {"headers": {k.replace("_", "-"): v for k, v in headers.items()}}
        )


Line = dict[str, Any] | BaseException | Callable[[dict[str, Any]], Any]


class Fake:
    """``client.messages.create`` on a script; the last line repeats. ``sent`` are copies of the requests."""

    def __init__(self, *script: Line) -> None:
        self.script = script
        self.sent: list[dict[str, Any]] = []
        self.messages = self

    def create(self, **body: Any) -> Any:
        self.sent.append(copy.deepcopy(body))
        stream = body.pop("stream", False)
        refusal = simulator.check_request(body)
        if refusal is not None:
            # No Exception: a loop that takes it for a failure of the API would hide it.
            pytest.fail(f"request {len(self.sent)}: {refusal.message}")
        line = self.script[min(len(self.sent), len(self.script)) - 1]
        if callable(line):
            line = line(body)
        if isinstance(line, BaseException):
            raise line
        return iter(line["events"]) if stream else copy.deepcopy(line)

    @property
    def turns(self) -> list[dict[str, Any]]:
        """The messages of the last request."""
        turns: list[dict[str, Any]] = self.sent[-1]["messages"]
        return turns


class Clock:
    """A clock that only moves when somebody sleeps or is told to."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def twelve(**given: Any) -> str:
    return "12"


HANDLERS: dict[str, Any] = {"count": twelve, "weigh": lambda **given: "3 kg", "sell": lambda **given: "sold"}


def play(
    client: Any,
    *,
    messages: Any = None,
    tools: Any = None,
    handlers: Any = None,
    clock: Clock | None = None,
    **how: Any,
) -> Run:
    """Run the loop on *client* with a clock of its own."""
    time = clock or Clock()
    policy = Policy(MODEL, **({"clock": time, "sleep": time.sleep} | how))
    given = copy.deepcopy(TASK) if messages is None else messages
    return run(client, given, TOOLS if tools is None else tools, HANDLERS | (handlers or {}), policy)


def results(turn: dict[str, Any]) -> list[dict[str, Any]]:
    """The tool results of a turn."""
    return [block for block in turn["content"] if block["type"] == "tool_result"]


def followed(messages: Sequence[Any]) -> list[Any]:
    """Return this conversation with one more user turn; a paused one, which goes back first, as it is."""
    paused = messages[-1]["role"] == "assistant" and messages[-1]["content"][-1]["type"] == "server_tool_use"
    on = {"role": "user", "content": [{"type": "text", "text": "Go on."}]}
    return [*messages] if paused else [*messages, on]


def resendable(messages: Sequence[Any]) -> None:
    """Fail unless the API accepts this conversation with one more user turn; a paused one as it is."""
    body = {"model": MODEL, "max_tokens": 100, "messages": followed(messages), "tools": TOOLS}
    refusal = simulator.check_request(body)
    assert refusal is None, refusal.message
