"""Plain HTTP; blocks are dictionaries."""

import os

import requests

URL = "https://api.anthropic.com/v1/messages"


class ApiError(Exception):
    pass


def post(body):
    response = requests.post(
        URL,
        json=body,
        headers={"x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"},
        timeout=60,
    )
    if response.status_code != 200:
        raise ApiError(response.text)
    return response.json()


def run(messages, tools, handlers, max_turns=10):
    for _ in range(max_turns):
        answer = post({"model": "m", "max_tokens": 1000, "messages": messages, "tools": tools})
        messages.append({"role": "assistant", "content": answer["content"]})
        if answer["stop_reason"] != "tool_use":
            return answer
        results = []
        for block in answer["content"]:
            if block["type"] == "tool_use":
                results.append(
                    {"type": "tool_result", "tool_use_id": block["id"], "content": handlers[block["name"]](**block["input"])}
                )
        messages.append({"role": "user", "content": results})
    raise RuntimeError("turns")
