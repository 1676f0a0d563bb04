"""Words of the answer are looked at for the log and for a metric, not for control."""

import logging

log = logging.getLogger("agent")


def run(client, messages, tools, handlers, metrics, max_turns=20):
    for turn in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        text = " ".join(b.text for b in response.content if b.type == "text")
        if "error" in text.lower() or "sorry" in text.lower():
            log.warning("turn %d speaks of an error: %s", turn, text[:200])
            metrics.increment("speaks_of_error")
        if text:
            log.info("said: %s", text)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append(
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                    for b in response.content
                    if b.type == "tool_use"
                ],
            }
        )
    raise RuntimeError("turns")
