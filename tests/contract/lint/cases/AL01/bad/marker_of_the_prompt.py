# finds: AL01 at line 21
"""The prompt asks for a marker and the loop waits for it."""
import anthropic

SYSTEM = "Work step by step. When you are finished write TASK_COMPLETE."


def run(task, tools, handlers, max_steps=30):
    client = anthropic.Anthropic()
    messages = [{"role": "user", "content": task}]
    for step in range(max_steps):
        response = client.messages.create(model="m", max_tokens=2000, system=SYSTEM, tools=tools, messages=messages)
        messages.append({"role": "assistant", "content": response.content})
        results = []
        text = ""
        for block in response.content:
            if block.type == "text":
                text += block.text
            elif block.type == "tool_use":
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)})
        if "TASK_COMPLETE" in text:
            return response
        messages.append({"role": "user", "content": results or [{"type": "text", "text": "Continue."}]})
    raise RuntimeError("max_steps")
