"""Comments that suppress findings: ``# loop: ignore[AL02] the client stops after 20 turns``.

Rules of this file:

1. A comment counts for the statement it stands at: on any line of a simple one, on the head of a longer one
   (``while ...:``); on the head of a function, for all of it. Alone on its line, for what follows.
2. Without a reason it does not count, and is a finding itself (AL90). One that suppresses nothing, is one
   (AL91), unless the rule it names was not asked for.
3. A comment is what the tokenizer calls one: nothing in a string is.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from simulator.contract.lint.catalogue import UNUSED, WITHOUT_REASON, resolve
from simulator.contract.lint.finding import Edit, Finding, Place

MARK = re.compile(
    r"#\s*loop:\s*ignore\b(?:\s*\[(?P<rules>[^\]]*)\])?(?P<reason>(?:(?!\s#\s).)*)", re.IGNORECASE
)
"""The mark in a comment, up to the next one's ``#``."""

_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment."""

    words: tuple[str, ...]
    """The rules as they are written."""
    reason: str
    place: Place
    """Of the mark within its line."""
    whole_line: bool
    lines: Collection[int]
    """The lines whose findings it speaks of."""


def settle(
    source: str, tree: ast.Module, findings: Iterable[Finding], ran: Collection[str], named: Mapping[str, str]
) -> list[Finding]:
    """Return *findings* without those that are suppressed, and with those about the comments.

    *ran* are the ids that were asked for, *named* all there are (id -> slug).
    """
    left, about = list(findings), []
    for one in suppressions(source, tree):
        if not _WORD.search(one.reason):
            about.append(_finding(WITHOUT_REASON, one, one.words, tree))
            continue
        meant = {word: resolve(word, named) for word in one.words}
        used = {each.rule for each in left if each.place.line in one.lines} & set(meant.values())
        unused = [word for word, rule in meant.items() if rule not in used and (rule is None or rule in ran)]
        left = [each for each in left if each.rule not in used or each.place.line not in one.lines]
        if unused or not one.words:
            kept = [word for word in one.words if word not in unused]
            about.append(_finding(UNUSED, one, unused, tree, _edit(source, one, kept)))
    return left + [each for each in about if each.rule in ran]


def suppressions(source: str, tree: ast.Module) -> list[Suppression]:
    """Return the comments of *source* that suppress, in order."""
    if "loop:" not in source.lower():
        return []
    heads, lines = None, source.split("\n")
    found = []
    for line, column, comment in _comments(source):
        for mark in MARK.finditer(comment):
            heads = heads if heads is not None else list(_heads(tree))
            begin, end = column + mark.start() + 1, column + len(comment[: mark.end()].rstrip()) + 1
            alone = not lines[line - 1][:column].strip()
            words = tuple(word.strip() for word in (mark["rules"] or "").split(",") if word.strip())
            about = _below(lines, line) if alone else line
            covered = _covered(heads, about) | {line}
            whole = alone and end - begin == len(lines[line - 1].strip())
            found.append(
                Suppression(words, mark["reason"].strip(), Place(line, begin, line, end), whole, covered)
            )
    return found


def _comments(source: str) -> Iterator[tuple[int, int, str]]:
    """Yield line (from 1), column (from 0) and text of each comment."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield *token.start, token.string
    except (tokenize.TokenError, SyntaxError):
        # A parser may take a little more than the tokenizer does; what comes after has no comments then.
        return


def _below(lines: Sequence[str], line: int) -> int:
    """Return the number of the first line of code after *line*."""
    for number, text in enumerate(lines[line:], line + 1):
        if text.strip() and not text.strip().startswith("#"):
            return number
    return line


def _heads(tree: ast.Module) -> Iterator[tuple[int, int, int]]:
    """Yield for each statement the first and the last line of its head, and the last one it answers for."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt | ast.ExceptHandler):
            continue
        first, last = _first(node), node.end_lineno or node.lineno
        inner = [*getattr(node, "body", []), *(case.pattern for case in getattr(node, "cases", []))]
        head = max(first, node.lineno, _first(inner[0]) - 1) if inner else last
        whole = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        yield first, head, last if whole else head


def _first(node: ast.AST) -> int:
    lines = [each.lineno for each in getattr(node, "decorator_list", [])]
    return int(min([*lines, getattr(node, "lineno", 1)]))


def _covered(heads: Sequence[tuple[int, int, int]], line: int) -> set[int]:
    """Return the lines that a comment at *line* speaks of: those of the innermost statement."""
    at = [(head - first, first, last) for first, head, last in heads if first <= line <= head]
    if not at:
        return {line}
    _, first, last = min(at)
    return set(range(first, last + 1))


def _edit(source: str, one: Suppression, kept: Sequence[str]) -> Edit:
    """Return what is left of the comment: nothing, or the rules it is needed for."""
    place = one.place
    if one.whole_line and not kept:
        return Edit(Place(place.line, 1, place.line + 1, 1), "")
    line = source.split("\n")[place.line - 1]
    if kept:
        begin = line.index("[", place.column - 1) + 2
        end = line.index("]", begin - 1) + 1
        return Edit(Place(place.line, begin, place.line, end), ", ".join(kept))
    before, after = line[: place.column - 1], line[place.end_column - 1 :]
    # Another remark may follow: it moves up to where this one stood.
    begin = len(before) + 1 if after.strip() else len(before.rstrip()) + 1
    end = place.end_column + len(after) - len(after.lstrip())
    return Edit(Place(place.line, begin, place.line, end), "")


def _finding(
    rule: str, one: Suppression, words: Sequence[str], tree: ast.Module, edit: Edit | None = None
) -> Finding:
    facts = {"rules": ", ".join(words)}
    return Finding(rule, one.place, _function(tree, one.place.line), facts, (edit,) if edit else ())


def _function(tree: ast.Module, line: int) -> str:
    """Return the qualified name of the innermost function or class around *line*; "" outside of any."""
    body: Sequence[ast.AST] = tree.body
    names: list[str] = []
    while True:
        around = [each for each in body if _first(each) <= line <= int(getattr(each, "end_lineno", 0) or 0)]
        if not around:
            return ".".join(names)
        if isinstance(around[0], ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(around[0].name)
        body = [
            each for each in ast.iter_child_nodes(around[0]) if isinstance(each, ast.stmt | ast.ExceptHandler)
        ]
