"""The specification of kata 03. Each test runs your loop on a recorded conversation and says what must hold."""

from simulator.gate.judgements import ending, pairing


def test_each_result_names_the_call_it_answers(run):
    """One call, one result: the result carries the id that the model gave the call."""
    run("count_python_files").must(pairing.names_its_call)


def test_the_answer_is_handed_back(run):
    """The loop ends with the model's answer, and the caller gets it."""
    run("count_python_files").must(ending.hands_back_the_answer)


def test_each_of_several_results_names_a_call_of_its_own(run):
    """Three calls in one response: three results, each call answered once."""
    run("parallel_reads").must(pairing.names_its_call)


def test_no_result_stands_under_the_id_of_another_call(run):
    """What a tool said for one call is not sent as the answer to its neighbour."""
    run("parallel_reads").must(pairing.belongs_to_its_call)


def test_the_answer_to_several_calls_is_handed_back(run):
    """And there, too, the caller gets the model's answer."""
    run("parallel_reads").must(ending.hands_back_the_answer)
