# finds: AL01 at line 16
"""The plain thing: "done" in the text."""


def run_tools(response, handlers):
    return [
        {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
        for block in response.content
        if block.type == "tool_use"
    ]


def run_agent(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if "done" in response.content[0].text.lower():
            return response
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": run_tools(response, handlers)})
    raise RuntimeError("no end")
