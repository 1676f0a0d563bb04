"""Content blocks: each refusal word for word, and a lawful neighbour."""

import pytest

from simulator.wire.rules import check_request
from simulator.wire.rules.vocabulary import BLOCK_TAGS, RESULT_TAGS
from tests.wire.rule_cases import (
    OLD,
    TAGS,
    Case,
    Json,
    ask,
    assistant,
    call,
    exchange,
    image,
    request,
    result,
    text,
    thinking,
    user,
    without,
)

MARK = {"type": "ephemeral"}
SERVER = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
SERVED = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


def said(block: object) -> Json:
    return request(user(block))


def called(**more: object) -> Json:
    return exchange([call(**more)], user(result()))


def answered(block: Json) -> Json:
    return exchange([call()], user(block))


def thought(block: Json, **fields: object) -> Json:
    return request(ask(), assistant(block, text("Two.")), user("And hidden ones?"), **fields)


def served(block: Json) -> Json:
    return request(ask(), assistant(block, SERVED | {"tool_use_id": block["id"]}), user("Thanks."))


CASES = [
    Case(
        "block.not_object",
        said("hello") | {"messages": [{"role": "user", "content": ["hello"]}]},
        "messages.0.content.0: Input should be an object",
        "messages.0.content.0",
        said(text("hello")),
    ),
    Case(
        "block.type_missing",
        said({"text": "hello"}),
        "messages.0.content.0.type: Field required",
        "messages.0.content.0.type",
        said(text("hello")),
    ),
    Case(
        "block.unknown_type",
        said({"type": "image_url", "image_url": {"url": "https://a.test/a.png"}}),
        f"messages.0.content.0: Input tag 'image_url'{TAGS}{BLOCK_TAGS}",
        "messages.0.content.0",
        said(image()),
    ),
    Case(
        "text.text_missing",
        said({"type": "text", "content": "hello"}),
        "messages.0.content.0.text.text: Field required",
        "messages.0.content.0.text.text",
        said(text("hello")),
    ),
    Case(
        "tool_use.id_missing",
        exchange([without(call(), "id")], user(result())),
        "messages.1.content.0.tool_use.id: Field required",
        "messages.1.content.0.tool_use.id",
        called(),
    ),
    Case(
        "tool_use.name_missing",
        exchange([without(call(), "name")], user(result())),
        "messages.1.content.0.tool_use.name: Field required",
        "messages.1.content.0.tool_use.name",
        called(),
    ),
    Case(
        "tool_use.input_missing",
        exchange([without(call(), "input")], user(result())),
        "messages.1.content.0.tool_use.input: Field required",
        "messages.1.content.0.tool_use.input",
        called(input={}),
    ),
    Case(
        "tool_result.tool_use_id_missing",
        answered({"type": "tool_result", "id": "t_1", "content": "package.json"}),
        "messages.2.content.0.tool_result.tool_use_id: Field required",
        "messages.2.content.0.tool_result.tool_use_id",
        answered(result()),
    ),
    Case(
        "thinking.signature_missing",
        thought(without(thinking(), "signature")),
        "messages.1.content.0.thinking.signature: Field required",
        "messages.1.content.0.thinking.signature",
        thought(thinking()),
    ),
    Case(
        "thinking.thinking_missing",
        thought(without(thinking(), "thinking")),
        "messages.1.content.0.thinking.thinking: Field required",
        "messages.1.content.0.thinking.thinking",
        thought(thinking()),
    ),
    Case(
        "block.not_string",
        called(name=None),
        "messages.1.content.0.tool_use.name: Input should be a valid string",
        "messages.1.content.0.tool_use.name",
        called(name="read_file"),
    ),
    Case(
        "tool_use.id_pattern",
        exchange([call("Bash:12")], user(result("Bash:12"))),
        "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        "messages.1.content.0.tool_use.id",
        exchange([call("Bash_12")], user(result("Bash_12"))),
    ),
    Case(
        "tool_result.tool_use_id_pattern",
        answered(result("")),
        "messages.2.content.0.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        "messages.2.content.0.tool_result.tool_use_id",
        answered(result()),
    ),
    Case(
        "server_tool_use.id_pattern",
        served(SERVER | {"id": "search_1"}),
        "messages.1.content.0.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
        "messages.1.content.0.server_tool_use.id",
        served(SERVER),
    ),
    Case(
        "tool_use.name_too_long",
        called(name="n" * 201),
        "messages.1.content.0.tool_use.name: String should have at most 200 characters",
        "messages.1.content.0.tool_use.name",
        called(name="n" * 200),
    ),
    Case(
        "tool_use.input_not_object",
        called(input='{"path": "."}'),
        "messages.1.content.0.tool_use.input: Input should be an object",
        "messages.1.content.0.tool_use.input",
        called(input={"path": "."}),
    ),
    Case(
        "tool_result.empty_error",
        answered(result(content="", is_error=True)),
        "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true",
        "messages.2.content.0.tool_result",
        answered(result(content="", is_error=False)),
    ),
    Case(
        "image.media_type",
        said(image("image/bmp")),
        "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', "
        "'image/gif' or 'image/webp'",
        "messages.0.content.0.image.source.base64.media_type",
        said(image("image/webp")),
    ),
    Case(
        "text.cached_empty",
        request(user(text("", cache_control=MARK), text("hello"))),
        "messages.0.content.0.text: cache_control cannot be set for empty text blocks",
        "messages.0.content.0.text",
        request(user(text("hello", cache_control=MARK))),
    ),
    Case(
        "thinking.cached",
        thought(thinking(cache_control=MARK)),
        "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
        "messages.1.content.0.thinking.cache_control",
        thought(thinking(cache_control=None)),
    ),
    Case(
        "thinking.empty",
        thought(thinking(thinking=""), model=OLD),
        "messages.1.content.0.thinking: each thinking block must contain thinking",
        "messages.1.content.0.thinking",
        thought(thinking(thinking="")),
    ),
    Case(
        "thinking.bad_signature",
        thought(thinking(signature="")),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        "messages.1.content.0",
        thought(thinking()),
    ),
    Case(
        "result_block.unknown_type",
        answered(result(content=[{"type": "resource", "uri": "file:///a"}])),
        f"messages.2.content.0.tool_result.content.0: Input tag 'resource'{TAGS}{RESULT_TAGS}",
        "messages.2.content.0.tool_result.content.0",
        answered(result(content=[{"type": "tool_reference", "tool_name": "list_dir"}])),
    ),
    Case(
        "result_block.text_missing",
        answered(result(content=[{"type": "text"}])),
        "messages.2.content.0.tool_result.content.0.text.text: Field required",
        "messages.2.content.0.tool_result.content.0.text.text",
        answered(result(content=[text("package.json")])),
    ),
    Case(
        "result_block.foreign_key",
        answered(result(content=[text("package.json", id="lc_1")])),
        "messages.2.content.0.tool_result.content.0.text.id: Extra inputs are not permitted",
        "messages.2.content.0.tool_result.content.0.text.id",
        answered(result(content=[text("package.json", citations=None)])),
    ),
    Case(
        "result_block.media_type",
        answered(result(content=[image("image/svg+xml")])),
        "messages.2.content.0.tool_result.content.0.image.source.base64.media_type: Input should be "
        "'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
        "messages.2.content.0.tool_result.content.0.image.source.base64.media_type",
        answered(result(content=[image()])),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_the_refusal_is_the_apis_and_its_neighbour_is_lawful(case: Case):
    case.hold()


@pytest.mark.parametrize("kind", ["fallback", "compaction", "a_block_of_next_year"])
def test_a_type_of_block_that_nobody_knows_is_let_pass(kind: str):
    assert check_request(request(ask(), assistant({"type": kind}), user("Go on."))) is None
