import anthropic


class Client:
    def __init__(self, client):
        self.client = client
        self.extras = {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}

    def _drop(self, reason):
        named = next((name for name in self.extras if name in reason), None)
        return named and self.extras.pop(named)

    def ask(self, **request):
        last = None
        for _ in range(4):
            try:
                return self.client.messages.create(**request, **self.extras)
            except anthropic.BadRequestError as error:
                if self._drop(str(error)) is None:
                    raise
                last = error
        raise last
