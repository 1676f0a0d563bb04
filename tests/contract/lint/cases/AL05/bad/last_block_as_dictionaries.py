# finds: AL05 at line 17
"""The call is expected to come last."""


def execute(call, functions):
    return functions[call["name"]](call["input"])


def run(client, messages, tools, functions, limit=20):
    for _ in range(limit):
        reply = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        ).to_dict()
        messages.append({"role": "assistant", "content": reply["content"]})
        if reply["stop_reason"] != "tool_use":
            return reply
        call = reply["content"][-1]
        output = execute(call, functions)
        messages.append(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call["id"], "content": output}]}
        )
    raise RuntimeError("no answer")
