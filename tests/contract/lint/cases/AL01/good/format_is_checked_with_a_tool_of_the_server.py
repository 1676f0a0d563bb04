"""A server tool is offered; the format of the answer is checked, three times at most."""
import json

SEARCH = {"type": "web_search_20250305", "name": "web_search"}


def facts(client, question, attempts=3):
    messages = [{"role": "user", "content": question}]
    for _ in range(attempts):
        response = client.messages.create(model="m", max_tokens=2000, messages=messages, tools=[SEARCH])
        text = "".join(b.text for b in response.content if b.type == "text")
        if text.startswith("{"):
            return json.loads(text)
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": "Please answer with JSON only."})
    raise ValueError("no JSON")
