"""The specification of kata 01. Each test runs your loop on a recorded conversation and says what must hold."""

from simulator.gate.judgements import ending


def test_it_goes_on_while_the_model_is_waiting_for_a_tool(run):
    """The model writes "not done yet" and asks for a tool: the tool is run and the loop goes on."""
    run("not_done_yet").must(ending.waits_for_the_end)


def test_it_stops_when_the_model_ends_its_turn(run):
    """After an answer with stop_reason end_turn there is no further request, whatever its words are."""
    run("not_done_yet").must(ending.stops_at_the_end)


def test_it_returns_the_final_response(run):
    """The caller gets the response itself, with its stop_reason and its usage, not only its text."""
    run("not_done_yet").must(ending.returns_the_final_response)


def test_it_ends_a_conversation_that_never_says_done(run):
    """Another conversation, in which that word does not occur."""
    run("count_python_files").must(ending.waits_for_the_end)
    run("count_python_files").must(ending.stops_at_the_end)


def test_it_returns_the_final_response_there_too(run):
    """And there, too, the response comes back."""
    run("count_python_files").must(ending.returns_the_final_response)
