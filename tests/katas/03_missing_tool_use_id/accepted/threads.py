"""Threads: the tools run at the same time, the results keep the order of the calls."""

from concurrent.futures import ThreadPoolExecutor

MODEL = "claude-sonnet-5-5"


def call_tool(call, handlers):
    """Return what the tool says, and whether it failed."""
    try:
        return handlers[call.name](**call.input), False
    except Exception as error:
        return str(error), True


def run_agent_loop(client, messages, tools, handlers):
    while True:
        response = client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)
        calls = [block for block in response.content if block.type == "tool_use"]
        if not calls:
            return response
        with ThreadPoolExecutor(max_workers=len(calls)) as pool:
            outputs = list(pool.map(lambda call: call_tool(call, handlers), calls))
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": text, "is_error": failed}
            for call, (text, failed) in zip(calls, outputs, strict=True)
        ]
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": results})
