"""tenacity for what passes by itself."""

import anthropic
from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_exponential

client = anthropic.Anthropic(max_retries=0)


@retry(
    retry=retry_if_exception_type((anthropic.RateLimitError, anthropic.InternalServerError, anthropic.APIConnectionError)),
    wait=wait_exponential(max=60),
    stop=stop_after_attempt(6),
    reraise=True,
)
def ask(messages, tools):
    return client.messages.create(model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools)


def run(messages, tools, handlers, max_turns=20):
    turns = 0
    while True:
        if turns == max_turns:
            raise RuntimeError("turn limit")
        turns += 1
        response = ask(messages, tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](block.input)})
        messages.append({"role": "user", "content": results})
