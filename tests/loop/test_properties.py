"""Whatever model, API and tools do: lawful requests, calls answered once, exact budgets, a named end."""

from itertools import count
from typing import Any, get_args

from hypothesis import event, given, settings
from hypothesis import strategies as st

from simulator.loop import Budget, Compaction, OverBudget, Patience, Retry
from simulator.loop.exits import Exit
from simulator.wire.message import calls
from simulator.wire.stream import to_events
from tests.loop.made import ApiFailure, Fake, call, play, resendable, results, says

SIGNALS = (
    "end_turn",
    "tool_use",
    "tool_use",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
    "signal_of_tomorrow",
)
DISCARDED = ("max_tokens", "model_context_window_exceeded")
"""Answers that may be asked for again."""
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"}
TOO_LONG = ApiFailure(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")

names = st.sampled_from(["count", "weigh", "sell", "unknown", "count"])
inputs = st.sampled_from([{}, {"n": 1}, {"n": 2}, {"path": "a", "deep": {"x": [1, None]}}])
words = st.sampled_from(["", " \n", "I will look.", "Done."])
asked = st.lists(st.tuples(names, inputs), max_size=4)
answers = st.tuples(st.just("answer"), st.sampled_from(SIGNALS), words, asked, st.booleans())
busy = st.tuples(st.just("answer"), st.just("tool_use"), words, asked.filter(bool), st.booleans())
failures = st.tuples(st.just("failure"), st.sampled_from([429, 500, 529, 408, 429, 401, 413, "long", "gone"]))
cuts = st.tuples(st.just("cut"), st.integers(0, 9), asked)
interrupts = st.tuples(st.just("interrupt"))
# Mostly answers: a run that ends at its first line shows little.
lines = st.one_of(busy, busy, busy, busy, answers, answers, answers, failures, cuts, interrupts)
outcomes = st.lists(
    st.sampled_from(["12", "12", "12", "", None, [], "long", "raise"]),
    min_size=1,
    max_size=6,
)


class Model(Fake):
    """Plays generated lines, with fresh ids, streamed or not; at the end of them it is done."""

    def __init__(self, script: list[Any], streamed: bool) -> None:
        self.ids = count(1)
        self.pending: list[str] = []  # server tools whose result opens the next answer that is kept
        super().__init__(*(self.line(each, streamed) for each in script), self.line(FINISH, streamed))

    def asks(self, wanted: list[Any]) -> list[Any]:
        return [call(f"toolu_{next(self.ids)}", name, **given) for name, given in wanted]

    def line(self, drawn: Any, streamed: bool) -> Any:
        match drawn:
            case ("answer", signal, text, wanted, thinks):
                found = [
                    {"type": "web_search_tool_result", "tool_use_id": each, "content": []}
                    for each in self.pending
                ]
                blocks = [*found, *[THOUGHT] * thinks, *[text] * bool(text or not wanted), *self.asks(wanted)]
                if signal not in DISCARDED:
                    self.pending = []
                if signal == "pause_turn" and not wanted:
                    self.pending = [f"srvtoolu_{next(self.ids)}"]
                    blocks.append(
                        {"type": "server_tool_use", "id": self.pending[0], "name": "web_search", "input": {}}
                    )
                message = says(*blocks, stop=signal)
                return {"events": to_events(message)} if streamed else message
            case ("failure", "long"):
                return TOO_LONG
            case ("failure", "gone"):
                return ConnectionError("gone")
            case ("failure", status):
                return ApiFailure(status)
            case ("cut", kept, wanted):
                message = says("Some words.", *self.asks(wanted), stop=None)
                return {"events": to_events(message)[:kept]} if streamed else message
            case _:
                return KeyboardInterrupt()


FINISH = ("answer", "end_turn", "All done.", [], False)


def handlers(behaviour: list[Any]) -> dict[str, Any]:
    turns = count()

    def handler(**given: Any) -> Any:
        how = behaviour[next(turns) % len(behaviour)]
        if how == "raise":
            raise OSError("it broke")
        if how == "ctrl-c":
            raise KeyboardInterrupt
        return "x" * 900 if how == "long" else how

    return dict.fromkeys(("count", "weigh", "sell"), handler)


def answered_once(messages: list[Any]) -> None:
    """Fail unless each call is answered exactly once, in the very next turn, in order."""
    for index, turn in enumerate(messages):
        wanted = [each["id"] for each in calls([turn])]
        if wanted:
            assert [r["tool_use_id"] for r in results(messages[index + 1])] == wanted
    made = [each["id"] for each in calls(messages)]
    given_back = [r["tool_use_id"] for turn in messages[1:] if turn["role"] == "user" for r in results(turn)]
    assert sorted(made) == sorted(given_back)
    assert len(set(made)) == len(made)


@settings(max_examples=300)
@given(
    script=st.lists(lines, max_size=10),
    behaviour=st.one_of(outcomes, outcomes, st.just(["12"]), st.just(["12", "ctrl-c"])),
    steps=st.one_of(st.sampled_from([0, 1, 2]), st.integers(3, 20), st.integers(3, 20)),
    streamed=st.booleans(),
    context=st.sampled_from([None, 150, 400, 2_000]),
    parallel=st.sampled_from([1, 3]),
    tell=st.booleans(),
)
def test_any_conversation_is_lawful_answered_bounded_and_ends_by_name(
    script: list[Any],
    behaviour: list[Any],
    steps: int,
    streamed: bool,
    context: int | None,
    parallel: int,
    tell: bool,
) -> None:
    client = Model(script, streamed)
    result = play(
        client,
        handlers=handlers(behaviour),
        budget=Budget(steps=steps),
        retry=Retry(attempts=2),
        patience=Patience(),
        compaction=Compaction(context, pinned=("A fact.",)) if context else None,
        parallel=parallel,
        on_stream=(lambda event: None) if streamed else None,
        on_tool_error="tell" if tell else "propagate",
        truncation_retries=1,
        pauses=2,
    )
    event(type(result.exit).__name__)
    assert isinstance(result.exit, get_args(Exit))
    assert result.sentence()
    answered_once(result.messages)
    resendable(result.messages)
    assert result.spend.steps <= steps
    if isinstance(result.exit, OverBudget):
        assert result.spend.steps == steps
    assert result.spend.requests <= len(client.sent) <= result.spend.requests + 1  # Ctrl-C within a request
    assert [entry.n for entry in result.events] == list(range(1, len(result.events) + 1))
    assert result.events[-1].exit == result.exit


@settings(max_examples=100)
@given(
    wanted=st.lists(asked.filter(bool), max_size=8),
    extra=st.integers(0, 3),
)
def test_a_budget_is_exact_for_any_number_of_steps(wanted: list[Any], extra: int) -> None:
    needed = len(wanted) + 1
    script = [("answer", "tool_use", "", each, False) for each in wanted]
    for steps in {0, 1, 2, needed - 1, needed, needed + extra}:
        client = Model(script, streamed=False)
        result = play(client, budget=Budget(steps=steps), patience=None)
        assert len(client.sent) == min(steps, needed)
        assert result.finished == (steps >= needed)


@settings(max_examples=100)
@given(wanted=asked.filter(bool), cut=st.integers(0, 4), text=st.booleans())
def test_any_prefix_of_a_transcript_can_be_taken_up(wanted: list[Any], cut: int, text: bool) -> None:
    """A run killed anywhere, its history saved as far as it got, goes on lawfully."""
    first = play(Model([("answer", "tool_use", "Look.", wanted, True)] * 1, streamed=False))
    history = first.messages[: max(1, cut)]
    if history[-1]["role"] == "assistant" and not list(calls([history[-1]])):
        history.append({"role": "user", "content": "And now?"})
    if text and history[-1]["role"] == "assistant":
        history.append({"role": "user", "content": "Go on."})
    again = play(Model([], streamed=False), messages=history)
    assert again.finished
