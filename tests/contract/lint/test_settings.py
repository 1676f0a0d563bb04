"""``[tool.loop-lint]``: what it asks for, where it holds, and how a mistake in it is told."""

from pathlib import Path

import pytest

from simulator.contract.lint.catalogue import slugs
from simulator.contract.lint.problems import SettingsError
from simulator.contract.lint.run import lint_paths, lint_source
from simulator.contract.lint.settings import Settings, nearest, rules_of
from tests.contract.lint.made_up import RULES

ALL = ("AL02", "AL04", "AL06")


def settled(folder, text):
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return nearest(folder, slugs(RULES))


def linted(folder, *paths):
    """Return the rules found in each file below *folder*, by its name."""
    done = lint_paths(paths or [folder], rules=RULES)
    return {Path(each.name).name: sorted({one.rule for one in each.findings}) for each in done}


@pytest.fixture
def tree(tmp_path):
    """Some files in which each made-up rule finds something."""
    for name in ("a.py", "tests/b.py", "tests/deep/c.py", "other/d.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("endless, assistant, nobody\n", encoding="utf-8")
    return tmp_path


def test_without_settings_every_rule_is_asked_for(tree):
    assert linted(tree) == {name: list(ALL) for name in ("a.py", "b.py", "c.py", "d.py")}


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ('select = ["AL04"]', ["AL04"]),
        ('select = ["wrong-role", "AL06"]\nignore = ["al04"]', ["AL06"]),
        ('ignore = ["AL04"]', ["AL02", "AL06"]),
        ("select = []", []),
    ],
)
def test_rules_are_chosen_by_id_or_name(tree, text, rules):
    settled(tree, f"[tool.loop-lint]\n{text}\n")
    assert set(map(tuple, linted(tree).values())) == {tuple(rules)}


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        (["tests"], "ad"),
        (["tests/"], "ad"),
        (["tests/**"], "ad"),
        (["tests/*.py"], "acd"),
        (["tests/deep"], "abd"),
        (["deep"], "abd"),
        (["?.py"], ""),
        (["[ab].py"], "abcd"),
        (["**/c.py", "**/a.py"], "bd"),
        (["./other/d.py"], "abc"),
        (["b*", "other"], "ac"),
        (["../a.py", "elsewhere/**"], "abcd"),
    ],
)
def test_what_is_excluded_is_not_looked_at_in_folders(tree, patterns, left):
    settled(tree, f"[tool.loop-lint]\nexclude = {patterns}\n")
    assert "".join(sorted(name[0] for name in linted(tree))) == left


def test_a_file_that_is_named_is_linted_even_where_it_is_excluded(tree):
    settled(tree, '[tool.loop-lint]\nexclude = ["a.py", "tests"]\n')
    assert list(linted(tree, tree / "a.py", tree / "tests")) == ["a.py"]


def test_rules_are_left_out_for_some_files(tree):
    settled(tree, '[tool.loop-lint.per-file-ignores]\n"tests/**" = ["AL02"]\n"c.py" = ["AL04"]\n')
    assert linted(tree) == {
        "a.py": list(ALL),
        "b.py": ["AL04", "AL06"],
        "c.py": ["AL06"],
        "d.py": list(ALL),
    }


def test_the_nearest_file_that_has_the_table_counts(tree):
    settled(tree, '[tool.loop-lint]\nselect = ["AL02"]\n')
    settled(tree / "tests", "[project]\nname = 'x'\n")
    settled(tree / "tests" / "deep", '[tool.loop-lint]\nselect = ["AL04"]\n')
    assert linted(tree) == {"a.py": ["AL02"], "b.py": ["AL02"], "c.py": ["AL04"], "d.py": ["AL02"]}


def test_settings_that_are_given_count_instead(tree):
    settled(tree, '[tool.loop-lint]\nselect = ["AL02"]\n')
    done = lint_paths([tree / "a.py"], Settings(select=frozenset({"AL06"})), rules=RULES)
    assert [each.rule for each in done[0].findings] == ["AL06"]
    only = Settings(per_file_ignores={"a.py": frozenset(ALL)})
    assert lint_source("endless", "a.py", only, rules=RULES) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.loop-lint]\nignores = []", "has no setting ignores. Did you mean ignore?"),
        ("[tool.loop-lint]\nzzz = 1", "There are: select, ignore, exclude, per-file-ignores."),
        ('[tool.loop-lint]\nselect = ["AL93"]', "select: there is no rule AL93. Did you mean AL9"),
        ('[tool.loop-lint]\nignore = ["unused-supression"]', "Did you mean unused-suppression?"),
        ('[tool.loop-lint]\nignore = [""]', "ignore: there is no rule ''. There are: "),
        ('[tool.loop-lint]\nselect = "AL91"', "select has to be a list of strings"),
        ("[tool.loop-lint]\nexclude = [1]", "exclude has to be a list of strings"),
        ("[tool.loop-lint]\nper-file-ignores = []", "per-file-ignores is a table of pattern and rules"),
        ('[tool.loop-lint.per-file-ignores]\n"a" = "AL91"', "a has to be a list of strings"),
        ('[tool.loop-lint.per-file-ignores]\n"a" = ["XX"]', "per-file-ignores: there is no rule XX."),
        ("[tool]\nloop-lint = 3", "tool.loop-lint is no table"),
        ("[tool.loop-lint", "is no valid TOML: "),
        ('[tool.loop-lint]\n"\\u001b[2J" = 1', "has no setting ⟨U+001B⟩[2J."),
    ],
)
def test_a_mistake_is_one_sentence_with_the_file_and_what_was_meant(tmp_path, text, said):
    with pytest.raises(SettingsError) as raised:
        settled(tmp_path, text)
    told = str(raised.value)
    assert said in told
    assert str(tmp_path / "pyproject.toml") in told
    assert "\n" not in told


@pytest.mark.parametrize("text", ["", "tool = 3", "[tool]\nother = 1", "\ufeff[tool]\n"])
def test_a_file_without_the_table_asks_for_nothing(tmp_path, text):
    assert settled(tmp_path, text).select is None


def test_a_file_that_is_not_utf8_is_told_too(tmp_path):
    (tmp_path / "pyproject.toml").write_bytes(b"[tool.loop-lint]\n# \xff\n")
    with pytest.raises(SettingsError, match="is no valid TOML"):
        nearest(tmp_path)


def test_words_of_the_command_line_are_told_by_their_option():
    with pytest.raises(SettingsError, match=r"^--select: there is no rule AL9\. Did you mean AL9"):
        rules_of(["AL9"], "--select")
