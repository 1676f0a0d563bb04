"""tenacity asks a function whether it makes sense."""
import anthropic
from tenacity import retry, retry_if_exception, retry_if_exception_type, retry_if_not_exception_type, stop_after_attempt


@retry(
    retry=retry_if_exception_type(anthropic.APIError) & retry_if_not_exception_type(anthropic.BadRequestError),
    stop=stop_after_attempt(4),
)
def ask(client, **params):
    return client.messages.create(**params)


@retry(retry=retry_if_exception(lambda e: getattr(e, "status_code", 0) in (429, 529)), stop=stop_after_attempt(4))
def ask_beta(client, **params):
    return client.beta.messages.create(**params)


def run(client, messages, tools, handlers, beta=False, max_turns=20):
    request = ask_beta if beta else ask
    for _ in range(max_turns):
        response = request(client, model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": [handlers(b) for b in response.content if b.type == "tool_use"]})
    raise TimeoutError
