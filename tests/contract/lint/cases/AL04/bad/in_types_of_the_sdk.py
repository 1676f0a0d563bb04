# finds: AL04 at line 23
"""MessageParam, and a role that is none of its two for results."""

from anthropic.types import MessageParam, ToolResultBlockParam, ToolUseBlock


def result(block: ToolUseBlock, handlers) -> ToolResultBlockParam:
    return ToolResultBlockParam(
        type="tool_result", tool_use_id=block.id, content=handlers[block.name](**block.input)
    )


def converse(client, messages: list[MessageParam], tools, handlers, *, most: int):
    while most:
        most -= 1
        message = client.beta.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append(MessageParam(role="assistant", content=message.content))
        if message.stop_reason != "tool_use":
            return message
        blocks = [result(b, handlers) for b in message.content if isinstance(b, ToolUseBlock)]
        messages.append(MessageParam(role="assistant", content=blocks))
    raise RuntimeError("no answer")
