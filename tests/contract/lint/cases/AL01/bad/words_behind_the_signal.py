# finds: AL01 at line 20
"""end_turn is not believed until the right word is there."""


def converse(client, log, tools, handlers, most):
    asked = 0
    while asked < most:
        asked += 1
        response = client.messages.create(model="m", max_tokens=500, messages=log, tools=tools)
        log.append({"role": "assistant", "content": response.content})
        match response.stop_reason:
            case "tool_use":
                results = []
                for block in response.content:
                    if block.type == "tool_use":
                        output = handlers[block.name](block.input)
                        results.append(dict(type="tool_result", tool_use_id=block.id, content=output))
                log.append({"role": "user", "content": results})
            case "end_turn":
                if "TASK COMPLETE" in response.content[-1].text:
                    return response
                log.append({"role": "user", "content": "Go on."})
            case other:
                raise RuntimeError(other)
    raise RuntimeError("no end")
