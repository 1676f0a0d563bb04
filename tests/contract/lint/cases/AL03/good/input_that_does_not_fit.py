"""Inputs are validated by pydantic; what does not fit is told to the model."""

from pydantic import BaseModel, ValidationError


class Search(BaseModel):
    query: str
    limit: int = 5


class Agent:
    def __init__(self, client, settings):
        self.client = client
        self.settings = settings
        self.models = {"search": Search}

    async def run(self, messages):
        for _ in range(self.settings.max_turns):
            response = await self.client.messages.create(
                model=self.settings.model,
                max_tokens=self.settings.max_tokens,
                tools=[
                    {"name": name, "description": name, "input_schema": model.model_json_schema()}
                    for name, model in self.models.items()
                ],
                messages=messages,
            )
            messages.append({"role": "assistant", "content": [b.model_dump() for b in response.content]})
            if response.stop_reason != "tool_use":
                return response
            results = []
            for block in response.content:
                if block.type == "tool_use":
                    try:
                        arguments = self.models[block.name].model_validate(block.input)
                    except ValidationError as problem:
                        results.append(
                            {"type": "tool_result", "tool_use_id": block.id, "content": problem.json(), "is_error": True}
                        )
                        continue
                    results.append(
                        {"type": "tool_result", "tool_use_id": block.id, "content": await self.search(arguments)}
                    )
            messages.append({"role": "user", "content": results})
        raise RuntimeError("no end")

    async def search(self, arguments): ...
