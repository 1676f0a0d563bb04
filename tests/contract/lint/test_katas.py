"""What the linter says about the loops of the katas, and about every loop of the project that is right.

``FAULTS`` names, for each rejected loop and each starter of katas 01 to 04, the rule whose fault it is; it
must be among what is found. Where no syntax tree can show the fault, the reason stands there instead.
"""

from pathlib import Path

import pytest

from simulator.contract.lint.rules import RULES
from simulator.contract.lint.run import lint_paths, lint_source

ROOT = Path(__file__).parents[3]
KATAS = ("01_typed_stop_reason", "02_missing_append", "03_missing_tool_use_id", "04_ignored_max_tokens")

NO_CEILING = {"AL02", "AL07"}
"""A ceiling on the requests is the matter of a later kata: those before it have loops without one."""

NO_LOOP = "two requests, one after the other: there is no loop"
OTHER_VALUE = "an answer comes back, and another one was meant: which one, the source does not say"
NOT_RUN = "the loop runs no tool: whether one had to run, the source does not say"
CALLER = "what whoever calls the loop expects of it is not in its source"
WORDS = "whether a person is told that something is missing is a matter of words"
ORDER = "all that was written comes back, in the wrong pieces: it takes an answer to see that"
CUT_CALL = "it takes a cut call: a loop that goes by the calls is right for every other answer"
LATE = "the ids are right; that a function in a loop binds late, a linter for Python finds (bugbear's B023)"
PREFILL = "whether the model writes on where its own turn stops is not in the source"

FAULTS = {
    "01_typed_stop_reason": {
        "loop": "AL01",
        "break_without_return": "AL11",
        "not_done_is_an_exception": "AL01",
        "one_round_only": NO_LOOP,
        "other_words": "AL01",
        "returns_the_first_response": OTHER_VALUE,
        "returns_the_text": "AL08",
        "signal_and_words": "AL01",
        "signal_or_words": "AL01",
        "stop_of_another_api": "AL11",
        "text_means_answer": "AL01",
    },
    "02_missing_append": {
        "loop": "AL10",
        "all_in_prose": "AL10",
        "appends_to_a_copy": "AL10",
        "assistant_turn_without_its_text": "AL10",
        "bounded_but_still_deaf": "AL10",
        "empty_results": "AL10",
        "keeps_the_question_and_the_last_round": "AL10",
        "one_list_for_all_rounds": "AL06",
        "one_round_only": NO_LOOP,
        "only_the_assistant_turn": "AL10",
        "only_the_results": "AL10",
        "recursion_without_return": "AL11",
        "replaces_the_history": "AL10",
        "result_as_plain_text": "AL10",
        "results_as_assistant": "AL04",
        "results_before_the_call": "AL09",
        "results_of_its_own_making": NOT_RUN,
        "returns_inside_the_loop": "AL10",
        "returns_the_first_response": OTHER_VALUE,
        "swallows_everything": "AL14",
        "text_of_the_assistant_only": "AL10",
    },
    "03_missing_tool_use_id": {
        "loop": "AL06",
        "all_results_under_each_id": "AL06",
        "by_name": "AL06",
        "closures_that_bind_late": LATE,
        "failed_calls_left_out": "AL03",
        "failures_last": "AL06",
        "first_id_for_all": "AL06",
        "id_is_none": "AL06",
        "id_of_the_response": "AL06",
        "id_under_the_wrong_key": "AL06",
        "ids_popped_from_the_end": "AL06",
        "made_up_id": "AL06",
        "name_as_id": "AL06",
        "plain_text_instead": "AL10",
        "results_of_its_own_making": NOT_RUN,
        "returns_nothing": CALLER,
        "returns_the_history": CALLER,
        "the_word_done_as_result": "AL10",
    },
    "04_ignored_max_tokens": {
        "loop": "AL08",
        "a_larger_limit_from_the_start": "AL08",
        "always_warns": "AL08",
        "an_ellipsis_is_all": WORDS,
        "another_fixed_limit": "AL08",
        "continues_by_prefill": PREFILL,
        "continues_over_a_cut_call": CUT_CALL,
        "cut_call_passed_over": "AL08",
        "doubles_without_end": "AL02",
        "everything_else_is_the_end": "AL08",
        "exception_of_few_words": WORDS,
        "exception_without_the_text": WORDS,
        "flag_never_set": "AL08",
        "half_and_whole_together": ORDER,
        "more_room_without_end": "AL02",
        "only_the_second_half": ORDER,
        "pieces_in_reverse": ORDER,
        "prints_a_warning": "AL08",
        "runs_it_and_tells": CUT_CALL,
        "runs_whatever_call_there_is": CUT_CALL,
        "status_in_place_of_the_text": WORDS,
        "the_same_again_for_ever": "AL02",
        "whole_answer_dropped": "AL11",
    },
}

EXAMPLES = {
    "no_append": "AL10",
    "no_id": "AL06",
    "text_decides": "AL01",
    "whole": None,
    "with_settings": None,
}
"""The small loops of the player: one thing wrong with each of the first three."""

RIGHT = (
    "docs/adapters/*.py",
    "docs/examples/*.py",
    "simulator/loop/*.py",
    "tests/gate/loops/base*.py",
    "tests/gate/loops/passing/*.py",
    "tests/gate/loops/parts/*.py",
)
"""Loops that are right, as patterns in the project."""

WITHOUT_A_CEILING = {"docs/adapters/minimal.py"}
"""The loop that tutorials show: the gate, too, finds that it has no limit."""


def found(path):
    """Return the rules that find something in *path*."""
    return {each.rule for each in lint_source(path.read_text(encoding="utf-8"), path.name)}


def faults():
    for kata, names in FAULTS.items():
        for name, rule in names.items():
            where = ROOT / "katas" / kata if name == "loop" else ROOT / "tests/katas" / kata / "rejected"
            yield pytest.param(where / f"{name}.py", rule, id=f"{kata[:2]}-{name}")


@pytest.mark.parametrize("kata", KATAS)
def test_every_rejected_loop_is_in_the_table(kata):
    rejected = {path.stem for path in (ROOT / "tests/katas" / kata / "rejected").glob("*.py")}
    assert rejected == FAULTS[kata].keys() - {"loop"}


@pytest.mark.parametrize(("path", "rule"), list(faults()))
def test_the_fault_of_a_rejected_loop_is_found_or_cannot_be_seen(path, rule):
    if rule in RULES:
        assert rule in found(path)
    else:
        # What is found there, if anything, is only that it has no ceiling.
        assert found(path) <= NO_CEILING


def accepted():
    for kata in KATAS:
        folder = ROOT / "tests/katas" / kata
        for path in [folder / "solution.py", *sorted((folder / "accepted").glob("*.py"))]:
            yield pytest.param(path, id=f"{kata[:2]}-{path.stem}")


@pytest.mark.parametrize("path", list(accepted()))
def test_nothing_is_found_in_an_accepted_loop_but_that_it_has_no_ceiling(path):
    assert found(path) <= NO_CEILING


def right():
    for pattern in RIGHT:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            yield pytest.param(path, {"AL02"} if name in WITHOUT_A_CEILING else set(), id=name)


@pytest.mark.parametrize(("path", "ceiling"), list(right()))
def test_nothing_is_found_in_a_loop_that_is_right(path, ceiling):
    assert found(path) == ceiling


@pytest.mark.parametrize(("name", "rule"), list(EXAMPLES.items()))
def test_the_loops_of_the_player_have_the_fault_that_they_show(name, rule):
    path = ROOT / "simulator/player/examples" / f"{name}.py"
    assert found(path) == ({rule} if rule else set())


def test_by_the_settings_of_this_project_nothing_is_found_in_any_right_answer_to_a_kata():
    kinds = ("tests/katas/*/accepted", "tests/katas/*/solution.py", "simulator/loop", "tests/contracts")
    paths = [path for kind in kinds for path in sorted(ROOT.glob(kind))]
    linted = lint_paths(paths)
    assert len(linted) > 50
    assert [(one.name, found.rule) for one in linted for found in one.findings] == []
    assert [one.name for one in linted if one.problems] == []
