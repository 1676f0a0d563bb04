"""Plain structured output, no tools: range(3) around the parsing."""

import json

import anthropic


def get_json(prompt):
    client = anthropic.Anthropic()
    messages = [{"role": "user", "content": prompt}]
    for attempt in range(3):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages)
        text = response.content[0].text
        try:
            return json.loads(text)
        except json.JSONDecodeError as e:
            messages += [
                {"role": "assistant", "content": text},
                {"role": "user", "content": f"Invalid JSON: {e}. Try again."},
            ]
    raise ValueError("no valid JSON after three attempts")
