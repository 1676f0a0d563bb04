# finds: AL03 at line 25
"""The types of the SDK, and a result like any other for a failure."""

from anthropic import Anthropic
from anthropic.types import MessageParam, ToolResultBlockParam


def loop(client: Anthropic, messages: list[MessageParam], tools, handlers, limit: int = 8):
    for _ in range(limit):
        message = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=2000, messages=messages, tools=tools
        )
        messages.append(MessageParam(role="assistant", content=message.content))
        if message.stop_reason != "tool_use":
            return message
        results: list[ToolResultBlockParam] = []
        for block in message.content:
            if block.type != "tool_use":
                continue
            try:
                text = str(handlers[block.name](**block.input))
                results.append(ToolResultBlockParam(type="tool_result", tool_use_id=block.id, content=text))
            except Exception:
                results.append(
                    ToolResultBlockParam(type="tool_result", tool_use_id=block.id, content="failed")
                )
        messages.append(MessageParam(role="user", content=results))
    raise RuntimeError("limit reached")
