"""The last block of the history carries the cache mark."""

import copy


def with_cache(messages):
    marked = copy.deepcopy(messages)
    last = marked[-1]
    if isinstance(last["content"], str):
        last["content"] = [{"type": "text", "text": last["content"]}]
    last["content"][-1]["cache_control"] = {"type": "ephemeral"}
    return marked


def run(client, system, messages, tools, handlers, max_turns=30):
    for _ in range(max_turns):
        response = client.messages.create(
            model="m",
            max_tokens=1000,
            system=[{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
            messages=with_cache(messages),
            tools=tools,
        )
        messages.append({"role": "assistant", "content": [b.model_dump() for b in response.content]})
        if response.stop_reason != "tool_use":
            return response
        messages.append(
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                    for b in response.content
                    if b.type == "tool_use"
                ],
            }
        )
    raise RuntimeError("turns")
