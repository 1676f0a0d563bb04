"""The tool output goes back as a JSON list of its lines."""

import json

MODEL = "claude-sonnet-5-5"


def result_for(b, out):
    return {"type": "tool_result", "tool_use_id": b.id, "content": out}


def run_agent_loop(client, messages, tools, handlers):
    while True:
        r = client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)
        if r.stop_reason == "end_turn":
            return r
        messages.append({"role": "assistant", "content": r.content})
        messages.append(
            {
                "role": "user",
                "content": [
                    result_for(b, json.dumps(str(handlers[b.name](**b.input)).splitlines()))
                    for b in r.content
                    if b.type == "tool_use"
                ],
            }
        )
