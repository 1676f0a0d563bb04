"""Turns and blocks as the machine keeps them: plain dictionaries."""

import copy
import json


def without_calls(blocks):
    return [block for block in blocks if block["type"] != "tool_use"]


def not_run(call, why):
    content = f"No result for {call['name']}: {why}."
    return {"type": "tool_result", "tool_use_id": call["id"], "content": content, "is_error": True}


def as_blocks(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def as_dict(message):
    content = message["content"]
    if isinstance(content, str):
        return {"role": message["role"], "content": content}
    blocks = [block if isinstance(block, dict) else block.to_dict(warnings=False) for block in content]
    kept = [block for block in blocks if block["type"] != "text" or block["text"].strip()]
    return {"role": message["role"], "content": copy.deepcopy(kept)}


def as_content(value):
    match value:
        case None | "" | []:
            return "(the tool said nothing)"
        case str():
            return value
        case [{"type": str()}, *_]:
            return value
        case _:
            return json.dumps(value, ensure_ascii=False, default=str)


def close_open_calls(history):
    """Answer what an earlier run left open, and make sure that the user has the last word."""
    whole = []
    for turn in history:
        if whole and whole[-1]["role"] == "assistant":
            calls = [b for b in as_blocks(whole[-1]["content"]) if b["type"] == "tool_use"]
            blocks = as_blocks(turn["content"]) if turn["role"] == "user" else []
            given = {block.get("tool_use_id") for block in blocks}
            lost = [
                not_run(call, "the run was interrupted, and it may have had an effect")
                for call in calls
                if call["id"] not in given
            ]
            if lost and turn["role"] == "user":
                turn = {"role": "user", "content": [*lost, *blocks]}
            elif lost:
                whole.append({"role": "user", "content": lost})
        if turn["content"]:
            whole.append(turn)
    if whole and whole[-1]["role"] == "assistant":
        last = as_blocks(whole[-1]["content"])
        lost = [
            not_run(call, "the run was interrupted, and it may have had an effect")
            for call in last
            if call["type"] == "tool_use"
        ]
        if lost:
            whole.append({"role": "user", "content": lost})
        elif last[-1]["type"] == "text":
            whole.append({"role": "user", "content": "Please carry on."})
    return whole
