"""Kata 04, ignored_max_tokens: an agent that writes reports and files, and has room for max_tokens tokens a turn.

The story, the rules and how to run the grader are in README.md, beside this file. The bug is somewhere in
here. Change what you like, but keep the name and the parameters of run_agent_loop.
"""

MODEL = "claude-sonnet-5-5"


class Truncated(Exception):
    """The model was cut off at max_tokens. The text holds what it had written until then."""

    def __init__(self, text):
        super().__init__("the answer is incomplete: it was cut off at max_tokens")
        self.text = text


def text_of(response):
    """The words of a response, without its tool calls."""
    return "".join(block.text for block in response.content if block.type == "text")


def run_tool(call, handlers):
    """Run one tool. A tool that fails is told to the model as an error, in its own words."""
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return {**result, "content": handlers[call.name](**call.input)}
    except Exception as error:
        return {**result, "content": str(error), "is_error": True}


def run_agent_loop(client, messages, tools, handlers, max_tokens=1024):
    """Let the model use tools until it has written its answer, and return the text of it."""
    while True:
        response = client.messages.create(
            model=MODEL, max_tokens=max_tokens, messages=messages, tools=tools
        )
        if response.stop_reason == "max_tokens":
            raise Truncated(text_of(response))
        calls = [block for block in response.content if block.type == "tool_use"]
        if not calls:
            return text_of(response)

        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": [run_tool(call, handlers) for call in calls]})
