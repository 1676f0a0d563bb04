# %% A notebook-like script
import json

import anthropic

client = anthropic.Anthropic()
MODEL = "claude-haiku-5"
TURNS = 8

# %%
tools = [{"name": "get_weather", "description": "Weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}]


def get_weather(city):
    return {"city": city, "celsius": 21}


# %%
messages = [{"role": "user", "content": "Weather in Lima and Quito?"}]
for turn in range(TURNS):
    response = client.messages.create(model=MODEL, max_tokens=500, tools=tools, messages=messages)
    print(turn, response.stop_reason)
    messages.append({"role": "assistant", "content": response.content})
    if response.stop_reason != "tool_use":
        break
    content = []
    for block in response.content:
        if block.type == "tool_use":
            print("call", block.name, block.input)
            content.append({"type": "tool_result", "tool_use_id": block.id, "content": json.dumps(get_weather(**block.input))})
    messages.append({"role": "user", "content": content})
print(response.content[-1].text)
