# finds: AL08 at line 15
"""break, then the text behind the loop."""


def run(client, messages, tools, handlers, max_turns=20):
    answer = ""
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        answer = "".join(b.text for b in response.content if b.type == "text")
        calls = [b for b in response.content if b.type == "tool_use"]
        if not calls:
            break
        messages.append({"role": "user", "content": [handlers(b) for b in calls]})
    return answer
