"""A task that fails is noted, and the next one is done: nothing is asked twice."""


def run(client, messages, tools, handlers, limit):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")


def all_of(client, tasks, tools, handlers, limit=20):
    answers = {}
    for task in tasks:
        try:
            answers[task] = run(client, [{"role": "user", "content": task}], tools, handlers, limit)
        except Exception as error:
            print(f"{task}: {error}")
            continue
    return answers
