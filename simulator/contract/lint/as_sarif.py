"""Findings as SARIF 2.1.0, which code hosts show beside the lines, with the edits that mend them.

Rules of this file:

1. What kept a file from being linted is a notification of the run, and no result.
2. The same files give the same bytes, and a finding keeps its fingerprint while its line stays what it is,
   wherever the line moves to.
3. A notebook has no lines that a code host could show: its findings name the file, and say the cell.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import simulator
from simulator.contract.lint.as_json import path
from simulator.contract.lint.catalogue import title, told, why
from simulator.contract.lint.finding import Edit, Finding, Place
from simulator.contract.lint.problems import Problem, sentence
from simulator.contract.lint.run import Linted
from simulator.text import say

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_dict(
    files: Sequence[Linted], folder: Path, named: Mapping[str, str], lang: str | None = None
) -> dict[str, Any]:
    """Return what was found in *files* as the values of a SARIF log; *named* are the rules, id -> slug."""
    unread = [_notification(file, each, folder, lang) for file in files for each in file.problems]
    invocation: dict[str, Any] = {"executionSuccessful": not unread}
    if unread:
        invocation["toolExecutionNotifications"] = unread
    run = {
        "tool": {"driver": _driver(named, lang)},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": _results(files, folder, list(named), lang),
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _driver(named: Mapping[str, str], lang: str | None) -> dict[str, Any]:
    rules = [
        {
            "id": rule,
            "name": "".join(word.capitalize() for word in slug.split("-")),
            "shortDescription": {"text": title(rule, lang)},
            "fullDescription": {"text": why(rule, lang)},
            "defaultConfiguration": {"level": "error"},
            "properties": {"tags": [slug]},
        }
        for rule, slug in named.items()
    ]
    return {"name": "agent-loop-lint", "version": simulator.__version__, "rules": rules}


def _results(
    files: Sequence[Linted], folder: Path, rules: Sequence[str], lang: str | None
) -> list[dict[str, Any]]:
    results, seen = [], Counter[str]()
    for file in files:
        for finding in file.findings:
            result = _result(file, finding, folder, lang)
            mark = _fingerprint(file, finding, folder)
            seen[mark] += 1
            result["ruleIndex"] = rules.index(finding.rule)
            result["partialFingerprints"] = {"finding/v1": f"{mark}:{seen[mark]}"}
            results.append(result)
    return results


def _result(file: Linted, finding: Finding, folder: Path, lang: str | None) -> dict[str, Any]:
    words = told(finding, lang)
    text = f"{words.saw} {words.rule} {words.remedy}"
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri(file.name, folder)}}
    cell, line = file.place(finding.place.line)
    if cell is None:
        physical["region"] = _region(finding.place)
    else:
        text = f"{say('lint.text.cell', lang, file=file.name, cell=cell, line=line)}: {text}"
    location: dict[str, Any] = {"physicalLocation": physical}
    if finding.function:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.function, "kind": "function"}]
    result = {
        "ruleId": finding.rule,
        "level": "error",
        "message": {"text": text},
        "locations": [location],
    }
    if not finding.fix or cell is not None:
        return result
    change = {
        "artifactLocation": physical["artifactLocation"],
        "replacements": [_replacement(each) for each in finding.fix],
    }
    return result | {"fixes": [{"description": {"text": words.remedy}, "artifactChanges": [change]}]}


def uri(name: str, folder: Path) -> str:
    """Return the file *name* as a URI: relative where it lies below *folder*."""
    seen = path(name, folder)
    outside = Path(name).is_absolute() and seen == Path(name).as_posix()
    return Path(name).as_uri() if outside else quote(seen, errors="surrogateescape")


def _region(at: Place) -> dict[str, int]:
    begin = {"startLine": at.line, "startColumn": at.column}
    return {**begin, "endLine": at.end_line, "endColumn": at.end_column}


def _replacement(edit: Edit) -> dict[str, Any]:
    replacement: dict[str, Any] = {"deletedRegion": _region(edit.place)}
    return replacement | ({"insertedContent": {"text": edit.text}} if edit.text else {})


def _notification(file: Linted, problem: Problem, folder: Path, lang: str | None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri(file.name, folder)}}
    if problem.line is not None and problem.cell is None and not file.cells:
        physical["region"] = {"startLine": problem.line}
    return {
        "level": "error",
        "message": {"text": sentence(problem, lang)},
        "descriptor": {"id": problem.code},
        "locations": [{"physicalLocation": physical}],
    }


def _fingerprint(file: Linted, finding: Finding, folder: Path) -> str:
    line = " ".join(file.line(finding.place.line).split())
    named = "\0".join([finding.rule, path(file.name, folder), finding.function, line])
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:32]
