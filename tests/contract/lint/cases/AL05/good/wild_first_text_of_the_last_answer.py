def last_text(response):
    for block in response.content:
        if block.type == "text":
            return block.text
    return ""


class UnexpectedStop(Exception):
    pass


def run(client, tools, question, turns=12):
    messages = [{"role": "user", "content": question}]
    for _ in range(turns):
        response = client.messages.create(model="m", max_tokens=1000, tools=list(tools), messages=messages)
        if response.stop_reason == "end_turn":
            return last_text(response)
        if response.stop_reason != "tool_use":
            raise UnexpectedStop(response.stop_reason)
        messages.append({"role": "assistant", "content": response.content})
        results = []
        for block in response.content:
            if block.type != "tool_use":
                continue
            results.append({"type": "tool_result", "tool_use_id": block.id, "content": tools[block.name](block.input)})
        messages.append({"role": "user", "content": results})
    raise TimeoutError
