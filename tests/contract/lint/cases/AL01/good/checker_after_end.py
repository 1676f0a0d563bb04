"""After end_turn a checker of our own says whether the answer will do."""


def run(client, messages, tools, handlers, check, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=2000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason == "end_turn":
            text = "".join(b.text for b in response.content if b.type == "text")
            problems = check(text)
            if not problems:
                return response
            messages.append({"role": "user", "content": "Please mend:\n" + "\n".join(problems)})
        elif response.stop_reason == "tool_use":
            results = [
                {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                for b in response.content
                if b.type == "tool_use"
            ]
            messages.append({"role": "user", "content": results})
        else:
            raise RuntimeError(response.stop_reason)
    raise RuntimeError("no answer passed the check")
