# finds: AL02 at line 16
"""The outer loop waits for the person; the inner one has no limit."""
import anthropic


def main(tools, handlers):
    client = anthropic.Anthropic()
    messages = []
    while True:
        line = input("> ")
        if line == "quit":
            break
        messages.append({"role": "user", "content": line})
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        while response.stop_reason == "tool_use":
            results = []
            for block in response.content:
                if block.type == "tool_use":
                    results.append({"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)})
            messages.append({"role": "user", "content": results})
            response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
            messages.append({"role": "assistant", "content": response.content})
        print(response.stop_reason, response.content)
