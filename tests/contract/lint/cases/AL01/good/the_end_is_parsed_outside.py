"""The final answer is JSON; what cannot be parsed is asked for again, three times at most."""

import json
import re

FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)


class Unparsable(ValueError):
    pass


def loop(client, messages, tools, handlers, max_turns):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=3000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": [handlers.result(b) for b in response.content if b.type == "tool_use"]})
    raise RuntimeError("turns")


def extract(text):
    found = FENCE.search(text)
    return json.loads(found.group(1) if found else text)


def structured(client, prompt, tools, handlers, max_turns=10, attempts=3):
    messages = [{"role": "user", "content": prompt}]
    for _ in range(attempts):
        response = loop(client, messages, tools, handlers, max_turns)
        if response.stop_reason != "end_turn":
            raise Unparsable(response.stop_reason)
        text = "".join(b.text for b in response.content if b.type == "text")
        try:
            return extract(text)
        except json.JSONDecodeError as error:
            messages.append({"role": "user", "content": f"That was no JSON ({error}). Send only the JSON."})
    raise Unparsable("no JSON")
