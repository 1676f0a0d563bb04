"""The API as the recursive loop sees it: one try, what it cost, and whether another one makes sense."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any, NamedTuple

import anthropic

TRANSIENT = (408, 409, 429, 500, 502, 503, 504, 529)


class Cut(Exception):  # noqa: N818  # named for what it tells
    """A stream that did not come to its end."""


class Spent(NamedTuple):
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0

    @property
    def tokens(self) -> int:
        return sum(self[1:])

    @property
    def dollars(self) -> float:
        rates = (3.0, 15.0, 3.75, 0.3)
        return sum(amount * rate for amount, rate in zip(self[1:], rates, strict=True)) / 1_000_000

    def plus(self, other: Spent) -> Spent:
        return Spent(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


def transient(error: Exception) -> bool:
    if isinstance(error, anthropic.APIStatusError) and error.status_code != 200:
        return error.status_code in TRANSIENT
    # A connection that broke, a stream that was cut, or an error inside of one.
    return "invalid_request" not in str(error)


def pause_before(attempt: int, error: Exception) -> float:
    response = getattr(error, "response", None)
    stated = response.headers.get("retry-after") if response is not None else None
    if stated and stated.replace(".", "", 1).isdigit():
        return float(stated)
    return min(2.0 ** (attempt - 1), 30.0) * random.uniform(1, 1.25)


def plain(client: Any, body: dict[str, Any]) -> Mapping[str, Any]:
    return client.messages.create(**body).to_dict(warnings=False)


def streamed(client: Any, body: dict[str, Any]) -> Mapping[str, Any]:
    message: dict[str, Any] = {}
    blocks: dict[int, dict[str, Any]] = {}
    parts: dict[int, str] = {}
    complete = False
    for event in client.messages.create(**body, stream=True):
        data = event.to_dict(warnings=False)
        match data:
            case {"type": "message_start", "message": head}:
                message = {**head, "usage": dict(head.get("usage") or {})}
            case {"type": "content_block_start", "index": index, "content_block": block}:
                blocks[index], parts[index] = dict(block), ""
            case {"type": "content_block_delta", "index": index, "delta": delta}:
                parts[index] += delta.get("partial_json") or ""
                for name in ("text", "thinking", "signature"):
                    if name in delta:
                        blocks[index][name] = (blocks[index].get(name) or "") + delta[name]
            case {"type": "message_delta", "delta": delta}:
                message["stop_reason"] = delta.get("stop_reason")
                message["usage"] |= {k: v for k, v in (data.get("usage") or {}).items() if v is not None}
            case {"type": "message_stop"}:
                complete = True
    if not complete or not message.get("stop_reason"):
        raise Cut("the stream was cut before its end (incomplete)")
    for index, text in parts.items():
        if text:
            blocks[index]["input"] = parsed(text, message["stop_reason"])
    return {**message, "content": [blocks[index] for index in sorted(blocks)]}


def parsed(text: str, stop_reason: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        if stop_reason != "max_tokens":
            raise
        return {}  # Cut in the middle of the input; it will not be run.


def cost_of(answer: Mapping[str, Any]) -> Spent:
    usage = answer.get("usage") or {}
    return Spent(1, *(usage.get(name) or 0 for name in Spent._fields[1:]))
