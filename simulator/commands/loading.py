"""The loop that a command line names: a function in a file, in a module, or one of the shipped ones.

Rule of this file: a loop is the user's own code and is imported here, in this process, as ``python file.py``
would, and no module of ours or of the SDK is replaced by a file of the user's that has the same name.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from simulator.commands.parser import UsageError
from simulator.player.examples import LOOPS
from simulator.text import say


def load(target: str) -> Callable[..., Any]:
    """Return the loop that *target* names.

    That is ``file.py:function``, ``package.module:function``, or one of the shipped :data:`LOOPS`. The file's
    own folder, and the current one for a module, can be imported from, after everything else. Raises
    UsageError or LoopError.
    """
    if target in LOOPS:
        return LOOPS[target]
    place, _, name = target.rpartition(":")
    named = name.isidentifier() and (place.endswith(".py") or _is_dotted(place))
    if not named:
        raise UsageError(say("cli.run.no_target", seen=target, shipped=", ".join(LOOPS)))
    if place.endswith(".py") and not Path(place).is_file():
        raise UsageError(say("cli.run.no_file", path=place))
    module = _of_file(Path(place).resolve()) if place.endswith(".py") else _of_name(place)
    function = getattr(module, name, None)
    if not callable(function):
        known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise UsageError(say("cli.run.no_function", path=place, name=name, known=", ".join(known) or "–"))
    return function  # type: ignore[no-any-return]  # a callable of a module that nobody has typed


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def _of_name(name: str) -> Any:
    """Return the module called *name*, as ``python -m`` would find it."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    importlib.invalidate_caches()
    return _imported(lambda: importlib.import_module(name), name)


def _of_file(path: Path) -> Any:
    # A name that nobody imports: a loop in json.py or anthropic.py must not take the place of that module.
    name = f"loop file {path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(say("cli.run.no_file", path=path))
    module = module_from_spec(spec)
    sys.path.append(str(path.parent))
    sys.modules[name] = module
    loader = spec.loader
    _imported(lambda: loader.exec_module(module), path)
    return module


def _imported(work: Callable[[], Any], path: Path | str) -> Any:
    """Return what *work*, the import of a file or of a module by name, comes to.

    Raises LoopError for whatever it raises, and UsageError where there is no module of that name.
    """
    from simulator.trace.faults import LoopError

    try:
        return work()
    except KeyboardInterrupt:
        raise
    except SyntaxError as error:
        file, line = error.filename or path, error.lineno or 1
        raise LoopError(say("cli.run.syntax", path=file, line=line, problem=error.msg)) from None
    except BaseException as error:
        absent = isinstance(error, ModuleNotFoundError) and error.name
        if absent and isinstance(path, str) and f"{path}.".startswith(f"{absent}."):
            raise UsageError(say("cli.run.no_module", name=absent)) from None
        where = _line_in(error, path)
        what = f"{type(error).__name__}: {error}"
        raise LoopError(say("cli.run.import", path=path, line=where, problem=what)) from error


def _line_in(error: BaseException, path: Path | str) -> int:
    """Return the last line of the file *path* in the traceback of *error*; 1 where it has none.

    Of a module by name, it is the line on which it was raised, wherever that is.
    """
    line, frame = 1, error.__traceback__
    while frame is not None:
        if isinstance(path, str) or frame.tb_frame.f_code.co_filename == str(path):
            line = frame.tb_lineno
        frame = frame.tb_next
    return line
