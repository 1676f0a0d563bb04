# finds: AL14 at line 15
"""A screen is told, and everything is tried again."""

import time

import anthropic


def run(client, screen, messages, tools, handlers, limit=20):
    for turn in range(limit):
        try:
            response = client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
            )
        except anthropic.APIError as error:
            delay = min(2**turn, 30)
            screen.print_error(str(error), delay)
            time.sleep(delay)
            continue
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                output = handlers[block.name](**block.input)
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": output})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
