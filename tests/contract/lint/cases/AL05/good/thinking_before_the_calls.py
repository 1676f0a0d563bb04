"""Thinking goes back as it came; it is shown in grey."""

from rich.console import Console

console = Console()


def run(client, messages, tools, handlers, *, turns: int = 12, thinking_tokens: int = 4000):
    while turns > 0:
        response = client.messages.create(
            model="claude-opus-5",
            max_tokens=16000,
            thinking={"type": "enabled", "budget_tokens": thinking_tokens},
            tools=tools,
            messages=messages,
        )
        turns -= 1
        results = []
        for block in response.content:
            match block.type:
                case "thinking":
                    console.print(block.thinking, style="dim")
                case "redacted_thinking":
                    console.print("(redacted)", style="dim")
                case "text":
                    console.print(block.text)
                case "tool_use":
                    results.append(
                        {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
                    )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": results})
    raise RuntimeError("turns")
