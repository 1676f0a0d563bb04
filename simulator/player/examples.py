"""Small loops to look at: one that is whole, and the same with one thing wrong.

They are written out one by one on purpose, so that the source beside the player reads from top to bottom.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def whole_loop(
    client: Any, messages: list[Json], tools: list[Json], handlers: Json, model: str, max_turns: int = 20
) -> Any:
    """Ask, run what is asked for, feed the results back; until the model stops asking."""
    for _ in range(max_turns):
        response = client.messages.create(model=model, max_tokens=1024, tools=tools, messages=messages)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                result = {"type": "tool_result", "tool_use_id": block.id}
                try:
                    result["content"] = handlers[block.name](**block.input)
                except Exception as error:
                    result["content"] = str(error)
                    result["is_error"] = True
                results.append(result)
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer within max_turns")


def no_append(
    client: Any, messages: list[Json], tools: list[Json], handlers: Json, model: str, max_turns: int = 5
) -> Any:
    """Run the tool and keep nothing: the next request is the same as the last."""
    for _ in range(max_turns):
        response = client.messages.create(model=model, max_tokens=1024, tools=tools, messages=messages)
        if response.stop_reason != "tool_use":
            return response
        for block in response.content:
            if block.type == "tool_use":
                handlers[block.name](**block.input)
    raise RuntimeError("no answer within max_turns")


def no_id(
    client: Any, messages: list[Json], tools: list[Json], handlers: Json, model: str, max_turns: int = 20
) -> Any:
    """Feed the results back without saying which call each one answers."""
    for _ in range(max_turns):
        response = client.messages.create(model=model, max_tokens=1024, tools=tools, messages=messages)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                results.append({"type": "tool_result", "content": handlers[block.name](**block.input)})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer within max_turns")


def text_decides(
    client: Any, messages: list[Json], tools: list[Json], handlers: Json, model: str, max_turns: int = 20
) -> Any:
    """End when the text says so, whatever the stop_reason says."""
    for _ in range(max_turns):
        response = client.messages.create(model=model, max_tokens=1024, tools=tools, messages=messages)
        messages.append({"role": "assistant", "content": response.content})
        text = "".join(block.text for block in response.content if block.type == "text")
        if "done" in text.lower() or response.stop_reason == "end_turn":
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                output = handlers[block.name](**block.input)
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": output})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer within max_turns")


LOOPS = {"whole": whole_loop, "no_append": no_append, "no_id": no_id, "text_decides": text_decides}
"""The loops of the picker, by the ids of their names in the catalogue."""
