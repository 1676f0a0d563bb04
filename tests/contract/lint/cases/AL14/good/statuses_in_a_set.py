"""Retries by status, within a loop of its own."""

import random
import time

from anthropic import APIConnectionError, APIStatusError

RETRYABLE = {408, 409, 429, 500, 502, 503, 504, 529}
TRIES = 5


def request(client, **params):
    for attempt in range(TRIES):
        try:
            return client.messages.create(**params)
        except APIStatusError as error:
            if error.status_code not in RETRYABLE or attempt == TRIES - 1:
                raise
        except APIConnectionError:
            if attempt == TRIES - 1:
                raise
        time.sleep(2**attempt + random.random())
    raise AssertionError("unreachable")


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = request(client, model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = []
        for b in response.content:
            if b.type == "tool_use":
                results.append({"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("turns")
