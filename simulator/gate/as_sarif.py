"""A report as SARIF 2.1.0, which code hosts show beside the lines of the loop.

Rules of this file:

1. A probe is a rule, and a failure a result of it. What could not be checked is a notification of the run
   and no result: nobody should get an alert for it. What holds, or does not apply, is none either.
2. A result has a place: the line that the trace knows, else the line where the loop begins.
3. The same report gives the same bytes, and a finding the same fingerprint as long as it stays.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any
from urllib.parse import quote

import simulator
from simulator.gate.as_json import place
from simulator.gate.judge import Found, Report
from simulator.gate.messages import Message, message, sentence, title
from simulator.gate.ran import Loop
from simulator.text import say

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_dict(report: Report, folder: Path, lang: str | None = None) -> dict[str, Any]:
    """Return *report* as the values of a SARIF log; files are seen from *folder*."""
    told = [(found, message(found, report.loop, lang)) for found in report.findings]
    unseen = [_notification(found, words) for found, words in told if found.state == "could-not-check"]
    invocation: dict[str, Any] = {"executionSuccessful": report.problem is None}
    if report.problem is not None:
        unseen = [
            {
                "level": "error",
                "message": {"text": sentence(report.problem, lang)},
                "descriptor": {"id": report.problem.code},
            }
        ]
    if unseen:
        invocation["toolExecutionNotifications"] = unseen
    run = {
        "tool": {"driver": _driver(report, lang)},
        "invocations": [invocation],
        "results": [
            _result(number, found, words, report.loop, folder)
            for number, (found, words) in enumerate(told)
            if found.state == "fail"
        ],
        "properties": {"target": report.target, "seed": report.seed},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _driver(report: Report, lang: str | None) -> dict[str, Any]:
    return {
        "name": "agent-loop-katas",
        "version": simulator.__version__,
        "rules": [
            {
                "id": found.probe.id,
                "shortDescription": {"text": title(found.probe, lang)},
                "defaultConfiguration": {"level": "error"},
                "properties": {"tags": [say(f"gate.family.{found.probe.family}", lang)]},
            }
            for found in report.findings
        ],
    }


def _result(number: int, found: Found, words: Message, loop: Loop | None, folder: Path) -> dict[str, Any]:
    text = " ".join([*words.parts.values(), f"({words.where})"])
    result: dict[str, Any] = {
        "ruleId": found.probe.id,
        "ruleIndex": number,
        "level": "error",
        "message": {"text": text},
        "partialFingerprints": {"probe/v1": _fingerprint(found)},
    }
    if loop is None:
        return result
    where = {
        "artifactLocation": {"uri": quote(place(loop, folder))},
        "region": {"startLine": words.line or loop.line},
    }
    return result | {"locations": [{"physicalLocation": where}]}


def _notification(found: Found, words: Message) -> dict[str, Any]:
    return {
        "level": "note",
        "message": {"text": " ".join([words.title + ":", *words.parts.values(), f"({words.where})"])},
        "associatedRule": {"id": found.probe.id},
    }


def _fingerprint(found: Found) -> str:
    named = "\0".join([found.probe.id, found.finding, *map(str, found.case.key())])
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:32]
