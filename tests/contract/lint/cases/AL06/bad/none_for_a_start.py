# finds: AL06 at line 16
"""An id that was to be filled in later."""

from anthropic.types import ToolResultBlockParam


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = [
            ToolResultBlockParam(type="tool_result", tool_use_id="", content=handlers[b.name](**b.input))
            for b in response.content
            if b.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
