"""A script is one conversation: its list is its own."""

import sys

import anthropic

from my_tools import HANDLERS, TOOLS

LIMIT = 20
client = anthropic.Anthropic()
messages = [{"role": "user", "content": sys.argv[1]}]

for _ in range(LIMIT):
    response = client.messages.create(
        model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=TOOLS
    )
    messages.append({"role": "assistant", "content": response.content})
    if response.stop_reason != "tool_use":
        print(response.content, response.stop_reason)
        break
    results = []
    for block in response.content:
        if block.type == "tool_use":
            output = HANDLERS[block.name](**block.input)
            results.append({"type": "tool_result", "tool_use_id": block.id, "content": output})
    messages.append({"role": "user", "content": results})
else:
    sys.exit("no answer")
