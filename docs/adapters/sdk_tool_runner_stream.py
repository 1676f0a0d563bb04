"""The Anthropic SDK's own tool runner, streaming."""

from sdk_tool_runner import runner_of


def loop(client, messages, tools, handlers, model, max_tokens, max_iterations=None):
    """Run the streaming tool runner until it is done and return its last message."""
    message = None
    for stream in runner_of(
        client, messages, tools, handlers, model, max_tokens, max_iterations, stream=True
    ):
        message = stream.get_final_message()
    return message
