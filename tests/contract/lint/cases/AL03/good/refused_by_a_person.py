"""Somebody approves each call that writes; what is refused is told as an error."""

import anthropic

DANGEROUS = frozenset({"write_file", "run_shell"})


def approved(block):
    answer = input(f"Run {block.name} with {block.input}? [y/N] ")
    return answer.strip().lower().startswith("y")


def run(client: anthropic.Anthropic, messages, tools, handlers, *, max_turns=25):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=2000, tools=tools, messages=messages)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = []
        for block in response.content:
            if block.type != "tool_use":
                continue
            result = {"type": "tool_result", "tool_use_id": block.id}
            if block.name in DANGEROUS and not approved(block):
                result |= {"content": "The user refused this call.", "is_error": True}
            else:
                result["content"] = handlers[block.name](**block.input)
            results.append(result)
        messages.append({"role": "user", "content": results})
    raise RuntimeError("turns")
