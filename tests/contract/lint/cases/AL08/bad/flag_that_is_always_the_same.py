# finds: AL08 at line 12
"""A record that calls every answer complete."""


def run(client, messages, tools, handlers, max_turns):
    complete = True
    for _ in range(max_turns):
        with client.messages.stream(model="m", max_tokens=1000, messages=messages, tools=tools) as stream:
            response = stream.get_final_message()
        if response.stop_reason != "tool_use":
            text = "".join(b.text for b in response.content if b.type == "text")
            return {"text": text, "complete": complete}
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": [answer(b, handlers) for b in response.content if b.type == "tool_use"]})
    raise TimeoutError


def answer(block, handlers):
    return {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
