"""Pydantic AI: an ``Agent`` on ``AnthropicModel``, with the client it is given."""

from pydantic_ai import Agent, Tool, UsageLimits
from pydantic_ai.capabilities import NativeTool
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.native_tools import WebSearchTool
from pydantic_ai.providers.anthropic import AnthropicProvider


async def loop(
    client,
    messages,
    tools,
    handlers,
    model,
    max_tokens,
    max_iterations=50,
    max_total_tokens=None,
    tool_timeout=None,
):
    """Run the agent; its limits are ``UsageLimits`` and the timeout of its tools."""
    agent = Agent(
        AnthropicModel(model, provider=AnthropicProvider(anthropic_client=client)),
        tools=[tool_of(tool, handlers[tool["name"]], tool_timeout) for tool in tools if own(tool)],
        capabilities=[NativeTool(WebSearchTool()) for tool in tools if tool["name"] == "web_search"],
        model_settings={"max_tokens": max_tokens},
    )
    limits = UsageLimits(request_limit=max_iterations, total_tokens_limit=max_total_tokens)
    *before, last = messages
    result = await agent.run(text_of(last), message_history=history_of(before), usage_limits=limits)
    # The output alone would hide how the last answer ended.
    details = result.response.provider_details or {}
    return {"output": result.output, "finish_reason": details.get("finish_reason")}


def own(tool):
    """Say whether a handler of ours serves the tool."""
    return tool.get("type") in (None, "custom")


def tool_of(tool, handler, seconds):
    """Return the tool as the agent takes it."""

    def call(**given):
        return handler(**given)

    made = Tool.from_schema(call, tool["name"], tool.get("description"), tool["input_schema"])
    made.timeout = seconds
    return made


def text_of(message):
    """Return the text of a message of the Messages API."""
    content = message["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


def history_of(messages):
    """Return earlier messages as the agent keeps them."""
    names, history = {}, []
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        parts = [part for block in blocks if (part := part_of(block, message["role"], names))]
        history.append(ModelResponse(parts) if message["role"] == "assistant" else ModelRequest(parts))
    return history


def part_of(block, role, names):
    """Return one block as a part of a message; what has no part here is left out."""
    match block["type"]:
        case "text":
            return TextPart(block["text"]) if role == "assistant" else UserPromptPart(block["text"])
        case "tool_use":
            names[block["id"]] = block["name"]
            return ToolCallPart(block["name"], block["input"], block["id"])
        case "tool_result":
            return ToolReturnPart(names[block["tool_use_id"]], block["content"], block["tool_use_id"])
    return None
