# finds: AL13 at line 17
"""The event of the SDK's own stream helper."""

from json import loads


def run(client, messages, tools, handlers, show, limit=20):
    for _ in range(limit):
        with client.messages.stream(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        ) as stream:
            for event in stream:
                match event.type:
                    case "text":
                        show(event.text)
                    case "input_json":
                        show(loads(event.partial_json))
            response = stream.get_final_message()
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
