# finds: AL01 at line 15
"""A flag that the text sets, looked at in the head of the loop."""


class Agent:
    def __init__(self, client, tools, handlers, limit):
        self.client, self.tools, self.handlers, self.limit = client, tools, handlers, limit

    def say(self, response):
        return "\n".join(part.text for part in response.content if part.type == "text")

    def run(self, messages):
        finished = False
        turns = 0
        while not finished:
            turns += 1
            if turns > self.limit:
                raise TimeoutError(turns)
            answer = self.client.messages.create(model="m", max_tokens=900, messages=messages, tools=self.tools)
            messages.append({"role": "assistant", "content": answer.content})
            results = []
            for part in answer.content:
                if part.type == "tool_use":
                    output = self.handlers[part.name](**part.input)
                    results.append({"type": "tool_result", "tool_use_id": part.id, "content": output})
            if results:
                messages.append({"role": "user", "content": results})
            finished = self.say(answer).strip().endswith("FINISHED")
        return answer
