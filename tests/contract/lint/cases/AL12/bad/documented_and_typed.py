# finds: AL12 at line 14
"""With a docstring, a type, and a keyword of its own."""

from typing import Any


def run(
    client: Any,
    task: str,
    tools: list[dict[str, Any]],
    handlers: dict[str, Any],
    *,
    limit: int = 20,
    history: list[dict[str, Any]] = [],
) -> Any:
    """Return the answer to *task*."""
    history.extend([{"role": "user", "content": task}])
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=history, tools=tools
        )
        history.extend([{"role": "assistant", "content": response.content}])
        if response.stop_reason != "tool_use":
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                output = handlers[block.name](**block.input)
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": output})
        history.extend([{"role": "user", "content": results}])
    raise RuntimeError("no answer")
