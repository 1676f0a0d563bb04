"""A number of tasks, each with an agent of its own."""


def run_all(client, tasks, tools, handlers, turns):
    answers = []
    for task in tasks[:10]:
        for _ in range(3):
            answers.append(run(client, [{"role": "user", "content": task}], tools, handlers, turns))
    return answers


def run(client, messages, tools, handlers, turns):
    for _ in range(turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": [answer(b, handlers) for b in response.content if b.type == "tool_use"]})
    raise TimeoutError


def answer(block, handlers):
    return {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
