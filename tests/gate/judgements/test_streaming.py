"""Family m: however a stream is put together, the answer is the same, and a broken one is none."""

import copy
import json

import anthropic
import pytest

from simulator.gate.judgements import streaming
from simulator.gate.perform import perform
from simulator.gate.probe import Case
from tests.gate.judgements.saying import check

MODEL = {"model": "claude-sonnet-5-5", "max_tokens": 1024}
CUT, ERROR, WHOLE = Case("stream_cut_off"), Case("stream_overloaded"), Case("stock_take")


class Broken(Exception):  # noqa: N818  # a stranger's name
    """The stream broke off."""


def loop(ask, keep=lambda answer: answer["content"]):
    """Return an ordinary loop that gets its answers, as dictionaries, from ``ask(client, request)``."""

    def run_agent_loop(client, messages, tools, handlers):
        history = copy.deepcopy(messages)
        while True:
            answer = ask(client, {**MODEL, "messages": history, "tools": tools})
            history.append({"role": "assistant", "content": keep(answer)})
            if answer["stop_reason"] != "tool_use":
                return answer
            history.append({"role": "user", "content": results(answer, handlers)})

    return run_agent_loop


def results(answer, handlers):
    return [
        {"type": "tool_result", "tool_use_id": b["id"], "content": handlers[b["name"]](**b["input"])}
        for b in answer["content"]
        if b["type"] == "tool_use"
    ]


def by_the_sdk(client, request):
    with client.messages.stream(**request) as stream:
        return stream.get_final_message().to_dict()


def by_hand(client, request, blocks=None):
    """Put the raw events together; *blocks* are those of an earlier try, for a loop that keeps them."""
    blocks, fragments, stop = {} if blocks is None else blocks, {}, None
    for event in client.messages.create(**request, stream=True):
        match event.type:
            case "content_block_start":
                blocks[event.index] = event.content_block.to_dict()
            case "content_block_delta" if event.delta.type == "text_delta":
                blocks[event.index]["text"] += event.delta.text
            case "content_block_delta" if event.delta.type == "input_json_delta":
                fragments[event.index] = fragments.get(event.index, "") + event.delta.partial_json
            case "message_delta":
                stop = event.delta.stop_reason
    for index, text in fragments.items():
        blocks[index]["input"] = json.loads(text or "{}") if stop else {}
    return {"type": "message", "content": [blocks[i] for i in sorted(blocks)], "stop_reason": stop}


def again(ask):
    """Ask once more where the answer did not arrive."""

    def asking(client, request):
        try:
            answer = ask(client, request)
        except anthropic.APIStatusError:
            return ask(client, request)
        return answer if answer["stop_reason"] else ask(client, request)

    return asking


def or_raise(ask):
    def asking(client, request):
        answer = ask(client, request)
        if answer["stop_reason"] is None:
            raise Broken("the answer is incomplete")
        return answer

    return asking


def or_say_so(ask):
    def asking(client, request):
        try:
            answer = ask(client, request)
        except anthropic.APIStatusError as error:
            return {"status": "error", "why": str(error), "content": [], "stop_reason": None}
        return answer if answer["stop_reason"] else {**answer, "status": "incomplete"}

    return asking


async def in_an_event_loop(client, messages, tools, handlers):
    history = copy.deepcopy(messages)
    while True:
        async with client.messages.stream(**MODEL, messages=history, tools=tools) as stream:
            message = (await stream.get_final_message()).to_dict()
        if message["stop_reason"] is None:
            raise Broken("no stop_reason: the stream was cut")
        history.append({"role": "assistant", "content": message["content"]})
        if message["stop_reason"] != "tool_use":
            return message
        history.append({"role": "user", "content": results(message, handlers)})


RIGHT = {
    "asks the SDK again": loop(again(by_the_sdk)),
    "asks by hand again": loop(again(by_hand)),
    "raises": loop(or_raise(by_the_sdk)),
    "returns a value that says so": loop(or_say_so(by_hand)),
    "in an event loop": in_an_event_loop,
}


@pytest.mark.parametrize("case", [CUT, ERROR])
@pytest.mark.parametrize("name", RIGHT)
def test_what_is_made_of_a_broken_answer_is_free_as_long_as_nobody_takes_it_for_whole(name, case):
    verdict = streaming.drops_broken_answers(perform(RIGHT[name], case, 1))
    assert verdict.outcome == "pass", verdict


@pytest.mark.parametrize("name", RIGHT)
def test_every_way_to_put_a_stream_together_gives_the_same(name):
    assert streaming.says_the_same(perform(RIGHT[name], WHOLE, 1)).outcome == "pass"


def with_the_cut_told(client, messages, tools, handlers):
    """Throw the piece away and say that it was cut."""
    ask, history = again(by_hand), copy.deepcopy(messages)
    first = by_hand(client, {**MODEL, "messages": history, "tools": tools})
    if first["stop_reason"] is None:
        history.append({"role": "user", "content": "Your last answer was cut off. Please give it again."})
    return loop(ask)(client, history, tools, handlers)


def with_the_call_answered(said, **flag):
    """Keep the cut call and answer it with *said*."""

    def run_agent_loop(client, messages, tools, handlers):
        history = copy.deepcopy(messages)
        first = by_hand(client, {**MODEL, "messages": history, "tools": tools})
        history.append({"role": "assistant", "content": first["content"]})
        blocks = [block for block in first["content"] if block["type"] == "tool_use"]
        answers = [{"type": "tool_result", "tool_use_id": b["id"], "content": said, **flag} for b in blocks]
        history.append({"role": "user", "content": answers})
        return loop(again(by_hand))(client, history, tools, handlers)

    return run_agent_loop


@pytest.mark.parametrize(
    "told",
    [
        with_the_cut_told,
        with_the_call_answered("This call was not run.", is_error=True),
        with_the_call_answered("The call was cut off and is incomplete; send it again."),
    ],
)
def test_the_model_may_be_told_that_it_was_cut(told):
    verdict = streaming.drops_broken_answers(perform(told, CUT, 1))
    assert verdict.outcome == "pass", verdict


def keeps_the_pieces(client, request):
    blocks = {}
    answer = by_hand(client, request, blocks)
    if answer["stop_reason"]:
        return answer
    pieces = [block for block in copy.deepcopy(blocks).values() if block["type"] == "text"]
    whole = by_hand(client, request)
    return {**whole, "content": [*pieces, *whole["content"]]}


def runs_it(client, request):
    answer = by_hand(client, request)
    kinds = [block["type"] for block in answer["content"]]
    return {
        **answer,
        "stop_reason": answer["stop_reason"] or ("tool_use" if "tool_use" in kinds else "end_turn"),
    }


def keeps_the_call(client, request):
    answer = by_hand(client, request)
    if answer["stop_reason"]:
        return answer
    whole = by_hand(client, request)
    return {**whole, "content": [*answer["content"], *whole["content"]]}


def keeps_the_whole_call_twice(client, request):
    whole = again(by_hand)(client, request)
    return {**whole, "content": [*whole["content"], *whole["content"][1:]]}


@pytest.mark.parametrize(
    ("wrong", "finding"),
    [
        (loop(by_the_sdk), "taken_for_whole"),
        (loop(runs_it), "ran_a_piece"),
        (loop(keeps_the_pieces), "glued"),
        (loop(keeps_the_call), "ran_a_piece"),
        (loop(keeps_the_whole_call_twice), "twice"),
        (with_the_call_answered("Done."), "made_up"),
    ],
)
def test_each_way_to_take_a_piece_for_more_has_its_finding(wrong, finding):
    verdict = streaming.drops_broken_answers(perform(wrong, CUT, 1))
    check(verdict, f"streaming.{finding}")


def glues_only_what_it_returns(client, messages, tools, handlers):
    shown = []

    def ask(client, request):
        answer = by_hand(client, request)
        shown.extend(block["text"] for block in answer["content"] if block["type"] == "text")
        return answer if answer["stop_reason"] else ask(client, request)

    loop(ask)(client, messages, tools, handlers)
    return "".join(shown)


def test_a_piece_that_stands_twice_in_what_is_returned_is_found_too():
    verdict = streaming.drops_broken_answers(perform(glues_only_what_it_returns, CUT, 1))
    check(verdict, "streaming.glued")


def by_name(client, request):
    """Keep one call for each tool."""
    answer = by_the_sdk(client, request)
    calls = [block for block in answer["content"] if block["type"] == "tool_use"]
    return {**answer, "content": [block for block in answer["content"] if block not in calls[1:]]}


def without_text(answer):
    return [block for block in answer["content"] if block["type"] == "tool_use"] or answer["content"]


def only_the_reason(client, messages, tools, handlers):
    return loop(by_the_sdk)(client, messages, tools, handlers)["stop_reason"]


@pytest.mark.parametrize(
    ("wrong", "finding"),
    [(loop(by_name), "lost"), (loop(by_the_sdk, without_text), "altered"), (only_the_reason, "no_text")],
)
def test_each_way_to_lose_something_of_a_stream_has_its_finding(wrong, finding):
    verdict = streaming.says_the_same(perform(wrong, WHOLE, 1))
    check(verdict, f"streaming.{finding}")


@pytest.mark.parametrize("judgement", [probe.judgement for probe in streaming.PROBES])
def test_a_loop_that_never_streams_is_not_judged(judgement):
    plain = loop(lambda client, request: client.messages.create(**request).to_dict())
    assert judgement(perform(plain, WHOLE, 1)).outcome == "not_applicable"


def test_a_stream_that_was_cut_by_the_limit_is_told_by_its_stop_reason():
    def guessing(client, request):
        answer = by_the_sdk(client, request)
        kinds = [block["type"] for block in answer["content"]]
        return {**answer, "stop_reason": "tool_use" if "tool_use" in kinds else "end_turn"}

    cases = streaming.PROBES[1].cases
    found = [streaming.reads_the_signal(perform(loop(guessing), case, 1)).finding for case in cases]
    assert found == ["streaming.untold", "streaming.ran_cut"]
    honest = [streaming.reads_the_signal(perform(loop(by_the_sdk), case, 1)).outcome for case in cases]
    assert honest == ["pass", "pass"]
