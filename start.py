"""Set this project up and run something in it. Needs Python 3.11 or newer with pip, and nothing else.

    python start.py                     set up, then open JupyterLab on the first notebook
    python start.py test                set up, then run every test
    python start.py setup               set up only
    python start.py katas list          set up, then run any command of the environment

The environment is the folder .venv beside this file, or another one: python start.py --venv DIR ...
What follows "lab" goes to JupyterLab (--no-browser, --port 9999), what follows "test" to pytest.

Rules of this file:

1. Every Python since 2.7 can parse it, so that an old one gets a sentence and not a syntax error. Hence the
   types in comments, the old formatting and the plain ASCII.
2. It uses the standard library and the project's sentences (simulator.text), for nothing is installed yet.
3. An environment is whole or it is made anew: its stamp is only complete when it is.
4. A folder is emptied only when its stamp says that this file made it.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit(
        "This is Python %d.%d, and agent-loop-katas needs 3.11 or newer: run start.py with a newer one, "
        "for instance `python3.12 start.py`, or get one from python.org." % sys.version_info[:2]
    )

import collections
import difflib
import hashlib
import json
import os
import shutil
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from simulator.text import say  # noqa: E402

NOTEBOOK = "notebooks/01_step_the_loop.ipynb"
STAMP = "agent-loop-katas.json"
OWN = ("lab", "test", "setup")
KNOWN = OWN + ("katas", "simulator", "pytest", "python", "jupyter", "ruff", "mypy")
OFFLINE = (
    # JupyterLab asks the network for news, for its newest version and for extensions. Nothing here does.
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.extension_manager=readonly",
)
# Nor does it ask a newcomer, over the first notebook, whether it may fetch news. And a saved notebook keeps
# its players, so that opened another day it shows them, and not "model not found".
QUIET = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},
}


class SetupError(Exception):
    """The environment could not be made; the text is the sentence for the user."""


class UsageError(Exception):
    """The command line makes no sense; the text is the sentence for the user."""


def main(argv):
    # type: (list[str]) -> int
    """Do what *argv* asks for and return the exit status: 0 fine, 1 failed, 2 wrong usage."""
    try:
        directory, words = parse(argv)
        if words[0] in ("-h", "--help"):
            print((__doc__ or "").split("\n\nRules")[0])
            return 0
        set_up(directory)
        return run_all(commands(words, directory), environment(directory))
    except (SetupError, UsageError) as problem:
        sys.stderr.write(str(problem) + "\n")
        return 2 if isinstance(problem, UsageError) else 1
    except KeyboardInterrupt:
        return 130


def parse(argv):
    # type: (list[str]) -> tuple[Path, list[str]]
    """Return the folder of the environment and the words of the command; without one it is ``lab``."""
    words = list(argv)
    directory = ROOT / ".venv"
    if words and words[0].split("=")[0] == "--venv":
        option, _, value = words.pop(0).partition("=")
        if not value and not words:
            raise UsageError(say("start.no_directory", option=option))
        directory = Path(value or words.pop(0)).expanduser().absolute()
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help")):
        words.insert(0, "lab")
    return directory, words


def set_up(directory):
    # type: (Path) -> None
    """Make *directory* an environment in which this project runs; do nothing where it is one already."""
    stamp = directory / STAMP
    found, wanted = read_stamp(stamp), wanted_stamp()
    if all(found.get(key) == wanted[key] for key in wanted) and python_of(directory).exists():
        return
    kept = keeps(directory, found, wanted)
    print(say("start.setting_up", directory=shown(directory), version="%d.%d.%d" % sys.version_info[:3]))
    made = {"made by": found.get("made by", "someone else") if kept else "start.py"}
    try:
        if not kept:
            make(directory)
        write_stamp(stamp, made)
        install(directory, pip(directory))
        write_stamp(stamp, dict(wanted, **made))
    except OSError as problem:
        raise SetupError(say("start.cannot_write", directory=shown(directory), problem=problem))
    print(say("start.ready"))


def wanted_stamp():
    # type: () -> dict[str, str]
    """Return what a finished environment's stamp says: its interpreter, our place, and what we need."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)
    needs = [project["build-system"], project["project"], project["tool"]["hatch"]]
    return {
        "python": "%d.%d of %s" % (sys.version_info[0], sys.version_info[1], sys.base_prefix),
        "root": str(ROOT),
        "needs": hashlib.sha256(json.dumps(needs, sort_keys=True).encode()).hexdigest(),
    }


def read_stamp(stamp):
    # type: (Path) -> dict[str, str]
    """Return the stamp of an environment; empty when there is none that can be read."""
    try:
        value = json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def write_stamp(stamp, content):
    # type: (Path, dict[str, str]) -> None
    """Write the stamp in one go: a kill leaves the old one or the new one."""
    beside = stamp.with_suffix(".new")
    beside.write_text(json.dumps(content, indent=1), encoding="utf-8")
    beside.replace(stamp)


def keeps(directory, found, wanted):
    # type: (Path, dict[str, str], dict[str, str]) -> bool
    """Return whether the environment in *directory* can stay, so that all it needs is another install.

    Ours stays when it was finished, for this interpreter and in this place. Someone else's always does, and
    raises SetupError when it does not work.
    """
    if directory == Path(sys.prefix):
        return True  # we are running in it
    if found.get("made by") == "start.py":
        same = all(found.get(key) == wanted[key] for key in ("python", "root"))
        return same and python_of(directory).exists()
    if not directory.exists() or (directory.is_dir() and not any(directory.iterdir())):
        return False
    test = "import sys; sys.exit(sys.version_info < (3, 11) or sys.prefix == sys.base_prefix)"
    if not works([str(python_of(directory)), "-c", test]):
        raise SetupError(say("start.not_ours", directory=shown(directory)))
    return True


def make(directory):
    # type: (Path) -> None
    """Make a new environment without pip in *directory*, which is empty or ours (see :func:`keeps`)."""
    import venv

    if directory.exists():
        shutil.rmtree(directory)
    directory.mkdir(parents=True)
    write_stamp(directory / STAMP, {"made by": "start.py"})
    venv.EnvBuilder(symlinks=os.name != "nt", prompt=ROOT.name).create(str(directory))
    settings = directory / "share" / "jupyter" / "lab" / "settings"
    settings.mkdir(parents=True)
    (settings / "overrides.json").write_text(json.dumps(QUIET), encoding="utf-8")


def install(directory, installer):
    # type: (Path, list[str]) -> None
    """Install this project, editable, with what its tests need, by the pip whose command is *installer*."""
    quietly = ["--no-input", "--disable-pip-version-check"]
    # With pip itself, which an environment that was filled from outside has not yet.
    command = installer + ["install"] + quietly + ["pip", "--editable", ".[dev]"]
    print(say("start.installing"))
    log = directory / "pip.log"
    tail = collections.deque(maxlen=15)  # type: collections.deque[str]
    process = subprocess.Popen(
        command,
        cwd=str(ROOT),
        env=environment(directory),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    with log.open("w", encoding="utf-8") as file, process:
        for line in process.stdout or ():
            file.write(line)
            tail.append(line.rstrip())
            show_progress(line)
    show_progress("")
    if process.returncode != 0:
        raise SetupError("\n".join(list(tail) + ["", say("start.pip_failed", log=shown(log))]))


def show_progress(line):
    # type: (str) -> None
    """Show on a terminal, in one line that is written over, what pip is at; an empty *line* wipes it."""
    if sys.stdout.isatty() and (not line or line.startswith("Collecting")):
        sys.stdout.write("\r" + line.strip()[:70].ljust(70) + ("" if line else "\r"))
        sys.stdout.flush()


def pip(directory):
    # type: (Path) -> list[str]
    """Return the command of a pip that installs into *directory*.

    Debian's python3 has no ensurepip unless python3-venv is installed; then the pip of the Python that runs
    this file does it from outside (``--python``, since pip 22.3).
    """
    python = str(python_of(directory))
    inside = [python, "-m", "pip"]
    if works(inside + ["--version"]) or works([python, "-m", "ensurepip", "--default-pip"]):
        return inside
    outside = [sys.executable, "-m", "pip", "--python", python]
    if works(outside + ["--version"]):
        return outside
    raise SetupError(say("start.no_pip", python=sys.executable))


def commands(words, directory):
    # type: (list[str], Path) -> list[tuple[list[str], Path]]
    """Return what is to be run for *words*, in order: command lines and the folders they run in."""
    python, name, rest = str(python_of(directory)), words[0], words[1:]
    if name == "setup":
        return []
    if name == "lab":
        print(say("start.opening", notebook=NOTEBOOK))
        return [([python, "-m", "jupyterlab"] + lab_options() + rest, ROOT)]
    if name == "test":
        pytest = [python, "-m", "pytest"]
        # The notebooks have a pytest.ini of their own: the plugin that runs their cells is slow to load.
        parts = [rest] if rest else [[], ["notebooks"]]
        return [(pytest + part, ROOT) for part in parts]
    program = shutil.which(name, path=str(python_of(directory).parent))
    if program is None:
        near = difflib.get_close_matches(name, KNOWN, n=1)
        raise UsageError(say("start.unknown", name=name, near=near[0] if near else "--help"))
    return [([program] + rest, Path.cwd())]


def lab_options():
    # type: () -> list[str]
    """Return how JupyterLab is to run: on loopback, on the whole project, asking the network nothing.

    The notebook is its first address, so that whoever opens no browser here is told the right one.
    """
    options = ["--ServerApp.ip=127.0.0.1", "--ServerApp.root_dir=" + str(ROOT)]
    options += ["--LabApp.default_url=/lab/tree/" + NOTEBOOK] + list(OFFLINE)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")  # a container's only user; the server listens on loopback alone
    return options


def run_all(parts, env):
    # type: (list[tuple[list[str], Path]], dict[str, str]) -> int
    """Run all *parts*, also after one failed, and return the first exit status that is not 0."""
    statuses = [run(command, folder, env) for command, folder in parts]
    return next((status for status in statuses if status != 0), 0)


def run(command, folder, env):
    # type: (list[str], Path, dict[str, str]) -> int
    """Run *command* and return its exit status. Ctrl-C is the command's own business: it got it too."""
    process = subprocess.Popen(command, cwd=str(folder), env=env)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


def environment(directory):
    # type: (Path) -> dict[str, str]
    """Return the variables of a process that runs in the environment."""
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONHOME", "PYTHONPATH")}
    env["VIRTUAL_ENV"] = str(directory)
    env["PATH"] = str(python_of(directory).parent) + os.pathsep + env.get("PATH", "")
    env["JUPYTER_PREFER_ENV_PATH"] = "1"  # this environment's kernel, not one that the user has elsewhere
    return env


def works(command):
    # type: (list[str]) -> bool
    """Return whether *command* can be run and succeeds; its output is nobody's business."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


def python_of(directory):
    # type: (Path) -> Path
    """Return the path of the environment's interpreter."""
    return directory / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def shown(path):
    # type: (Path) -> str
    """Return *path* as short as it can be written from here."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
