"""``# loop: ignore[AL02] reason``: for what it counts, and what is said of one that does not."""

import pytest

from simulator.contract.lint.edits import apply
from simulator.contract.lint.run import findings_in
from tests.contract.lint.made_up import ALL, RULES, found

REASON = "the caller stops it"


@pytest.mark.parametrize(
    "source",
    [
        f"endless()  # loop: ignore[AL02] {REASON}\n",
        f"endless()  # loop: ignore[no-limit] {REASON}\n",
        f"endless()  #loop:ignore [ al02 , AL04 ] {REASON}; assistant is none here\nassistant\n",
        f"endless()  # noqa: E501  # loop: ignore[AL02] {REASON}  # type: ignore[misc]\n",
        f"# loop: ignore[AL02] {REASON}\nendless()\n",
        f"# loop: ignore[AL02] {REASON}\n\n# Another remark.\nendless()\n",
        f"call(\n    1,  # loop: ignore[AL02] {REASON}\n    endless,\n)\n",
        f"call(\n    1,\n    endless,\n)  # loop: ignore[AL02] {REASON}\n",
        f"while (  # loop: ignore[AL02] {REASON}\n    endless\n):\n    pass\n",
        f"def run():  # loop: ignore[AL02] {REASON}\n    if True:\n        endless()\n",
        f"def run(\n    one,\n):  # loop: ignore[AL02] {REASON}\n    endless()\n",
        f"class A:\n    @once  # loop: ignore[AL02] {REASON}\n    async def run(self):\n        endless()\n",
        f"# loop: ignore[AL02] {REASON}\n@decorated\ndef run():\n    endless()\n",
        f"try:\n    pass\nexcept endless:  # loop: ignore[AL02] {REASON}\n    pass\n",
        f"match endless:  # loop: ignore[AL02] {REASON}\n    case 1:\n        pass\n",
    ],
)
def test_a_finding_with_a_reason_beside_it_is_not_told(source):
    assert [each for each in found(source) if each[0] == "AL02"] == []


@pytest.mark.parametrize(
    "source",
    [
        "endless()  # loop: ignore[AL04] another rule\n",
        f"while x:  # loop: ignore[AL02] {REASON}\n    endless()\n",
        f"class A:  # loop: ignore[AL02] {REASON}\n    def run(self):\n        endless()\n",
        f'"# loop: ignore[AL02] {REASON}"; endless()\n',
        f'endless("""\n# loop: ignore[AL02] {REASON}\n""")\n',
        f"endless()\n# loop: ignore[AL02] {REASON}\n",
        "endless()  # loop: ignore all of it\n",
        "endless()  # loop: ignore[] all of it\n",
        "endless()  # loop: ignored[AL02] for a reason\n",
    ],
)
def test_what_is_no_suppression_of_it_leaves_a_finding_told(source):
    assert "AL02" in [rule for rule, _ in found(source)]


@pytest.mark.parametrize("reason", ["", " ", " -", " # noqa: E501", " …"])
def test_without_a_reason_it_does_not_count_and_is_found_itself(reason):
    assert found(f"endless()  # loop: ignore[AL02]{reason}\n") == [("AL02", 1), ("AL90", 1)]


@pytest.mark.parametrize(
    ("source", "rest"),
    [
        ("one()  # loop: ignore[AL02] no longer\n", "one()\n"),
        ("one()  # loop: ignore[AL99] no such rule\n", "one()\n"),
        ("one()  # loop: ignore without brackets\n", "one()\n"),
        ("if one:\n    # loop: ignore[AL02] no longer\n    two()\n", "if one:\n    two()\n"),
        ("one()  # loop: ignore[AL02] x  # noqa: E501\n", "one()  # noqa: E501\n"),
        ("one()  # noqa: E501  # loop: ignore[AL02] x", "one()  # noqa: E501"),
        (
            "endless()  # loop: ignore[AL04, AL02, AL06] both\n",
            "endless()  # loop: ignore[AL02] both\n",
        ),
        ("é = 'ü'  # loop: ignore[AL02] no longer", "é = 'ü'"),
    ],
)
def test_one_that_suppresses_nothing_is_found_and_taken_out(source, rest):
    [finding] = findings_in(source, "x.py", ALL, RULES)
    assert finding.rule == "AL91"
    assert apply(source, finding.fix) == rest


def test_a_rule_that_was_not_asked_for_does_not_make_its_suppression_a_finding():
    source = f"one()  # loop: ignore[AL02] {REASON}\n"
    assert found(source, asked=ALL - {"AL02"}) == []
    assert found(source, asked=ALL - {"AL91"}) == []
    assert found("one()  # loop: ignore[AL02]\n", asked=ALL - {"AL90"}) == []


def test_each_finding_of_a_function_is_suppressed_at_its_head_and_none_beside_it():
    source = f"def run():  # loop: ignore[AL02] {REASON}\n    endless()\n    endless()\nendless()\n"
    assert found(source) == [("AL02", 4)]


def test_a_comment_is_told_with_the_function_it_stands_in():
    source = "class A:\n    def run(self):\n        if one:\n            two()  # loop: ignore[AL02]\n"
    assert [each.function for each in findings_in(source, "x.py", ALL, RULES)] == ["A.run"]


def test_a_file_that_the_tokenizer_gives_up_on_is_linted_all_the_same():
    assert ("AL02", 1) in found("endless()\n\\\n  # loop: ignore[AL02] x")
