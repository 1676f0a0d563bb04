# finds: AL03 at line 24
"""One helper makes all results, and knows of no errors."""


def tool_result(block, text):
    return dict(type="tool_result", tool_use_id=block.id, content=text)


def turns(client, messages, tools, handlers, most=20):
    for _ in range(most):
        with client.messages.stream(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        ) as stream:
            response = stream.get_final_message()
        yield response
        if response.stop_reason != "tool_use":
            return
        answers = []
        for block in response.content:
            if block.type == "tool_use":
                try:
                    answers.append(tool_result(block, handlers[block.name](**block.input)))
                except Exception as error:
                    answers.append(tool_result(block, str(error)))
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": answers})
    raise RuntimeError("no answer")
