import pytest

from simulator.recording.conditions import Sent, faults, holds
from tests.recording.made import TASK, call, request, result, said, text, told

TWO = said("I will look.", call("toolu_1", path="."), call("toolu_2", "read_file", path="a.py"))
ANSWERS = (
    TWO["content"],
    [text("There are two files.")],
    None,
)


def sent(*messages, repeats=0, **parameters):
    return Sent(request(*messages, **parameters), repeats, ANSWERS)


both = told(result("toolu_1", "a.py"), result("toolu_2", "No such file", is_error=True))
one = told(result("toolu_1", "a.py"), "Only one of them worked.")
neither = told("I could not run anything.")
done = said("There are two files.")

CASES = {
    # after: which answer is the last assistant turn
    "the task alone comes after nothing": ({"after": -1}, sent(TASK), True),
    "with an assistant turn it does not": ({"after": -1}, sent(TASK, TWO, both), False),
    "the turn is the answer of exchange 0": ({"after": 0}, sent(TASK, TWO, both), True),
    "and not that of exchange 1": ({"after": 1}, sent(TASK, TWO, both), False),
    "a string is the same as a text block": (
        {"after": 1},
        sent(TASK, {"role": "assistant", "content": "There are two files."}, told("Sure?")),
        True,
    ),
    "a turn without its text is known by its calls": (
        {"after": 0},
        sent(TASK, {"role": "assistant", "content": TWO["content"][1:]}, both),
        True,
    ),
    "a turn without its second call is another": (
        {"after": 0},
        sent(TASK, {"role": "assistant", "content": TWO["content"][:2]}, one),
        False,
    ),
    "blanks around a text do not matter": ({"after": 1}, sent(TASK, said(" There are two files.\n")), True),
    "a joined turn is known by its end": ({"after": 1}, sent(TASK, said("Hm."), done, told("Sure?")), True),
    "only the last assistant turn counts": ({"after": 0}, sent(TASK, TWO, both, done, told("?")), False),
    "an error is no answer": ({"after": 2}, sent(TASK, done, told("?")), False),
    "an exchange that is not there is no answer": ({"after": 9}, sent(TASK, done, told("?")), False),
    # answers: which calls have results
    "all are answered": ({"answers": "all"}, sent(TASK, TWO, both), True),
    "one is not all": ({"answers": "all"}, sent(TASK, TWO, one), False),
    "one is any": ({"answers": "any"}, sent(TASK, TWO, one), True),
    "none is not any": ({"answers": "any"}, sent(TASK, TWO, neither), False),
    "none is none": ({"answers": "none"}, sent(TASK, TWO, neither), True),
    "one is not none": ({"answers": "none"}, sent(TASK, TWO, one), False),
    "these tools": ({"answers": ["list_dir"]}, sent(TASK, TWO, one), True),
    "exactly these tools": ({"answers": ["list_dir"]}, sent(TASK, TWO, both), False),
    "without calls all of them are answered": ({"answers": "all"}, sent(TASK, done, told("?")), True),
    # is_error
    "one failed": ({"is_error": True}, sent(TASK, TWO, both), True),
    "none failed": ({"is_error": False}, sent(TASK, TWO, one), True),
    "one failed, so not none": ({"is_error": False}, sent(TASK, TWO, both), False),
    "an earlier failure does not count": ({"is_error": True}, sent(TASK, TWO, both, done, told("?")), False),
    # text
    "a text in any letter case": ({"text": {"contains": "no SUCH file"}}, sent(TASK, TWO, both), True),
    "every text of a list": ({"text": {"contains": ["a.py", "file"]}}, sent(TASK, TWO, both), True),
    "not every text": ({"text": {"contains": ["a.py", "b.py"]}}, sent(TASK, TWO, both), False),
    "lacking": ({"text": {"lacks": ["b.py", "c.py"]}}, sent(TASK, TWO, both), True),
    "lacking all of a list": ({"text": {"lacks": ["b.py", "a.py"]}}, sent(TASK, TWO, both), False),
    "the last turn only": ({"text": {"contains": "Which files"}}, sent(TASK, TWO, both), False),
    "anywhere": ({"text": {"contains": "Which files", "where": "anywhere"}}, sent(TASK, TWO, both), True),
    "the system prompt is anywhere": (
        {"text": {"contains": "be brief", "where": "anywhere"}},
        sent(TASK, system="Be brief."),
        True,
    ),
    "results without the text beside them": (
        {"text": {"contains": "worked", "where": "results"}},
        sent(TASK, TWO, one),
        False,
    ),
    "the text beside results is in the last turn": (
        {"text": {"contains": "worked"}},
        sent(TASK, TWO, one),
        True,
    ),
    # the request's parameters
    "tools on offer": ({"tools_offered": True}, sent(TASK), True),
    "no tools on offer": ({"tools_offered": False}, sent(TASK, tools=[]), True),
    "exactly these on offer": ({"tools_offered": ["read_file", "list_dir"]}, sent(TASK), True),
    "not only this one": ({"tools_offered": ["read_file"]}, sent(TASK), False),
    "the choice of a tool": ({"tool_choice": "any"}, sent(TASK, tool_choice={"type": "any"}), True),
    "without a choice it is auto": ({"tool_choice": "auto"}, sent(TASK), True),
    "another choice": ({"tool_choice": "none"}, sent(TASK, tool_choice={"type": "any"}), False),
    "at least": ({"max_tokens": {"at_least": 1024}}, sent(TASK), True),
    "not at least": ({"max_tokens": {"at_least": 1025}}, sent(TASK), False),
    "below": ({"max_tokens": {"below": 1025}}, sent(TASK), True),
    "not below": ({"max_tokens": {"below": 1024}}, sent(TASK), False),
    "over a size": ({"size": {"over": 50}}, sent(TASK), True),
    "not over a size": ({"size": {"over": 5000}}, sent(TASK), False),
    "under a size": ({"size": {"under": 5000}}, sent(TASK), True),
    "not under a size": ({"size": {"under": 50}}, sent(TASK), False),
    "sent often enough before": ({"repeats": 2}, sent(TASK, repeats=2), True),
    "not often enough": ({"repeats": 2}, sent(TASK, repeats=1), False),
    # together
    "all keys hold": ({"after": 0, "answers": "all", "is_error": True}, sent(TASK, TWO, both), True),
    "one key does not": ({"after": 0, "answers": "all", "is_error": False}, sent(TASK, TWO, both), False),
}


@pytest.mark.parametrize(("when", "request_sent", "expected"), CASES.values(), ids=CASES)
def test_a_condition_holds_or_not(when, request_sent, expected):
    assert list(faults(when)) == []
    assert holds(when, request_sent) is expected


@pytest.mark.parametrize(
    ("when", "path"),
    [
        (None, "when"),
        ({}, "when"),
        ("after", "when"),
        ({"before": 1}, "when.before"),
        ({"after": "0"}, "when.after"),
        ({"after": True}, "when.after"),
        ({"after": -2}, "when.after"),
        ({"answers": "some"}, "when.answers"),
        ({"answers": []}, "when.answers"),
        ({"answers": [1]}, "when.answers"),
        ({"is_error": "yes"}, "when.is_error"),
        ({"text": "done"}, "when.text"),
        ({"text": {"where": "anywhere"}}, "when.text"),
        ({"text": {"contains": ""}}, "when.text"),
        ({"text": {"contains": "a", "where": "somewhere"}}, "when.text"),
        ({"text": {"contains": "a", "without": "b"}}, "when.text"),
        ({"tools_offered": "list_dir"}, "when.tools_offered"),
        ({"tool_choice": {"type": "any"}}, "when.tool_choice"),
        ({"max_tokens": 5}, "when.max_tokens"),
        ({"max_tokens": {"above": 5}}, "when.max_tokens"),
        ({"size": {}}, "when.size"),
        ({"size": {"over": 1.5}}, "when.size"),
        ({"repeats": 0}, "when.repeats"),
    ],
)
def test_what_is_no_condition_is_a_fault_at_its_place(when, path):
    assert [where for where, _ in faults(when)] == [path]


def test_a_request_of_any_shape_can_be_looked_at():
    body = {"messages": [7, {"role": "user", "content": [None, {"type": "tool_result"}]}], "tool_choice": 3}
    odd = Sent(body, 0, ANSWERS)
    for key, value in {
        "after": 0,
        "answers": "all",
        "is_error": True,
        "tools_offered": True,
        "tool_choice": "auto",
        "repeats": 1,
        "text": {"lacks": "x"},
        "size": {"over": 1},
        "max_tokens": {"below": 3},
    }.items():
        assert holds({key: value}, odd) in (True, False)
