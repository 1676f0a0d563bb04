"""A loop that streams: each answer comes in events, as it does from the API."""


def loop(client, messages, tools, handlers, max_iterations=20):
    """Print nothing, keep everything; the SDK puts the events together."""
    messages = list(messages)
    for _ in range(max_iterations):
        with client.messages.stream(
            model="claude-sonnet-5-5", max_tokens=4096, tools=tools, messages=messages
        ) as stream:
            for _ in stream.text_stream:
                pass  # this is where an application shows the text
            response = stream.get_final_message()
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        calls = [block for block in response.content if block.type == "tool_use"]
        messages.append({"role": "user", "content": [run(call, handlers) for call in calls]})
    raise RuntimeError(f"no answer within {max_iterations} requests")


def run(call, handlers):
    """Return the result of one call."""
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return result | {"content": str(handlers[call.name](**call.input))}
    except Exception as error:
        return result | {"content": f"{call.name} failed: {error}", "is_error": True}
