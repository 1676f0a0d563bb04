"""The loop that tutorials show: about ten lines, no limits, no errors, nothing that goes wrong."""


def loop(client, messages, tools, handlers, model, max_tokens):
    """Ask, run the tools, ask again, until the model asks for no tool."""
    history = list(messages)
    while True:
        response = client.messages.create(model=model, max_tokens=max_tokens, tools=tools, messages=history)
        history.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
            for block in response.content
            if block.type == "tool_use"
        ]
        history.append({"role": "user", "content": results})
