"""The same as one function: the inner loop is bounded, the outer one waits for the person."""

import anthropic

MAX_TOOL_ROUNDS = 10


def main(tools, handlers):
    client = anthropic.Anthropic()
    conversation = []
    while True:
        user_input = input("> ")
        if user_input == "/quit":
            return
        if user_input == "/clear":
            conversation = []
            continue
        conversation.append({"role": "user", "content": user_input})
        for _ in range(MAX_TOOL_ROUNDS):
            response = client.messages.create(
                model="m", max_tokens=1024, messages=conversation, tools=tools
            )
            conversation.append({"role": "assistant", "content": response.content})
            tool_uses = [b for b in response.content if b.type == "tool_use"]
            for b in response.content:
                if b.type == "text":
                    print(b.text)
            if response.stop_reason != "tool_use":
                print(f"[{response.stop_reason}]")
                break
            conversation.append(
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": t.id, "content": handlers[t.name](**t.input)}
                        for t in tool_uses
                    ],
                }
            )
        else:
            print("[gave up]")
