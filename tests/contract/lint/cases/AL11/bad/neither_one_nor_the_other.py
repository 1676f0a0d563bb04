# finds: AL11 at line 10
"""Two branches and no third: everything else sends the same again."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if response.stop_reason == "end_turn":
            return response
        elif response.stop_reason == "tool_use":
            messages.append({"role": "assistant", "content": response.content})
            results = []
            for block in response.content:
                if block.type == "tool_use":
                    results.append({"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](block.input)})
            messages.append({"role": "user", "content": results})
    raise TimeoutError
