"""start.py without its slow part: what it makes, keeps, empties, refuses and runs."""

import ast
import importlib.util
import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def start() -> ModuleType:
    spec = importlib.util.spec_from_file_location("start", ROOT / "start.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a new environment that has no pip and nothing else."""
    directory = tmp_path_factory.mktemp("bare") / "env"
    venv.EnvBuilder(symlinks=os.name != "nt").create(directory)
    return directory


def made(start: ModuleType, directory: Path, **changes: str) -> Path:
    """Return *directory* with the stamp of a finished environment of ours, changed as said."""
    directory.mkdir(parents=True, exist_ok=True)
    stamp = {**start.wanted_stamp(), "made by": "start.py", **changes}
    (directory / start.STAMP).write_text(json.dumps(stamp), encoding="utf-8")
    python = start.python_of(directory)
    python.parent.mkdir(exist_ok=True)
    python.touch()
    return directory


@pytest.mark.parametrize(
    ("words", "directory", "command"),
    [
        ([], ".venv", ["lab"]),
        (["--no-browser"], ".venv", ["lab", "--no-browser"]),
        (["test", "-k", "x"], ".venv", ["test", "-k", "x"]),
        (["--venv", "env", "test"], "env", ["test"]),
        (["--venv=env"], "env", ["lab"]),
        (["katas", "list", "--venv", "x"], ".venv", ["katas", "list", "--venv", "x"]),
    ],
)
def test_without_a_command_the_notebook_is_opened_and_options_before_it_are_ours(
    start: ModuleType, words: list[str], directory: str, command: list[str]
) -> None:
    place, found = start.parse(words)
    assert (place.name, found) == (directory, command)


def test_venv_without_a_folder_is_wrong_usage(start: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert start.main(["--venv"]) == 2
    assert "--venv names no folder" in capsys.readouterr().err


def test_help_shows_the_commands_and_sets_nothing_up(
    start: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert start.main(["--venv", str(tmp_path / "env"), "--help"]) == 0
    assert "python start.py test" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_a_finished_environment_is_left_alone(
    start: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start.set_up(made(start, tmp_path / "env"))
    assert capsys.readouterr().out == ""


def test_an_environment_whose_needs_changed_is_kept(start: ModuleType, tmp_path: Path) -> None:
    directory = made(start, tmp_path / "env", needs="other")
    assert start.keeps(directory, start.read_stamp(directory / start.STAMP), start.wanted_stamp())


@pytest.mark.parametrize("change", [{"python": "3.11 of elsewhere"}, {"root": "another folder"}])
def test_an_environment_for_another_python_or_place_is_made_anew(
    start: ModuleType, tmp_path: Path, change: dict[str, str]
) -> None:
    directory = made(start, tmp_path / "env", **change)
    assert not start.keeps(directory, start.read_stamp(directory / start.STAMP), start.wanted_stamp())


def test_an_environment_whose_making_was_interrupted_is_made_anew(start: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "env").mkdir()
    start.write_stamp(tmp_path / "env" / start.STAMP, {"made by": "start.py"})
    (tmp_path / "env" / "half").touch()
    found = start.read_stamp(tmp_path / "env" / start.STAMP)
    assert not start.keeps(tmp_path / "env", found, start.wanted_stamp())
    start.make(tmp_path / "env")
    assert not (tmp_path / "env" / "half").exists()
    assert start.works([str(start.python_of(tmp_path / "env")), "-c", "pass"])


def test_jupyterlab_does_not_ask_a_newcomer_about_news_and_saves_players(
    start: ModuleType, tmp_path: Path
) -> None:
    start.make(tmp_path / "env")
    said = (tmp_path / "env/share/jupyter/lab/settings/overrides.json").read_text(encoding="utf-8")
    changed = json.loads(said)
    for plugin, settings in changed.items():
        extension, _, name = plugin.partition(":")
        (schema,) = Path(sys.prefix, "share", "jupyter").glob(f"lab*/**/schemas/{extension}/{name}.json")
        rules = json.loads(schema.read_text(encoding="utf-8"))
        jsonschema.validate(settings, rules)
        assert set(settings) <= set(rules["properties"])
    assert changed["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"
    assert changed["@jupyter-widgets/jupyterlab-manager:plugin"]["saveState"] is True


@pytest.mark.parametrize("stamp", [None, "", "not json", "[]"])
def test_a_folder_of_someone_elses_is_refused_and_keeps_its_files(
    start: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], stamp: str | None
) -> None:
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    if stamp is not None:
        (tmp_path / start.STAMP).write_text(stamp, encoding="utf-8")
    assert start.main(["--venv", str(tmp_path), "test"]) == 1
    assert "Remove it, or choose another folder" in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "years of work"


def test_a_working_environment_of_someone_elses_is_never_emptied(start: ModuleType, bare: Path) -> None:
    assert start.keeps(bare, {}, start.wanted_stamp())
    assert start.keeps(bare, {"made by": "someone else"}, start.wanted_stamp())


def test_a_file_in_the_way_is_one_sentence(
    start: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "env").touch()
    assert start.main(["--venv", str(tmp_path / "env"), "setup"]) == 1
    assert "choose another folder" in capsys.readouterr().err


def test_without_ensurepip_the_pip_outside_does_the_install(start: ModuleType, bare: Path) -> None:
    broken = bare.parent / "no_ensurepip"
    broken.mkdir(exist_ok=True)
    (broken / "ensurepip.py").write_text("raise SystemExit('there is none')", encoding="utf-8")
    # A path file puts the broken module before the standard library's in this environment alone.
    site = subprocess.run(
        [str(start.python_of(bare)), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    path_file = Path(site) / "broken.pth"
    path_file.write_text(f"import sys; sys.path.insert(0, {str(broken)!r})\n", encoding="utf-8")
    command = start.pip(bare)
    assert command == [sys.executable, "-m", "pip", "--python", str(start.python_of(bare))]


def test_test_runs_the_suite_and_then_the_notebooks(start: ModuleType, bare: Path) -> None:
    python = str(start.python_of(bare))
    assert [command for command, _ in start.commands(["test"], bare)] == [
        [python, "-m", "pytest"],
        [python, "-m", "pytest", "notebooks"],
    ]


def test_test_with_words_of_its_own_runs_pytest_on_them(start: ModuleType, bare: Path) -> None:
    assert start.commands(["test", "tests/wire", "-x"], bare) == [
        ([str(start.python_of(bare)), "-m", "pytest", "tests/wire", "-x"], ROOT)
    ]


def test_lab_opens_the_first_notebook_on_loopback(start: ModuleType, bare: Path) -> None:
    [(command, folder)] = start.commands(["lab", "--no-browser"], bare)
    assert command[:3] == [str(start.python_of(bare)), "-m", "jupyterlab"]
    assert "--LabApp.default_url=/lab/tree/notebooks/01_step_the_loop.ipynb" in command
    assert "--ServerApp.ip=127.0.0.1" in command
    assert command[-1] == "--no-browser"
    assert folder == ROOT


def test_a_command_of_the_environment_runs_where_the_user_is(start: ModuleType, bare: Path) -> None:
    [(command, folder)] = start.commands(["python", "-c", "pass"], bare)
    assert Path(command[0]).parent == start.python_of(bare).parent
    assert (command[1:], folder) == (["-c", "pass"], Path.cwd())


def test_an_unknown_command_is_wrong_usage_with_the_nearest_one(start: ModuleType, bare: Path) -> None:
    with pytest.raises(start.UsageError, match=r"There is no command kats.*start\.py katas"):
        start.commands(["kats"], bare)


def test_every_part_runs_and_the_first_failure_is_the_exit_status(start: ModuleType, tmp_path: Path) -> None:
    parts = [([sys.executable, "-c", text], tmp_path) for text in ("exit(3)", "open('b', 'w')", "exit(4)")]
    assert start.run_all(parts, dict(os.environ)) == 3
    assert (tmp_path / "b").exists()


def test_a_process_in_the_environment_finds_its_commands_first(start: ModuleType, bare: Path) -> None:
    env = start.environment(bare)
    assert env["PATH"].split(os.pathsep)[0] == str(start.python_of(bare).parent)
    assert "PYTHONPATH" not in env


def test_a_failed_install_shows_the_end_of_what_pip_said(
    start: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = "print('Collecting x')\nprint('ERROR: no route to x')\nraise SystemExit(1)\n"
    (tmp_path / "fake_pip.py").write_text(script, encoding="utf-8")
    with pytest.raises(start.SetupError, match=r"(?s)ERROR: no route to x.*pip could not install"):
        start.install(tmp_path, [sys.executable, str(tmp_path / "fake_pip.py")])
    assert "no route" in (tmp_path / "pip.log").read_text(encoding="utf-8")


NEWER_THAN_2_7 = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.Nonlocal, ast.AsyncFunctionDef, ast.Match)


def test_every_python_can_parse_it() -> None:
    """Whoever has an old Python must get the sentence and not a syntax error."""
    text = (ROOT / "start.py").read_text(encoding="utf-8")
    newer = [node for node in ast.walk(ast.parse(text)) if isinstance(node, NEWER_THAN_2_7) or is_newer(node)]
    assert text.isascii()
    assert [f"line {getattr(node, 'lineno', '?')}: {ast.unparse(node)[:60]}" for node in newer] == []


def is_newer(node: ast.AST) -> bool:
    """Return whether *node* uses a part of its syntax that Python 2.7 has not."""
    match node:
        case ast.FunctionDef(returns=returns, args=args):
            return returns is not None or bool(args.kwonlyargs) or any(a.annotation for a in args.args)
        case ast.Raise(cause=cause):
            return cause is not None
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return any(isinstance(element, ast.Starred) for element in elements)
        case ast.Call(func=ast.Name(id="print"), keywords=keywords):
            return bool(keywords)
        case _:
            return False
