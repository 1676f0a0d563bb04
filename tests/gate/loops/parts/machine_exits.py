"""How the machine ends when it has no answer to give."""


class RunEnded(Exception):  # noqa: N818  # a family, each member named for what it tells
    """The run ended without an answer; ``machine`` is the run, with messages and usage."""

    def __init__(self, message, machine, **facts):
        super().__init__(message)
        self.messages, self.text, self.usage = machine.history, machine.text, dict(machine.usage)
        self.facts = facts


class BudgetExceeded(RunEnded):
    pass


class OutputTruncated(RunEnded):
    pass


class Refusal(RunEnded):
    pass


class PauseLimit(RunEnded):
    pass


class UnknownSignal(RunEnded):
    pass


class EmptyAnswer(RunEnded):
    pass


class VerificationFailed(RunEnded):
    pass


class GoingInCircles(RunEnded):
    pass


class ContextExhausted(RunEnded):
    pass


class ApiUnavailable(RunEnded):
    pass


class StreamInterrupted(RunEnded):
    pass


class Cancelled(RunEnded):
    pass


class ToolTimeout(RunEnded):
    pass
