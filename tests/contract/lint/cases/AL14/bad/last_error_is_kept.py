# finds: AL14 at line 17
"""Keeps the last error, after it has tried everything three times."""

import logging
import time

import anthropic

log = logging.getLogger(__name__)


def send(client, request):
    problem = None
    for delay in (1, 4, 16):
        try:
            return client.messages.create(**request)
        except (anthropic.APIStatusError, TimeoutError) as error:
            problem = error
            log.warning("asking again: %s", error)
        time.sleep(delay)
    raise problem


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        request = {"model": "claude-sonnet-5-5", "max_tokens": 1024, "messages": messages, "tools": tools}
        response = send(client, request)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
