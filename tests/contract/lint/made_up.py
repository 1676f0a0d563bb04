"""Rules made up for the tests of what runs rules: each finds a name and may have another one for it."""

import ast

from simulator.contract.lint.catalogue import slugs
from simulator.contract.lint.finding import Edit, Finding, Place
from simulator.contract.lint.run import findings_in


def place_of(node, source):
    """Return the place of *node*, columns in characters."""
    lines = source.split("\n")

    def column(line, offset):
        return len(lines[line - 1].encode("utf-8")[:offset].decode("utf-8")) + 1

    return Place(
        node.lineno,
        column(node.lineno, node.col_offset),
        node.end_lineno,
        column(node.end_lineno, node.end_col_offset),
    )


def named(rule, bad, good=None):
    """Return the check of a rule that finds each name *bad*, and mends it to *good*."""

    def check(module):
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Name) and node.id == bad:
                place = place_of(node, module.source)
                fix = () if good is None else (Edit(place, good),)
                yield Finding(rule, place, "", {"rules": bad}, fix)

    return check


RULES = {
    "AL02": ("no-limit", named("AL02", "endless")),
    "AL04": ("wrong-role", named("AL04", "assistant", "user")),
    "AL06": ("no-id", named("AL06", "nobody", "somebody")),
}

ALL = frozenset(slugs(RULES))


def found(source, rules=RULES, asked=ALL):
    """Return rule and line of each finding in *source*."""
    return [(each.rule, each.place.line) for each in findings_in(source, "x.py", asked, rules)]
