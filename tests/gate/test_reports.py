"""A report as JSON, JUnit XML and SARIF: well formed, complete, and the same bytes for the same run."""

import dataclasses
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest

import simulator
from simulator.gate import as_json, as_junit, as_sarif
from simulator.gate.criteria import CRITERIA, criteria
from simulator.gate.judge import Report, judge, performed
from simulator.gate.messages import message
from simulator.gate.options import OPTIONS, offered
from simulator.gate.probe import Case, Probe
from simulator.gate.probes import all_probes
from simulator.gate.problems import Problem
from simulator.gate.ran import Loop
from simulator.gate.verdict import broken, unknown

HERE = Path(__file__).parent
SCHEMA = json.loads((Path(as_json.__file__).parent / "check.schema.json").read_text(encoding="utf-8"))

SARIF = {
    "type": "object",
    "required": ["$schema", "version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "additionalProperties": False,
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {"$ref": "#/$defs/reportingDescriptor"},
                                    },
                                },
                            }
                        },
                    },
                    "invocations": {"type": "array", "items": {"$ref": "#/$defs/invocation"}},
                    "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
                    "properties": {"type": "object"},
                },
            },
        },
    },
    "$defs": {
        "text": {
            "type": "object",
            "required": ["text"],
            "additionalProperties": False,
            "properties": {"text": {"type": "string", "minLength": 1}},
        },
        "reportingDescriptor": {
            "type": "object",
            "required": ["id"],
            "additionalProperties": False,
            "properties": {
                "id": {"type": "string"},
                "shortDescription": {"$ref": "#/$defs/text"},
                "defaultConfiguration": {"properties": {"level": {"enum": ["error"]}}},
                "properties": {"properties": {"tags": {"type": "array", "items": {"type": "string"}}}},
            },
        },
        "invocation": {
            "type": "object",
            "required": ["executionSuccessful"],
            "additionalProperties": False,
            "properties": {
                "executionSuccessful": {"type": "boolean"},
                "toolExecutionNotifications": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["message"],
                        "additionalProperties": False,
                        "properties": {
                            "message": {"$ref": "#/$defs/text"},
                            "level": {"enum": ["none", "note", "warning", "error"]},
                            "descriptor": {"required": ["id"]},
                            "associatedRule": {"required": ["id"]},
                        },
                    },
                },
            },
        },
        "result": {
            "type": "object",
            "required": ["message"],
            "additionalProperties": False,
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": 0},
                "level": {"enum": ["none", "note", "warning", "error"]},
                "message": {"$ref": "#/$defs/text"},
                "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
                "locations": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["physicalLocation"],
                        "properties": {
                            "physicalLocation": {
                                "type": "object",
                                "required": ["artifactLocation", "region"],
                                "additionalProperties": False,
                                "properties": {
                                    "artifactLocation": {
                                        "properties": {"uri": {"type": "string", "pattern": "^[^/\\\\ ]"}}
                                    },
                                    "region": {
                                        "properties": {"startLine": {"type": "integer", "minimum": 1}}
                                    },
                                },
                            }
                        },
                    },
                },
            },
        },
    },
}
"""Of the SARIF 2.1.0 schema (OASIS), what concerns the objects we write; nothing else may stand in them."""


def careless(client, messages, tools, handlers, max_iterations=9):
    """Take only the first call of an answer, and anything but tool_use for the end."""
    messages = list(messages)
    for _ in range(max_iterations):
        response = client.messages.create(model="m", max_tokens=999, messages=messages, tools=tools)
        call = next((b for b in response.content if b.type == "tool_use"), None)
        if call is None:
            return response
        result = {"type": "tool_result", "tool_use_id": call.id, "content": handlers[call.name](**call.input)}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return None


def about(loop):
    code = loop.__code__
    offers = {option: offered(loop, option) for option in OPTIONS}
    return Loop(loop.__name__, code.co_filename, code.co_firstlineno, offers)


@pytest.fixture(scope="module")
def report():
    probes = [
        one
        for one in all_probes()
        if one.id.partition(".")[0] in ("parallel", "pairing", "order", "ending")
        or one.id == "budget.keeps_to_tokens"
    ]
    findings = judge(probes, performed(careless, probes, 0))
    report = Report("test_reports.py:careless", 0, about(careless), findings)
    states = {one.state for one in findings}
    assert states >= {"pass", "fail", "not-applicable"}
    return report


def strange(trace):
    return broken("ending.nothing", 1, text="\x00\x1b[31m\u202e<b>&", signal="\ud800", call="\ufffe")


def silent(trace):
    return unknown()


@pytest.fixture(scope="module")
def hostile():
    case = Case("list_then_read", {"steps": 3})
    probes = [
        Probe("ending.waits_for_the_end", "o", strange, (case,)),
        Probe("ending.stops_at_the_end", "o", silent, (case,)),
    ]
    findings = judge(probes, performed(careless, probes, 0))
    note = Problem("gate.note.tried", {"host": "\x1b]0;x\x07.example"})
    return Report("a\x00b.py:<loop>", 0, about(careless), findings, notes=(note,))


FAILED = Report("agent.py", 3, None, problem=Problem("gate.target.no_file", {"file": "agent.py\x1b"}))

# JSON


@pytest.mark.parametrize("lang", ["en", "es"])
def test_json_keeps_to_its_schema(report, hostile, lang):
    for one in (report, hostile, FAILED):
        jsonschema.validate(as_json.to_dict(one, HERE, lang), SCHEMA)


def test_json_says_what_a_program_needs(report):
    told = as_json.to_dict(report, HERE)
    assert (told["target"], told["seed"], told["passed"]) == ("test_reports.py:careless", 0, False)
    assert told["loop"]["file"] == "test_reports.py"
    assert told["loop"]["offers"] == {"steps": "max_iterations"}
    assert sum(told["summary"].values()) == len(told["probes"]) == len(report.findings)
    (lost,) = [one for one in told["probes"] if one["id"] == "parallel.runs_every_call"]
    assert lost["state"] == "fail"
    assert lost["finding"].startswith("parallel.")
    assert lost["scenario"] in simulator.scenarios()
    assert lost["request"] >= 1
    steps = next(one for one in told["probes"] if one["id"] == "budget.keeps_to_tokens")
    assert (steps["state"], steps["finding"]) == ("not-applicable", "gate.not_offered")
    assert "max_total_tokens" in steps["why"]


def test_a_case_is_told_by_the_loops_own_parameters(hostile):
    first = as_json.to_dict(hostile, HERE)["probes"][0]
    assert first["arguments"] == {"max_iterations": 3}
    assert "called with max_iterations=3" in message(hostile.findings[0], hostile.loop).where


def test_a_loop_that_cannot_be_judged_is_a_problem(report):
    told = as_json.to_dict(FAILED, HERE)
    assert told["problem"] == {
        "code": "gate.target.no_file",
        "message": "There is no file agent.py⟨U+001B⟩.",
    }
    assert (told["passed"], told["loop"], told["probes"]) == (False, None, [])


def test_no_folder_of_the_machine_gets_out(report):
    elsewhere = HERE / "nowhere"
    for text in (
        json.dumps(as_json.to_dict(report, elsewhere)),
        json.dumps(as_sarif.to_dict(report, elsewhere)),
        as_junit.to_xml(report).decode("utf-8"),
    ):
        assert str(HERE) not in text
        assert HERE.as_posix() not in text


# JUnit


@pytest.mark.parametrize("lang", ["en", "es"])
def test_junit_is_xml_and_counts_right(report, hostile, lang):
    for one in (report, hostile, FAILED):
        root = ET.fromstring(as_junit.to_xml(one, lang))
        (suite,) = root.findall("testsuite")
        for element in (root, suite):
            assert int(element.get("tests")) == len(suite.findall("testcase"))
            for plural, name in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                assert int(element.get(plural)) == len(suite.findall(f"testcase/{name}"))


def test_junit_tells_a_failure_in_full(report):
    root = ET.fromstring(as_junit.to_xml(report))
    failed = {case.get("name").partition(":")[0]: case.find("failure") for case in root.iter("testcase")}
    failure = failed["parallel.runs_every_call"]
    (found,) = [one for one in report.findings if one.probe.id == "parallel.runs_every_call"]
    words = message(found, report.loop)
    assert failure.get("type") == found.finding
    assert failure.get("message") == words.parts["saw"]
    assert failure.text.strip().splitlines() == [*words.parts.values(), words.where]


# SARIF


@pytest.mark.parametrize("lang", ["en", "es"])
def test_sarif_has_the_shape_of_2_1_0(report, hostile, lang):
    for one in (report, hostile, FAILED):
        jsonschema.validate(as_sarif.to_dict(one, HERE, lang), SARIF)


def test_each_failure_and_nothing_else_is_a_result_at_a_line_of_the_loop(report):
    (run,) = as_sarif.to_dict(report, HERE)["runs"]
    failed = [one.probe.id for one in report.findings if one.state == "fail"]
    assert [result["ruleId"] for result in run["results"]] == failed
    rules = run["tool"]["driver"]["rules"]
    last = careless.__code__.co_firstlineno + 14
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "test_reports.py"
        assert careless.__code__.co_firstlineno <= place["region"]["startLine"] < last


def test_a_fingerprint_stays_as_long_as_the_finding_does(report):
    moved = dataclasses.replace(report, loop=dataclasses.replace(report.loop, line=99), seed=7)
    marks = [
        [one["partialFingerprints"] for one in as_sarif.to_dict(each, HERE)["runs"][0]["results"]]
        for each in (report, moved)
    ]
    assert marks[0] == marks[1]
    assert len({mark["probe/v1"] for mark in marks[0]}) == len(marks[0])


def test_what_could_not_be_checked_is_a_notification(hostile):
    (run,) = as_sarif.to_dict(hostile, HERE)["runs"]
    (invocation,) = run["invocations"]
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["associatedRule"] == {"id": "ending.stops_at_the_end"}
    assert invocation["executionSuccessful"]
    (failed,) = as_sarif.to_dict(FAILED, HERE)["runs"]
    assert not failed["invocations"][0]["executionSuccessful"]


# Criteria


def test_a_criterion_is_met_by_what_shows_it_and_undone_by_one_failure():
    cases = {
        ("pass", "pass"): "met",
        ("pass", "not-applicable"): "met",
        ("pass", "fail"): "not-met",
        ("fail", "could-not-check"): "not-met",
        ("not-applicable", "not-applicable"): "not-met",
        ("pass", "could-not-check"): "not-shown",
        ("could-not-check", "not-applicable"): "not-shown",
        (): "not-shown",
    }
    (found,) = judge([PROBE], performed(careless, [PROBE], 0))
    for states, expected in cases.items():
        findings = [dataclasses.replace(found, state=state) for state in states]
        assert {one.number: one.state for one in criteria(findings)}[3] == expected, states


PROBE = Probe("ending.waits_for_the_end", "o", silent, (Case("list_then_read"),), criteria=(3,))


def test_every_criterion_has_probes_and_every_probe_stands_under_its_own_id():
    probes = all_probes()
    assert {number for one in probes for number in one.criteria} == set(CRITERIA)
    assert len({one.id for one in probes}) == len(probes)


@pytest.mark.parametrize("lang", ["en", "es"])
def test_every_probe_has_a_title_and_every_family_a_name(lang):
    from simulator.gate.messages import title
    from simulator.text import say

    for one in all_probes():
        assert title(one, lang)
        assert say(f"gate.family.{one.family}", lang)
