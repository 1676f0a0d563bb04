"""What each step makes of a state. Pure; see ``state.py`` for the machine and its rules.

Control is by the typed ``stop_reason`` alone: of what the model wrote, only its emptiness is looked at.
"""

from __future__ import annotations

from typing import assert_never

from simulator.loop.budget import NOTHING, Spend, charge
from simulator.loop.exits import (
    ContextFull,
    Fatal,
    Finished,
    NoProgress,
    PausedTooOften,
    Refused,
    Truncated,
    UnhandledSignal,
    Unverified,
)
from simulator.loop.failures import Hopeless, Invalid, TooLong, Transient
from simulator.loop.outcome import Outcome
from simulator.loop.progress import Seen, Verdict
from simulator.loop.sending import next_cut, size
from simulator.loop.state import (
    Acted,
    Answer,
    Answered,
    Checked,
    Compacted,
    Failed,
    State,
    Step,
    Stopped,
    Waited,
    append,
    close,
    end,
    lawful,
    open_calls,
)
from simulator.loop.transcript import assistant, user, with_note, words
from simulator.text import say
from simulator.wire.message import Turn, of_type


def reduce(state: State, step: Step) -> State:
    """Return the state after *step*. Raises IllegalMove for a step that cannot happen in this phase."""
    spent = state._replace(spend=state.spend.plus(_cost(step), step.at))
    return lawful(state, step, _after(spent, step))


def _cost(step: Step) -> Spend:
    """Return what *step* cost, the time aside."""
    match step:
        case Answered(spend=spend):
            return spend
        case Failed():
            return Spend(requests=1)
        case Acted(outcomes=outcomes) | Stopped(outcomes=outcomes):
            return sum((outcome.spend for outcome in outcomes), NOTHING)
        case _:
            return NOTHING


def _after(state: State, step: Step) -> State:
    match step:
        case Answered():
            return _signal(state._replace(answer=step.answer, failed=0), step.answer)
        case Failed():
            return _failed(state, step)
        case Waited():
            return state._replace(phase="ask", pause=0.0)
        case Acted():
            return _acted(state, step.outcomes)
        case Checked():
            return _checked(state, step)
        case Compacted():
            return _compacted(state, step)
        case Stopped(exit=ending, outcomes=outcomes):
            return end(append(state, user(o.block() for o in outcomes)) if outcomes else state, ending)
        case _:
            assert_never(step)


# --- an answer -----------------------------------------------------------------------------------------


def _signal(state: State, answer: Answer) -> State:
    """Route by ``stop_reason``: every value has its branch, and an unknown one an exit of its own."""
    calls = of_type(answer.content, "tool_use")
    said = append(state, *assistant(answer.content))
    match answer.stop_reason:
        case "tool_use" | "pause_turn" if calls:
            return said._replace(phase="act", pauses=0)
        case "end_turn" | "stop_sequence":
            return _says_done(close(said._replace(pauses=0), "ended"), answer)
        case "pause_turn":
            if state.pauses >= state.policy.pauses:
                return end(said, PausedTooOften(state.pauses + 1))
            return ask(said._replace(pauses=state.pauses + 1))
        case "max_tokens":
            return _truncated(state, said, tuple(str(call.get("name")) for call in calls))
        case "refusal":
            return end(said, Refused(answer.text))
        case "model_context_window_exceeded":
            # Half an answer cannot stand before the next request, so it is kept only where it is the last.
            return (
                _too_long(state)
                if state.policy.compaction
                else end(said, ContextFull(_used(answer), None, answer.stop_reason))
            )
        case other:
            return end(said, UnhandledSignal(other))


def _says_done(state: State, answer: Answer) -> State:
    """The model has nothing to add: an empty answer is asked about, a check is asked, or it is finished."""
    if not answer.text.strip():
        if state.nudges < state.policy.nudges:
            nudged = append(state, words(say("loop.model.nudge")))
            return ask(nudged._replace(nudges=state.nudges + 1))
        return end(state, Unverified(say("loop.mistake.empty_answer"), state.rounds))
    if state.policy.check is not None:
        return state._replace(phase="check")
    return end(state, Finished(str(answer.stop_reason)))


def _truncated(state: State, said: State, names: tuple[str, ...]) -> State:
    """What was cut is never run. The same request with more room is sent a bounded number of times."""
    if state.enlarged < state.policy.truncation_retries:
        return ask(state._replace(max_tokens=state.max_tokens * 2, enlarged=state.enlarged + 1))
    return end(said, Truncated(state.max_tokens, names))


# --- failures ------------------------------------------------------------------------------------------


def _failed(state: State, step: Failed) -> State:
    failure, failed = step.failure, state.failed + 1
    now = state._replace(failed=failed, failures=(*state.failures, failure))
    match failure:
        case Transient():
            wait = state.policy.retry.wait(failure, failed)
            if wait is None:
                return end(now, Fatal("api", failure.reason, failed, step.error))
            return now._replace(phase="wait", pause=wait)
        case TooLong():
            return _too_long(now._replace(failed=0))
        case Hopeless() | Invalid():
            return end(now, Fatal("api", failure.reason, failed, step.error))
        case _:
            assert_never(failure)


def _too_long(state: State) -> State:
    compaction = state.policy.compaction
    if compaction is None:
        return end(state, ContextFull(_used(state.answer), None))
    return state._replace(phase="shrink", forced=True)


def _used(answer: Answer | None) -> int:
    """Return the tokens that the last answered request and its answer had, as the API counted them."""
    return charge(answer.usage, None).tokens if answer else 0


# --- tools ---------------------------------------------------------------------------------------------


def _acted(state: State, outcomes: tuple[Outcome, ...]) -> State:
    """Answer every call in one user turn, tell of repetitions, and see whether to go on."""
    seen = [Seen(str(o.call.get("name")), o.call.get("input"), [o.content, o.is_error]) for o in outcomes]
    patience = state.policy.patience
    progress, verdicts = state.progress.after(seen, patience) if patience else (state.progress, [])
    now = append(state, _answers(outcomes, verdicts), progress=progress)
    broken = next((o for o in outcomes if o.fatal), None)
    if broken is not None:
        return end(now, Fatal("tool", str(broken.content), broken.attempts, broken.error))
    for call, verdict in zip(seen, verdicts, strict=False):
        if verdict.word in ("repeated", "quiet", "polled"):
            given = call.input if isinstance(call.input, dict) else {}
            return end(now, NoProgress(verdict.word, call.name, given, verdict.times))
    return ask(now)


def _answers(outcomes: tuple[Outcome, ...], verdicts: list[Verdict]) -> Turn:
    results = [outcome.block() for outcome in outcomes]
    for index, verdict in enumerate(verdicts):
        if verdict.word == "repeat":
            results[index] = with_note(results[index], say("loop.model.repeat", times=verdict.times))
    return user(results)


# --- the check, and the size ---------------------------------------------------------------------------


def _checked(state: State, step: Checked) -> State:
    if step.error is not None:
        return end(state, Fatal("check", str(step.error) or type(step.error).__name__, 1, step.error))
    if step.problem is None:
        return end(state, Finished(str(state.answer.stop_reason if state.answer else None)))
    if state.rounds >= state.policy.rounds:
        return end(state, Unverified(step.problem, state.rounds))
    told = append(state, words(say("loop.model.check_failed", problem=step.problem)))
    return ask(told._replace(rounds=state.rounds + 1))


def ask(state: State) -> State:
    """Return *state* about to ask the model: at once, or after older turns are told instead of sent."""
    compaction = state.policy.compaction
    if compaction is None or open_calls(state):
        return state._replace(phase="ask")
    now = size(state)
    large = now >= compaction.share * compaction.context
    useful = large and (now > compaction.context or next_cut(state) is not None)
    return state._replace(phase="shrink" if useful else "ask")


def _compacted(state: State, step: Compacted) -> State:
    compaction = state.policy.compaction
    assert compaction is not None, "only a run with compaction shrinks"
    no_help = state.forced and step.dropped is None
    dropped = state.dropped if step.dropped is None else (*state.dropped, step.dropped)
    found = state.findings if step.dropped is None else step.dropped.findings
    now = state._replace(cut=step.cut, findings=found, dropped=dropped, forced=False)
    if no_help or step.size > compaction.context:
        return end(now, ContextFull(step.size, compaction.context))
    return now._replace(phase="ask")
