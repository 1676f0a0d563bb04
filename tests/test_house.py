"""The house rules, held against every file of the project."""

import ast
import json
import re
import subprocess
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = {"__pycache__", "node_modules", "build", "dist"}
BINARY = {".png", ".gz", ".ico"}
BROKEN_ON_PURPOSE = re.compile(r"^(katas/\d|tests/katas/\d|tests/contract/lint/cases/)")
"""Katas, the answers to them, and what the linter is tried on: not held to the house rules."""

COMPILED = re.compile(r"^tests/contracts/\d")
"""Loops that the contract compiler wrote: in one file each, since a loop is handed over in one file."""

LONGEST_FUNCTION = 40
LONGEST_FILE = 300  # "about 250": what is longer has two subjects
LONGEST_TEST = 500  # a test file shows its conversations


def files(*suffixes: str) -> list[Path]:
    """Return the project's files with one of *suffixes* (or any), without what tools left behind."""
    found = [
        path
        for path in sorted(ROOT.rglob("*"))
        if path.is_file()
        and not any(part in SKIPPED or (part.startswith(".") and part not in KEPT) for part in parts(path))
        and (not suffixes or path.suffix in suffixes)
    ]
    assert found
    return found


KEPT = {".ci", ".github", ".gitattributes", ".gitignore"}


def parts(path: Path) -> tuple[str, ...]:
    return path.relative_to(ROOT).parts


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def own_python() -> list[Path]:
    return [path for path in files(".py") if not BROKEN_ON_PURPOSE.match(name(path))]


def nodes(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def test_functions_fit_on_a_screen() -> None:
    long = [
        f"{name(path)}:{node.lineno} {node.name} has {length} lines"
        for path in own_python()
        if parts(path)[0] in ("simulator", "benchmarks", "start.py") or COMPILED.match(name(path))
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or 0) - node.lineno + 1) > LONGEST_FUNCTION
    ]
    assert long == []


def test_files_have_one_subject() -> None:
    lengths = {
        name(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in own_python()
        if not COMPILED.match(name(path))
    }
    allowed = {file: LONGEST_TEST if file.startswith("tests/") else LONGEST_FILE for file in lengths}
    long = {file: n for file, n in lengths.items() if n > allowed[file] + SLACK.get(file, 0)}
    assert long == {}


SLACK = {
    "start.py": 30,  # one file by its nature: it is all that runs before anything is installed
}
"""Lines over the limit that a file is allowed, each with its reason."""


def test_every_text_file_is_opened_with_its_encoding() -> None:
    guessed = [
        f"{name(path)}:{node.lineno}"
        for path in own_python()
        for node in nodes(path)
        if isinstance(node, ast.Call)
        and opens_text(node)
        and not any(k.arg == "encoding" for k in node.keywords)
    ]
    assert guessed == []


def opens_text(call: ast.Call) -> bool:
    """Return whether *call* opens, reads or writes a file as text."""
    match call.func:
        case ast.Attribute(attr="read_text" | "write_text"):
            return True
        case ast.Name(id="open") | ast.Attribute(attr="open", value=ast.Name(id="io")):
            modes = call.args[1:2]
        case ast.Attribute(attr="open", value=ast.Name(id="os" | "webbrowser" | "tarfile" | "zipfile")):
            return False
        case ast.Attribute(attr="open") if not call.args or is_text(call.args[0]):
            modes = call.args[:1]
        case _:
            return False
    modes += [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
    return not any(isinstance(mode, ast.Constant) and "b" in str(mode.value) for mode in modes)


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_nothing_is_left_unfinished() -> None:
    marks = re.compile(r"(#|//|/\*|<!--)\s*(TODO|FIXME|XXX)\b|raise NotImplementedError")
    found = [
        f"{name(path)}:{number}"
        for path in [*own_python(), *files(".js", ".css", ".toml", ".md", ".yml")]
        if not BROKEN_ON_PURPOSE.match(name(path)) and path != Path(__file__)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if marks.search(line)
    ]
    assert found == []


def test_nothing_names_a_place_on_somebodys_machine() -> None:
    places = re.compile(r"/(home|Users|root|work|opt)/\w|[A-Z]:\\\\?Users|index-url|find-links")
    found = [
        f"{name(path)}: {match.group()}"
        for path in files()
        if path.suffix not in BINARY and path != Path(__file__)
        for match in places.finditer(path.read_text(encoding="utf-8"))
        if name(path) not in STORIES
    ]
    assert found == []


STORIES: set[str] = set()
"""Files whose recorded conversations play on a made-up machine, with paths of it."""


def test_every_text_file_is_utf8_with_lf_ends_and_a_last_line_end() -> None:
    odd = []
    for path in files():
        if path.suffix in BINARY:
            continue
        raw = path.read_bytes()
        raw.decode("utf-8")
        if b"\r" in raw or (raw and not raw.endswith(b"\n") and path.suffix != ".ipynb"):
            odd.append(name(path))
    assert odd == []


def test_a_suppressed_check_names_its_code_and_its_reason() -> None:
    bare = re.compile(r"#\s*(type: ignore|noqa)(?!(\[[\w, -]+\]|: [A-Z]+\d+))")
    without_reason = re.compile(r"#\s*type: ignore\[[\w, -]+\]\s*$")
    found = [
        f"{name(path)}:{number}"
        for path in own_python()
        if path != Path(__file__)
        for number, comment in comments(path)
        if bare.search(comment) or without_reason.search(comment)
    ]
    assert found == []


def comments(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the comments of a Python file with their lines; a string that looks like one is none."""
    with tokenize.open(path) as source:
        for token in tokenize.generate_tokens(source.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def notebooks() -> list[Path]:
    return files(".ipynb")


def test_notebooks_hold_no_outputs_and_no_machine() -> None:
    for path in notebooks():
        book = json.loads(path.read_text(encoding="utf-8"))
        code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
        assert [cell["outputs"] for cell in code] == [[]] * len(code), name(path)
        assert [cell["execution_count"] for cell in code] == [None] * len(code), name(path)
        assert set(book["metadata"]) <= {"kernelspec", "language_info"}, name(path)
        assert book["metadata"]["kernelspec"]["name"] == "python3", name(path)


def documents() -> list[Path]:
    return [path for path in files(".md") if not BROKEN_ON_PURPOSE.match(name(path))]


def prose(path: Path) -> str:
    """Return the text of a document without its code."""
    return re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_every_link_of_a_document_leads_to_a_file_of_the_project() -> None:
    dead = [
        f"{name(path)}: {target}"
        for path in documents()
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose(path))
        if "://" not in target and not (path.parent / target).exists()
    ]
    assert dead == []


def test_every_path_in_backticks_of_a_document_exists() -> None:
    code = re.compile(
        r"`((?:simulator|katas|cassettes|notebooks|tests|benchmarks|docs|\.ci|\.github)/[\w./-]*\w/?)`"
    )
    dead = [
        f"{name(path)}: {target}"
        for path in documents()
        for target in code.findall(path.read_text(encoding="utf-8"))
        if not (ROOT / target).exists() and not PLACEHOLDER.search(target)
    ]
    assert dead == []


PLACEHOLDER = re.compile(r"\b(NN|NAME)")
"""What a document writes where a reader's own name goes."""


def project() -> dict[str, object]:
    return dict(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"])


def test_the_version_is_the_same_wherever_it_stands() -> None:
    import simulator

    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (\d+\.\d+\.\d+)", changelog, re.MULTILINE)
    assert project()["version"] == simulator.__version__ == versions[0]


def test_readme_says_the_two_commands_and_start_knows_them() -> None:
    for readme in ("README.md", "README.es.md"):
        text = (ROOT / readme).read_text(encoding="utf-8")
        assert re.search(r"^python start\.py$", text, re.MULTILINE), readme
        assert re.search(r"^python start\.py test$", text, re.MULTILINE), readme


def test_the_workflow_runs_the_readmes_command_on_every_promised_system_and_python() -> None:
    workflow = (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    for promised in ("ubuntu-latest", "macos-latest", "windows-latest", "3.11", "3.12", "3.13", "3.14"):
        assert promised in workflow
    assert "python start.py test" in workflow
    assert project()["requires-python"] == ">=3.11"


def test_ci_stops_at_the_first_failure_and_is_valid_bash() -> None:
    script = ROOT / ".ci" / "run"
    assert "set -euo pipefail" in script.read_text(encoding="utf-8")
    assert "|| true" not in script.read_text(encoding="utf-8")
    try:
        subprocess.run(["bash", "-n", str(script)], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("there is no bash on this machine to read .ci/run")


def test_the_licence_is_what_the_package_says() -> None:
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")
    assert project()["license"] == "MIT"
