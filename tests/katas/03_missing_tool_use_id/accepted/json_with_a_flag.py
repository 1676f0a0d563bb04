"""Each result is a JSON object with the output and whether it worked."""

import json

MODEL = "claude-sonnet-5-5"


def run_tool(call, handlers):
    try:
        return {"type": "tool_result", "tool_use_id": call.id, "content": handlers[call.name](**call.input)}
    except Exception as e:
        return {"type": "tool_result", "tool_use_id": call.id, "content": f"Error: {e}", "is_error": True}


def ask(client, messages, tools):
    return client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)


def run_agent_loop(client, messages, tools, handlers):
    while True:
        r = ask(client, messages, tools)
        if r.stop_reason != "tool_use":
            return r
        res = [run_tool(c, handlers) for c in r.content if c.type == "tool_use"]
        for x in res:
            x["content"] = json.dumps(
                {"output": x["content"], "ok": not x.get("is_error", False)}, ensure_ascii=True
            )
        messages += [{"role": "assistant", "content": r.content}, {"role": "user", "content": res}]
