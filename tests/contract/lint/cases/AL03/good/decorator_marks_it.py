"""Tools register by a decorator; a decorator turns exceptions into errors."""

import functools

TOOLS = {}
SCHEMAS = []


def tool(schema):
    def wrap(function):
        @functools.wraps(function)
        def safe(block):
            result = {"type": "tool_result", "tool_use_id": block.id}
            try:
                result["content"] = str(function(**block.input))
            except Exception as exc:
                result["content"] = f"Error: {exc}"
                result["is_error"] = True
            return result

        TOOLS[schema["name"]] = safe
        SCHEMAS.append(schema)
        return safe

    return wrap


@tool({"name": "add", "description": "Add", "input_schema": {"type": "object"}})
def add(a, b):
    return a + b


def loop(client, messages, max_iterations=10):
    iteration = 0
    while iteration < max_iterations:
        iteration += 1
        response = client.messages.create(model="m", max_tokens=1024, tools=SCHEMAS, messages=messages)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason == "tool_use":
            messages.append(
                {"role": "user", "content": [TOOLS[b.name](b) for b in response.content if b.type == "tool_use"]}
            )
            continue
        return response
    raise RuntimeError("too many iterations")
