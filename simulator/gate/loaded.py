"""Load the loop that a target names, in the process that will run it; say exactly why that did not work.

Rules of this file:

1. It is imported once, as ``python -m`` or ``python file.py`` would: from the user's folder, under its own
   name, a file of a package as part of it. What it keeps in its module stays from run to run.
2. The standard library comes before the user's folder and what is installed after it; the SDK and what it
   stands on are imported already. So a loop in ``json.py`` or ``anthropic.py`` takes nobody's place.
3. What an import raises, and that it ended the program, is data.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import linecache
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from simulator.gate import fits
from simulator.gate.problems import Frame, Problem, UnloadableError
from simulator.gate.target import Target
from simulator.trace.faults import LoopError
from simulator.trace.source import code_of, name_of

NAMES = ("loop", "run_agent_loop", "run")
"""What the loop of an adapter file is called, where the file has more than one function."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A loop, ready to be run."""

    function: Callable[..., Any]
    name: str
    file: str
    line: int


def load(target: Target, folder: Path) -> Loaded:
    """Return the loop that *target* names; *folder* is the user's. Raises UnloadableError."""
    sys.dont_write_bytecode = True
    if target.file is None:
        _importable(folder)
        module, place = _module_of(target.module or ""), str(target.module)
    else:
        module, place = _file_of(target.file, folder), target.file.name
    function, name = _named(module, target.name, place) if target.name else _only(module, place)
    fits.check(function, name)
    try:
        code = code_of(function)
    except LoopError:
        raise UnloadableError(Problem("gate.target.no_signature", {"name": name})) from None
    return Loaded(function, name_of(function), code.co_filename, code.co_firstlineno)


def _importable(folder: Path) -> None:
    """Have modules of *folder* found after the standard library and before what is installed (rule 2)."""
    entry = str(folder)
    if entry in sys.path:
        return
    installed = [
        n for n, each in enumerate(sys.path) if Path(each).name in ("site-packages", "dist-packages")
    ]
    sys.path.insert(installed[0] if installed else len(sys.path), entry)
    importlib.invalidate_caches()


def _module_of(name: str) -> ModuleType:
    def run() -> ModuleType:
        return importlib.import_module(name)

    return _imported(run, name, name)


def _file_of(path: Path, folder: Path) -> ModuleType:
    root, name = _in_package(path)
    free = name not in sys.modules and name.split(".")[0] not in sys.stdlib_module_names
    free = free and "." not in path.stem  # to find v_1.5 would be to import v_1
    if free and root != path.parent:
        _importable(root)
        _importable(folder)
        return _imported(lambda: importlib.import_module(name), path.name, name)
    if not free or not _unused(name, path):
        name = f"loop file {path.stem}"
    _importable(path.parent)
    _importable(folder)
    return _imported(lambda: _executed(path, name), path.name, name)


def _unused(name: str, path: Path) -> bool:
    """Return whether no other module than the file *path* would be imported as *name*."""
    spec = importlib.util.find_spec(name)
    return spec is None or spec.origin == str(path)


def _in_package(path: Path) -> tuple[Path, str]:
    """Return the folder from which the file *path* is imported, and its name there: ``agents.loop``."""
    root, parts = path.parent, [path.stem]
    while (root / "__init__.py").is_file() and root.name.isidentifier():
        root, parts = root.parent, [root.name, *parts]
    return root, ".".join(part for part in parts if part != "__init__")


def _executed(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _imported(run: Callable[[], ModuleType], place: str, name: str) -> ModuleType:
    """Return the module that *run* imports. Raises UnloadableError for whatever that raises."""
    linecache.checkcache()
    try:
        return run()
    except ModuleNotFoundError as error:
        raise UnloadableError(_missing(error, place, name)) from None
    except SyntaxError as error:
        file, line = Path(error.filename or place).name, error.lineno or 1
        shown = Frame(line, "", (error.text or "").strip("\n"))
        facts = {"place": place, "file": file, "line": line, "error": error.msg}
        raise UnloadableError(Problem("gate.target.syntax", facts, (shown,))) from None
    except BaseException as error:
        code = "exits" if isinstance(error, SystemExit) else "import"
        text = str(error) if code == "import" else repr(error.args[0] if error.args else None)
        facts = {"place": place, "type": type(error).__name__, "error": text, **_where(error)}
        raise UnloadableError(Problem(f"gate.target.{code}", facts)) from None


def _missing(error: ModuleNotFoundError, place: str, name: str) -> Problem:
    missing = error.name or "?"
    if f"{name}.".startswith(f"{missing}.") and place == name:
        return Problem("gate.target.no_module", {"module": name, "missing": missing})
    return Problem("gate.target.needs_package", {"place": place, "missing": missing, **_where(error)})


def _where(error: BaseException) -> dict[str, Any]:
    """Return the innermost line of the user's own on the way to *error*: ``{"file", "line"}``."""
    frames = traceback.extract_tb(error.__traceback__)
    mine = [each for each in frames if each.filename != __file__ and own(each.filename)]
    found = mine[-1] if mine else None
    return {"file": Path(found.filename).name if found else "?", "line": (found.lineno or 1) if found else 1}


def own(file: str) -> bool:
    """Return whether the code of *file* is neither Python's nor installed."""
    parts = Path(file).parts
    return not (
        file.startswith("<")
        or "site-packages" in parts
        or "dist-packages" in parts
        or Path(file).is_relative_to(Path(inspect.__file__).parent)
    )


def _named(module: ModuleType, name: str, place: str) -> tuple[Any, str]:
    found: Any = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            known = _public(module) if found is module else sorted(n for n in dir(found) if n[0] != "_")
            near = difflib.get_close_matches(part, known, n=1, cutoff=0.5)
            facts = {"place": place, "name": name, "known": ", ".join(known) or "–"}
            code = "no_function_near" if near else "no_function"
            raise UnloadableError(
                Problem(f"gate.target.{code}", facts | ({"near": near[0]} if near else {}))
            ) from None
    return found, name


def _only(module: ModuleType, place: str) -> tuple[Any, str]:
    """Return the loop of an adapter file: by its name, or the only public function written there."""
    for name in NAMES:
        if callable(getattr(module, name, None)):
            return getattr(module, name), name
    public = _public(module)
    if len(public) == 1:
        return getattr(module, public[0]), public[0]
    code = "several" if public else "no_loop"
    facts = {"place": place, "names": ", ".join(NAMES)}
    raise UnloadableError(
        Problem(f"gate.target.{code}", facts | ({"known": ", ".join(public)} if public else {}))
    )


def _public(module: ModuleType) -> list[str]:
    """Return the names of the public functions that are written in *module* itself."""
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and inspect.isfunction(value)
        and getattr(value, "__module__", None) == module.__name__
    ]
