"""Chat completions of another API."""


def run(client, messages, tools, handlers):
    while True:
        response = client.chat.completions.create(model="m", messages=messages, tools=tools)
        message = response.choices[0].message
        if message.content and "done" in message.content:
            return message
        messages.append(message)
        for call in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": handlers[call.function.name]()})
