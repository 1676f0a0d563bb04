from typing import Any, cast


def run(client, tools, messages, turns, show):
    for _ in range(turns):
        response = client.messages.create(model="m", max_tokens=1200, tools=list(tools), messages=messages)
        shown = ""
        first = response.content[0]
        if first.type == "text":
            shown = first.text
        elif first.type == "tool_use":
            arguments = cast(dict[str, Any], first.input)
            shown = arguments.get("query", "")
        show(shown)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        calls, ids = [], []
        for block in response.content:
            if block.type == "tool_use":
                ids.append(block.id)
                calls.append((block.name, block.input))
        results = []
        for position, (name, arguments) in enumerate(calls):
            results.append({"type": "tool_result", "tool_use_id": ids[position], "content": tools[name](**arguments)})
        messages.append({"role": "user", "content": results})
    raise TimeoutError
