"""The Anthropic SDK's own tool runner, ``client.beta.messages.tool_runner``."""

from anthropic import beta_tool


def loop(client, messages, tools, handlers, model, max_tokens, max_iterations=None):
    """Run the tool runner until it is done; *max_iterations* is its own parameter."""
    return runner_of(client, messages, tools, handlers, model, max_tokens, max_iterations).until_done()


def runner_of(client, messages, tools, handlers, model, max_tokens, max_iterations, **more):
    """Return the tool runner with the handlers as its tools."""
    limits = {} if max_iterations is None else {"max_iterations": max_iterations}
    return client.beta.messages.tool_runner(
        model=model,
        max_tokens=max_tokens,
        messages=messages,
        tools=[runnable(tool, handlers[tool["name"]]) if own(tool) else tool for tool in tools],
        **limits,
        **more,
    )


def own(tool):
    """Say whether a handler of ours serves the tool; the others run at the API."""
    return tool.get("type") in (None, "custom")


def runnable(tool, handler):
    """Return the tool as the runner takes it: a function with a name, a description and a schema."""

    def call(**given):
        result = handler(**given)
        return result if isinstance(result, (str, list)) else str(result)

    return beta_tool(
        call, name=tool["name"], description=tool.get("description"), input_schema=tool["input_schema"]
    )
