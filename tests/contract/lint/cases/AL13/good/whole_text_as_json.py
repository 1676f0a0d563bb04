"""The whole text of the answer is JSON; a fragment that does not parse waits for the next one."""

import json


def run(client, messages, tools, handlers, show, limit=20):
    waiting = ""
    for _ in range(limit):
        with client.messages.stream(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        ) as stream:
            for piece in stream.text_stream:
                try:
                    show(json.loads(piece))
                except ValueError:
                    waiting += piece
            response = stream.get_final_message()
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return json.loads(waiting or "{}"), response.stop_reason
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
