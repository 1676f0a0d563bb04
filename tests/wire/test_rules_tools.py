"""Tools, tool_choice and thinking as parameters: each refusal word for word, and a lawful neighbour."""

import pytest

from simulator.wire.rules import check_request
from simulator.wire.rules.schema import is_broken
from simulator.wire.rules.vocabulary import TOOL_TAGS
from tests.wire.rule_cases import TAGS, Case, Json, request, tool, without

OLD_THINKER = "claude-sonnet-4-5"
BUDGET = {"type": "enabled", "budget_tokens": 1024}
CHOSEN = {"tools": [tool()], "tool_choice": {"type": "any"}}


def with_schema(**schema: object) -> Json:
    return request(tools=[tool(input_schema=schema)])


CASES = [
    Case(
        "tool_choice.not_object",
        request(tools=[tool()], tool_choice="auto"),
        "tool_choice: Input should be an object",
        "tool_choice",
        request(tools=[tool()], tool_choice={"type": "auto"}),
    ),
    Case(
        "tool_choice.type_missing",
        request(tools=[tool()], tool_choice={"name": "list_dir"}),
        "tool_choice.type: Field required",
        "tool_choice.type",
        request(tools=[tool()], tool_choice={"type": "tool", "name": "list_dir"}),
    ),
    Case(
        "tool_choice.unknown_type",
        request(tools=[tool()], tool_choice={"type": "required"}),
        f"tool_choice: Input tag 'required'{TAGS}'auto', 'any', 'tool', 'none'",
        "tool_choice",
        request(tools=[tool()], tool_choice={"type": "any"}),
    ),
    Case(
        "tool_choice.without_tools",
        request(tool_choice={"type": "auto"}),
        "tool_choice may only be specified while providing tools.",
        "tool_choice",
        request(tool_choice={"type": "none"}),
    ),
    Case(
        "tools.not_list",
        request(tools=None),
        "tools: Input should be a valid array",
        "tools",
        request(tools=[]),
    ),
    Case(
        "tool.not_object",
        request(tools=[tool(), "list_dir"]),
        "tools.1: Input should be an object",
        "tools.1",
        request(tools=[tool()]),
    ),
    Case(
        "tool.unknown_type",
        request(tools=[{"type": "function", "function": {"name": "list_dir"}}]),
        f"tools.0: Input tag 'function'{TAGS}{TOOL_TAGS}",
        "tools.0",
        request(tools=[tool(type="custom"), {"type": "bash_20250124", "name": "bash"}]),
    ),
    Case(
        "tool.name_too_long",
        request(tools=[tool("n" * 129)]),
        "tools.0.custom.name: String should have at most 128 characters",
        "tools.0.custom.name",
        request(tools=[tool("n" * 128)]),
    ),
    Case(
        "tool.name_pattern",
        request(tools=[tool("files.list")]),
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        "tools.0.custom.name",
        request(tools=[tool("files-list_2")]),
    ),
    Case(
        "tool.schema_missing",
        request(tools=[{"name": "list_dir", "parameters": {}}]),
        "tools.0.custom.input_schema: Field required",
        "tools.0.custom.input_schema",
        request(tools=[{"name": "list_dir", "input_schema": {"type": "object"}}]),
    ),
    Case(
        "tool.foreign_key",
        request(tools=[tool(handler="list_dir")]),
        "tools.0.custom.handler: Extra inputs are not permitted",
        "tools.0.custom.handler",
        request(tools=[tool(defer_loading=False, input_examples=[{"path": "."}])]),
    ),
    Case(
        "tool.schema_type_missing",
        with_schema(properties={}),
        "tools.0.custom.input_schema.type: Field required",
        "tools.0.custom.input_schema.type",
        with_schema(type="object"),
    ),
    Case(
        "tool.schema_invalid",
        with_schema(type="object", properties={"pair": {"type": "array", "items": [{"type": "string"}]}}),
        "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
        "(https://json-schema.org/draft/2020-12). Learn more about tool use at "
        "https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview.",
        "tools.0.custom.input_schema",
        with_schema(
            type="object", properties={"pair": {"type": "array", "prefixItems": [{"type": "string"}]}}
        ),
    ),
    Case(
        "tool.schema_union",
        with_schema(type="object", anyOf=[{"required": ["a"]}]),
        "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
        "tools.0.custom.input_schema",
        with_schema(type="object", properties={"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}),
    ),
    Case(
        "tool.property_name",
        with_schema(type="object", properties={"file name": {}}),
        "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
        "tools.0.custom.input_schema.properties",
        with_schema(type="object", properties={"file.name-2": {}}),
    ),
    Case(
        "tool.strict_open",
        request(tools=[tool(strict=True)]),
        "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false",
        "tools.0.custom",
        request(tools=[tool(strict=True, input_schema={"type": "object", "additionalProperties": False})]),
    ),
    Case(
        "tools.duplicate_name",
        request(tools=[tool(), tool()]),
        "tools: Tool names must be unique.",
        "tools",
        request(tools=[tool(), tool("read_file")]),
    ),
    Case(
        "thinking.not_object",
        request(thinking=None),
        "thinking: Input should be an object",
        "thinking",
        request(thinking={"type": "adaptive"}),
    ),
    Case(
        "thinking.forced_tool",
        request(model=OLD_THINKER, max_tokens=2048, thinking=BUDGET, **CHOSEN),
        "Thinking may not be enabled when tool_choice forces tool use.",
        "tool_choice",
        request(thinking={"type": "adaptive"}, **CHOSEN),
    ),
    Case(
        "thinking.budget",
        request(model=OLD_THINKER, max_tokens=1024, thinking=BUDGET),
        "`max_tokens` must be greater than `thinking.budget_tokens`.",
        "max_tokens",
        request(model=OLD_THINKER, max_tokens=1025, thinking=BUDGET),
    ),
    Case(
        "model.forced_tool",
        request(model="claude-opus-5-5", **CHOSEN),
        'tool_choice: type "tool" and "any" are not supported for this model.',
        "tool_choice",
        request(model="claude-opus-5", **CHOSEN),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_the_refusal_is_the_apis_and_its_neighbour_is_lawful(case: Case):
    case.hold()


def test_a_typed_tool_is_the_apis_own_and_not_looked_into():
    assert (
        check_request(request(tools=[{"type": "web_search_20990101", "name": "!", "parameters": 1}])) is None
    )


def test_mcp_servers_bring_tools_to_choose_among():
    assert (
        check_request(request(tool_choice={"type": "auto"}, mcp_servers=[{"url": "https://a.test"}])) is None
    )


def test_one_tool_after_the_other_is_judged_before_the_next():
    error = check_request(request(tools=[without(tool("a b"), "input_schema"), "no tool"]))
    assert error is not None
    assert error.rule == "tool.name_pattern"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "str"},
        {"type": ["object", "dict"]},
        {"required": "path"},
        {"required": [1]},
        {"enum": "a"},
        {"anyOf": []},
        {"properties": [["path"]]},
        {"properties": {"path": "string"}},
        {"minimum": "0"},
        {"exclusiveMinimum": True},
        {"items": [{}]},
        {"$defs": {"a": {"not": 3}}},
    ],
)
def test_a_schema_that_breaks_the_draft_is_seen(schema: Json):
    assert is_broken(schema)


def test_a_rich_schema_of_the_draft_is_let_pass():
    assert not is_broken(
        {
            "type": "object",
            "properties": {
                "path": {"type": ["string", "null"], "enum": ["a", None], "minLength": 1},
                "all": True,
                "n": {"$ref": "#/$defs/n", "default": {}},
                "pairs": {"type": "array", "items": {"prefixItems": [{"type": "integer"}], "items": False}},
            },
            "required": ["path"],
            "additionalProperties": {"type": "string"},
            "$defs": {"n": {"exclusiveMinimum": 0, "x-unit": 3}},
        }
    )
