"""Decides by the presence of tool_use blocks, and keeps dictionaries in the history."""

MODEL = "claude-sonnet-5-5"


def run_agent_loop(client, messages, tools, handlers):
    while True:
        response = client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)
        content = [block.model_dump() for block in response.content]
        calls = [block for block in content if block["type"] == "tool_use"]
        if not calls:
            return response
        results = []
        for call in calls:
            said = handlers[call["name"]](**call["input"])
            results.append(
                {
                    "type": "tool_result",
                    "tool_use_id": call["id"],
                    "content": [{"type": "text", "text": said}],
                }
            )
        messages.append({"role": "assistant", "content": content})
        messages.append({"role": "user", "content": results})
