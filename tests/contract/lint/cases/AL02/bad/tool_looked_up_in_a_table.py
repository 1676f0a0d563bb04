# finds: AL02 at line 15
"""A helper looks the tool up: that it may not be there is no limit of the loop."""

TABLE = {}


def execute(name, arguments):
    function = TABLE.get(name)
    if function:
        return function(**arguments)
    return "unknown tool"


def run(client, messages, tools):
    while True:
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": execute(block.name, block.input)})
        messages.append({"role": "user", "content": results})
