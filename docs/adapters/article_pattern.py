"""The pattern of the article this project grew from: typed stop_reason, every signal named, a hard budget."""


class UnhandledStop(Exception):  # noqa: N818  # the article's own names
    """A stop_reason without a branch."""


class BudgetExceeded(Exception):  # noqa: N818
    """The loop used up its iterations."""


def loop(client, messages, tools, handlers, model, max_tokens, max_iterations=20):
    """Return the final response, or raise by name."""
    for _ in range(max_iterations):
        response = client.messages.create(model=model, max_tokens=max_tokens, tools=tools, messages=messages)
        match response.stop_reason:
            case "tool_use":
                messages.append({"role": "assistant", "content": response.content})
                messages.append({"role": "user", "content": [answer(b, handlers) for b in calls(response)]})
            case "end_turn" | "stop_sequence":
                return response
            case other:
                raise UnhandledStop(other)
    raise BudgetExceeded(max_iterations)


def calls(response):
    """Return every tool_use block."""
    return [block for block in response.content if block.type == "tool_use"]


def answer(block, handlers):
    """Run one call; what a handler raises, and a tool that nobody has, is loud."""
    return {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
