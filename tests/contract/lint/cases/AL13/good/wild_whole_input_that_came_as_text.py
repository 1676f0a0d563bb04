import json


def run(client, tools, messages, turns):
    for _ in range(turns):
        with client.messages.stream(model="m", max_tokens=1000, tools=list(tools), messages=messages) as stream:
            message = stream.get_final_message()
        messages.append({"role": "assistant", "content": message.content})
        calls = [block for block in message.content if block.type == "tool_use"]
        if not calls:
            return message
        results = []
        for call in calls:
            arguments = call.input if isinstance(call.input, dict) else json.loads(call.input)
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": tools[call.name](**arguments)})
        messages.append({"role": "user", "content": results})
    raise TimeoutError
