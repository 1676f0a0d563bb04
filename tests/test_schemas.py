"""JSON Schema without the part that takes seconds to import."""

import json
import subprocess
import sys
from typing import Any

import pytest


def after(code: str) -> Any:
    told = "import json, sys\n" + code + "\nprint(json.dumps([m in sys.modules for m in NAMES]))"
    named = "NAMES = ['jsonschema', 'rfc3987_syntax', 'lark']\n" + told
    done = subprocess.run([sys.executable, "-c", named], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "code",
    [
        "from simulator.schemas import library; library()",
        "import simulator as s; s.Trace.from_cassette(s.scenario('list_then_read').recording.path)",
    ],
    ids=["the library", "a trace of a cassette"],
)
def test_no_grammar_is_compiled_for_a_format_that_no_schema_asks_for(code: str) -> None:
    assert after(code) == [True, False, False]


def test_a_library_that_somebody_imported_before_is_taken_as_it_is() -> None:
    whole = "import jsonschema, simulator.schemas as s; assert s.library() is jsonschema"
    assert after(whole)[0] is True
