"""Requests to hold against the rules: small builders, and the form in which a case is written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simulator.wire.rules import check_request, explain

Json = dict[str, Any]

MODEL = "claude-sonnet-5-5"
OLD = "claude-haiku-4-5"
TAGS = " found using 'type' does not match any of the expected tags: "


@dataclass(frozen=True)
class Case:
    """A request that breaks *rule*, what the API answers, where it points, and a lawful request beside it."""

    rule: str
    body: object
    message: str
    path: str | None
    lawful: object

    def hold(self) -> None:
        """Hold the refusal, its place and its lesson, and that the neighbour is lawful."""
        error = check_request(self.body)
        assert error is not None, "this request was let pass"
        seen, expected = (error.rule, error.message, error.path), (self.rule, self.message, self.path)
        assert seen == expected, f"\n{seen}\n{expected}"
        assert (error.status, error.type) == (400, "invalid_request_error")
        assert explain(error, "en") != explain(error, "es")
        neighbour = check_request(self.lawful)
        assert neighbour is None, neighbour


def request(*messages: object, **fields: object) -> Json:
    """Return a lawful request with these messages, or one greeting, and these parameters."""
    said = list(messages) or [user("Which files are here?")]
    return {"model": MODEL, "max_tokens": 1024, "messages": said, **fields}


def without(body: Json, key: str) -> Json:
    return {name: value for name, value in body.items() if name != key}


def user(*content: object) -> Json:
    return {"role": "user", "content": _content(content)}


def assistant(*content: object) -> Json:
    return {"role": "assistant", "content": _content(content)}


def system(*content: object) -> Json:
    return {"role": "system", "content": _content(content)}


def _content(content: tuple[object, ...]) -> object:
    return content[0] if len(content) == 1 and isinstance(content[0], str) else list(content)


def text(words: str, **more: object) -> Json:
    return {"type": "text", "text": words, **more}


def call(ident: str = "t_1", **more: object) -> Json:
    return {"type": "tool_use", "id": ident, "name": "list_dir", "input": {"path": "."}, **more}


def result(ident: str = "t_1", content: object = "package.json", **more: object) -> Json:
    return {"type": "tool_result", "tool_use_id": ident, "content": content, **more}


def thinking(**more: object) -> Json:
    return {"type": "thinking", "thinking": "Let me look.", "signature": "c2lnbmF0dXJl", **more}


def image(media_type: str = "image/png") -> Json:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": "aGk="}}


def tool(name: str = "list_dir", **more: object) -> Json:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    return {"name": name, "description": "List a folder.", "input_schema": schema, **more}


def ask() -> Json:
    return user("Which files are here?")


def exchange(calls: list[Json], answer: Json, *after: Json, **fields: object) -> Json:
    """Return a request in which the assistant calls and *answer* follows."""
    return request(ask(), assistant(*calls), answer, *after, **fields)
