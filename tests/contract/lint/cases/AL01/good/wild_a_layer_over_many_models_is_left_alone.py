class Agent:
    """The model is whatever the caller brings; what its answers mean is settled elsewhere."""

    def __init__(self, model, environment):
        self.model, self.environment, self.messages = model, environment, []

    def run(self, task):
        self.messages = [{"role": "user", "content": task}]
        while True:
            message = self.model.query(self.messages)
            self.messages.append(message)
            if "TASK_COMPLETE" in message["content"]:
                return message["content"]
            output = self.environment.execute(message["content"])
            self.messages.append({"role": "user", "content": output})
