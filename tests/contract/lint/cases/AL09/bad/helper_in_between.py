# finds: AL09 at line 10
"""Helpers for each of them, called in the wrong order."""


def tell(messages, response, handlers):
    results = []
    for block in response.content:
        if block.type == "tool_use":
            results.append({"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)})
    messages.append({"role": "user", "content": results})


def remember(messages, response):
    messages.append({"role": "assistant", "content": response.content})


def run(client, messages, tools, handlers, max_turns):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if response.stop_reason != "tool_use":
            return response
        tell(messages, response, handlers)
        remember(messages, response)
    raise TimeoutError
