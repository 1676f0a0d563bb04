"""Family m: a streamed answer is the same answer; a stream that broke off is none.

Rules of this file:

1. Only loops that ask for a stream are judged: by an option, or always.
2. A stream that came to its end has a ``stop_reason``; one that broke off has none, whatever had arrived.
3. A call that was run, or sent back, had arrived: who does only one of it does so without a stream, too.
4. What a loop makes of a broken answer is its own choice, as long as nothing of it runs and nobody takes it
   for whole: ask again, tell the model that it was cut, or end and say so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.gate.judgements import truncation
from simulator.gate.judgements.alarm import heard
from simulator.gate.judgements.echo import as_sent, turn_with
from simulator.gate.judgements.ending import outcome, squeeze, texts, yielded
from simulator.gate.judgements.reading import FINAL, Exchange, Ran, call_form, clip, exchanges, result_text
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, not_applicable, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

SHORT = 12
"""Characters up to which a piece of text may well stand twice in a conversation."""

SAYS_BROKEN = re.compile(
    r"incomplete|interrupt|broke|\bcut\b|cut[ _-]?(?:off|short)|truncat|unfinished|partial|premature|dropped"
    r"|connection|disconnect|stream(?:ing)?[ _-]?(?:error|cut|ended|failed|closed)|overload|no stop_reason"
    r"|stop_reason (?:is )?(?:none|missing)|\berrors?\b|\bfail(?:ed|ure)?\b|unhandled"
    r"|incomplet|interrump|cortad|truncad|inacabad|parcial|conexi[oó]n|sobrecarg|fall[oó]"
    r"|sin (?:terminar|acabar)",
    re.IGNORECASE,
)
"""Words by which a caller, or the model, learns that an answer did not arrive whole."""


def says_the_same(trace: Trace) -> Verdict:
    """Streamed, every call has the input the model gave it, and every answer goes back and comes out whole.

    Findings: ``garbled`` (a handler got another input), ``lost`` (a call that was never run), ``altered``
    (another assistant turn was sent back), ``no_text`` (the last answer's text did not come out).
    """
    seen = exchanges(trace)
    if not any(map(_streamed, seen)):
        return _no_stream(seen)
    judged = False
    for place, one in enumerate(seen):
        if not _streamed(one) or one.signal is None:
            continue
        after = seen[place + 1] if place + 1 < len(seen) else None
        found = _calls(one, after) or (_echo(one, after) if after else _text(trace, one))
        if found is not None:
            return found
        judged = judged or after is not None
    return holds() if judged else unknown()


def reads_the_signal(trace: Trace) -> Verdict:
    """The ``stop_reason`` that comes at the end of a stream is the one that counts.

    Findings: ``ran_cut`` (a call cut at ``max_tokens`` was run), ``untold`` (an answer cut there was handed
    back as whole).
    """
    seen = exchanges(trace)
    if not any(map(_streamed, seen)):
        return _no_stream(seen)
    ran, told = truncation.never_runs_a_cut_call(trace), truncation.is_told(trace)
    if ran.outcome == "fail":
        return broken("streaming.ran_cut", ran.turn, call=ran.facts["ran"])
    if told.finding in ("truncation.taken_for_whole", "truncation.call_untold"):
        return broken("streaming.untold", told.turn, value=outcome(trace), text=told.facts["text"])
    return holds() if told.outcome == "pass" else unknown()


def drops_broken_answers(trace: Trace) -> Verdict:
    """Nothing of an answer that broke off runs or is taken for whole, and none of it stands twice.

    Findings: ``ran_a_piece``, ``taken_for_whole``, ``made_up`` (a result for a call that never ran),
    ``glued`` (the piece stands in front of the whole answer), ``twice`` (its call does).
    """
    seen = exchanges(trace)
    if not any(map(_streamed, seen)):
        return _no_stream(seen)
    one = next((each for each in seen if _broke_off(each)), None)
    if one is None:
        return unknown()
    facts: dict[str, object] = {"came": _what_came(one), "before": one.turn}
    later = [each for each in seen if each.turn > one.turn]
    ran = _ran_a_piece(one, later)
    if ran is not None:
        return broken("streaming.ran_a_piece", one.turn, **facts, call=call_form(ran.name, ran.input))
    if not later:
        return _ended(trace, seen, one, facts)
    return _made_up(one, later[0], facts) or _glued(trace, one, later, facts) or holds()


def _streamed(one: Exchange) -> bool:
    return one.request.parameters.get("stream") is True


def _no_stream(seen: list[Exchange]) -> Verdict:
    return not_applicable("streaming.no_stream") if seen else unknown()


def _broke_off(one: Exchange) -> bool:
    answered = _streamed(one) and one.response is not None and one.response.status == 200
    return answered and one.signal is None


def _calls(one: Exchange, after: Exchange | None) -> Verdict | None:
    """Judge what was run of a whole answer."""
    asked: list[tuple[object, object]] = [(block.get("name"), block.get("input")) for block in one.asked]
    ran: list[tuple[object, object]] = [(each.name, each.input) for each in one.ran]
    wrong = next((each for each in ran if each not in asked), None)
    if wrong is not None:
        meant = next((call for call in asked if call[0] == wrong[0]), asked[0] if asked else ("-", {}))
        facts = {"asked": call_form(*meant), "call": call_form(*wrong)}
        return broken("streaming.garbled", one.turn, **facts)
    kept = turn_with(one.asked, after) if after is not None else None
    sent = [(block.get("name"), block.get("input")) for block in wire.of_type(kept, "tool_use")]
    missing = next((call for call in asked if call not in ran and call not in sent), None)
    if missing is not None and after is not None and one.signal == "tool_use":
        facts = {"call": call_form(*missing), "ran": str(len(ran)), "of": str(len(asked))}
        return broken("streaming.lost", one.turn, **facts)
    return None


def _echo(one: Exchange, after: Exchange) -> Verdict | None:
    """Judge the assistant turn that was sent back."""
    had, sent = as_sent(one), turn_with(one.asked, after)
    if sent is None or sent == [block for block in had if block in sent or not _was_run(block, one)]:
        return None
    path, was, now = wire.first_difference(had, sent) or ("", "", "")
    facts = {"before": one.turn, "path": path, "was": _shown(was), "sent": _shown(now)}
    return broken("streaming.altered", after.turn, **facts)


def _was_run(block: wire.Block, one: Exchange) -> bool:
    return any((ran.name, ran.input) == (block.get("name"), block.get("input")) for ran in one.ran)


def _text(trace: Trace, one: Exchange) -> Verdict | None:
    """Judge what came out of the last answer."""
    if one.signal not in FINAL or trace.exit.reason != "returned" or not one.text:
        return None
    if squeeze(one.text) in squeeze(" ".join(texts(trace.exit.value))) or yielded(trace, one.text):
        return None
    return broken("streaming.no_text", one.turn, text=clip(one.text, 60), value=outcome(trace))


def _ran_a_piece(one: Exchange, later: list[Exchange]) -> Ran | None:
    """Return what was run of the broken answer *one*, then or beside the calls of a whole one."""
    if one.ran:
        return one.ran[0]
    for each in later:
        asked = [(block.get("name"), block.get("input")) for block in each.asked]
        for ran in each.ran:
            if (ran.name, ran.input) not in asked:
                return ran
    return None


def _ended(trace: Trace, seen: list[Exchange], one: Exchange, facts: dict[str, object]) -> Verdict:
    told = heard(trace, seen, SAYS_BROKEN)
    if told is None:
        return unknown()
    return holds() if told else broken("streaming.taken_for_whole", one.turn, **facts, value=outcome(trace))


def _made_up(one: Exchange, after: Exchange, facts: dict[str, object]) -> Verdict | None:
    """Find a result for the broken call that does not say that the call never ran."""
    ids = {block.get("id") for block in one.asked}
    for block in wire.results(after.messages):
        said = result_text(block.get("content"))
        if block.get("tool_use_id") in ids and not block.get("is_error") and not SAYS_BROKEN.search(said):
            return broken("streaming.made_up", after.turn, **facts, sent=clip(said, 50))
    return None


def _glued(trace: Trace, one: Exchange, later: list[Exchange], facts: dict[str, object]) -> Verdict | None:
    """Find the broken answer's text or call beside the whole one's, in a request or in what came out."""
    piece = squeeze(one.text)
    whole = [each.turn for each in later if each.signal is not None and piece and piece in squeeze(each.text)]
    said = {"text": clip(piece, 50)}
    for each in later:
        ids = [block.get("id") for block in wire.calls(each.messages)]
        doubled = next((given for given in ids if ids.count(given) > 1), None)
        if doubled is not None:
            return broken("streaming.twice", each.turn, **facts, id=doubled)
        before = [turn for turn in whole if turn < each.turn]
        if len(piece) > SHORT and before and _assistant_text(each).count(piece) > len(before):
            return broken("streaming.glued", each.turn, **facts, **said)
    handed = [squeeze(text) for text in texts(trace.exit.value)]
    if len(piece) > SHORT and any(text.count(piece) > max(1, len(whole)) for text in handed):
        return broken("streaming.glued", later[-1].turn, **facts, **said)
    return None


def _assistant_text(one: Exchange) -> str:
    turns = [turn for turn in one.messages if turn.get("role") == "assistant"]
    return squeeze(" ".join(wire.text_of(turn.get("content")) for turn in turns))


def _what_came(one: Exchange) -> str:
    """Return what had arrived of a broken answer, in a few words."""
    calls = [call_form(block.get("name"), block.get("input")) for block in one.asked]
    text = [f'"{clip(one.text, 40)}"'] if one.text else []
    return ", ".join([*text, *calls]) or "-"


def _shown(value: object) -> str:
    return clip(value if isinstance(value, str) else repr(value), 50)


def _streaming(scenario: str) -> Case:
    """Return a case that streams: where the loop offers it as an option, or where it always does."""
    return Case(scenario, {"stream?": True})


PROBES: tuple[Probe, ...] = (
    probe(says_the_same, "m", _streaming("stock_take"), katas=("20",)),
    probe(
        reads_the_signal, "m", _streaming("truncated_again"), _streaming("cancelled_too_far"), katas=("20",)
    ),
    probe(
        drops_broken_answers,
        "m",
        _streaming("stream_cut_off"),
        _streaming("stream_overloaded"),
        criteria=(6,),
        katas=("20",),
    ),
)
