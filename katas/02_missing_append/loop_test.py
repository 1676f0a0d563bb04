"""The specification of kata 02. Each test runs your loop on a recorded conversation and says what must hold."""

from simulator.gate.judgements import ending, history


def test_each_request_carries_all_that_happened_before_it(run):
    """After a tool has run: the turns so far, then the model's turn as it came, then the results."""
    run("count_python_files").must(history.carries_on)


def test_the_answer_is_handed_back(run):
    """The loop ends with the model's answer, and the caller gets it."""
    run("count_python_files").must(ending.hands_back_the_answer)


def test_that_holds_for_as_many_rounds_as_the_model_needs(run):
    """Another conversation, in which the model asks for a tool twice: each request carries both rounds."""
    run("list_then_read").must(history.carries_on)


def test_the_answer_is_handed_back_there_too(run):
    """And there, too, the caller gets the model's answer."""
    run("list_then_read").must(ending.hands_back_the_answer)
