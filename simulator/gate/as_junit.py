"""A report as JUnit XML, which every CI system can show.

Rules of this file:

1. A probe is a test case: its module the class, its id the name. What could not be checked and what does not
   apply is skipped; a loop that cannot be judged at all is one error.
2. The same report gives the same bytes: no times, no host.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from simulator.gate.judge import Found, Report
from simulator.gate.messages import message, sentence
from simulator.gate.ran import Loop
from simulator.text import say

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold."""


def to_xml(report: Report, lang: str | None = None) -> bytes:
    """Return *report* as a JUnit document in UTF-8."""
    failed = report.count("fail")
    skipped = report.count("could-not-check") + report.count("not-applicable")
    counts: dict[str, str] = {
        "tests": str(len(report.findings) + (report.problem is not None)),
        "failures": str(failed),
        "errors": str(int(report.problem is not None)),
        "skipped": str(skipped),
    }
    root = ET.Element("testsuites", {"name": "simulator check", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": _text(report.target), **counts})
    properties = ET.SubElement(suite, "properties")
    ET.SubElement(properties, "property", name="seed", value=str(report.seed))
    if report.problem is not None:
        case = ET.SubElement(suite, "testcase", classname="gate", name="target")
        ET.SubElement(case, "error", type=report.problem.code, message=_text(sentence(report.problem, lang)))
    for found in report.findings:
        _case(suite, found, report.loop, lang)
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _case(suite: ET.Element, found: Found, loop: Loop | None, lang: str | None) -> None:
    told = message(found, loop, lang)
    module, _, _ = found.probe.id.partition(".")
    case = ET.SubElement(suite, "testcase", classname=module, name=f"{found.probe.id}: {_text(told.title)}")
    if found.state == "pass":
        return
    first, *rest = [_text(part) for part in told.parts.values()]
    if found.state != "fail":
        ET.SubElement(case, "skipped", message=f"{say(f'gate.state.{found.state}', lang)}: {first}")
        return
    failure = ET.SubElement(case, "failure", type=found.finding, message=first)
    failure.text = "\n".join(["", first, *rest, _text(told.where), ""])


def _text(text: str) -> str:
    return _NO_XML.sub("�", text)
