"""The specification of kata 04. Each test runs your loop on a recorded conversation and says what must hold."""

from simulator.gate.judgements import truncation


def test_an_answer_cut_short_is_told_to_the_caller(run):
    """stop_reason is max_tokens: the caller learns that the text is incomplete, or gets the whole one after all."""
    run("truncated_report").must(truncation.is_told)


def test_the_text_so_far_is_kept(run):
    """What the model had written is not thrown away."""
    run("truncated_report").must(truncation.keeps_the_text)


def test_a_tool_call_cut_short_is_never_run(run):
    """A tool_use in a cut response has half its input: no handler may see it."""
    run("truncated_call").must(truncation.never_runs_a_cut_call)


def test_a_tool_call_cut_short_is_told_to_the_caller(run):
    """And the caller learns of it, or the loop asks again until the call is whole."""
    run("truncated_call").must(truncation.is_told)


def test_asking_again_has_an_end(run):
    """An answer that is cut however much room it gets: the loop gives up by itself, and says so."""
    run("truncated_again").must(truncation.is_told)


def test_a_whole_answer_is_handed_back_and_not_called_cut(run):
    """A guard: where nothing was cut, all stays as it is."""
    run("count_python_files").must(truncation.leaves_whole_answers_alone)
