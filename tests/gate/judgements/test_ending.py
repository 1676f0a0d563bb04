"""When a loop ends: the signal decides, and words that sound like the contrary do not."""

import pytest

from simulator.gate.judgements import ending
from simulator.gate.judgements.ending import hands_back_the_answer, stops_at_the_end, waits_for_the_end
from tests.gate.judgements.deciding import End, Result, found, ordinary, text

CASES = {probe.judgement: probe.cases for probe in ending.PROBES}


def each(judgement, decide):
    return {case.scenario: found(judgement, case, decide) for case in CASES[judgement]}


def as_text(run, response):
    ended = ordinary(run, response)
    return End(text(response)) if ended else None


def as_result(run, response):
    ended = ordinary(run, response)
    return End(Result("done", text(response), run.history)) if ended else None


def by_blocks(run, response):
    return run.act(response) if run.calls(response) else End({"answer": text(response).split()})


def as_paragraphs(run, response):
    ended = ordinary(run, response)
    return End([part.strip() for part in text(response).split("\n\n")]) if ended else None


def as_dictionary(run, response):
    ended = ordinary(run, response)
    return End(response.model_dump()) if ended else None


@pytest.mark.parametrize("decide", [ordinary, as_text, as_result, by_blocks, as_paragraphs, as_dictionary])
def test_a_loop_that_goes_by_the_signal_is_right_in_whatever_form_it_hands_back(decide):
    for judgement in CASES:
        assert set(each(judgement, decide).values()) == {"pass"}, judgement.__name__


def believes(*words):
    """Return a loop that ends as soon as one of *words* stands in the text."""

    def decide(run, response):
        said = text(response).lower()
        return End(response) if any(word in said for word in words) else ordinary(run, response)

    return decide


def ends_without_words(run, response):
    return ordinary(run, response) if text(response) else End(response)


@pytest.mark.parametrize(
    ("decide", "scenario"),
    [
        (believes("done"), "not_done_yet"),
        (believes("complete"), "not_done_yet"),
        (ends_without_words, "unfinished_in_words"),
    ],
)
def test_a_loop_that_ends_by_words_or_their_absence_while_a_tool_is_asked_for_is_found(decide, scenario):
    assert each(waits_for_the_end, decide)[scenario] == "ending.left_early"


@pytest.mark.parametrize("word", ["not done", "i will continue", "next step", "incomplete"])
def test_a_loop_that_goes_on_because_of_words_is_found(word):
    def decide(run, response):
        if word in text(response).lower() and response.stop_reason == "end_turn":
            run.said(response)
            return run.tell("Go on.")
        return ordinary(run, response)

    assert each(stops_at_the_end, decide)["unfinished_in_words"] == "ending.went_on"


@pytest.mark.parametrize(
    ("value", "finding"),
    [
        (lambda run, response: None, "ending.nothing"),
        (lambda run, response: text(response).split("\n")[0], "ending.not_answer"),
        (lambda run, response: "done", "ending.not_answer"),
        (lambda run, response: run.requests, "ending.not_answer"),
        (lambda run, response: response.usage, "ending.not_answer"),
    ],
)
def test_an_answer_that_does_not_come_back_whole_is_found(value, finding):
    def decide(run, response):
        ended = ordinary(run, response)
        return End(value(run, response)) if ended else None

    assert set(each(hands_back_the_answer, decide).values()) == {finding}
