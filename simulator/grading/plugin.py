"""The katas' pytest plugin: ``-p simulator.grading.plugin`` in ``katas/pytest.ini`` loads it.

Rules of this file:

1. Nothing heavy is imported here; the child process imports the SDK while pytest collects.
2. pytest finds, selects and runs the tests; what they mean and how it is told is ``checks`` and ``report``.
3. The first failure of a kata is told on a page, the others in one line each.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest._code.code import ReprFileLocation, TerminalRepr
from _pytest._io import TerminalWriter

from simulator.gate.runner import Runner
from simulator.grading import arguments, catalogue, pristine, report, state
from simulator.grading.catalogue import Kata
from simulator.grading.checks import Grading
from simulator.grading.results import CheckError, Result
from simulator.text import LANGUAGES, language, say

if TYPE_CHECKING:
    from simulator.grading.declared import Declared


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--seed`` and ``--lang``."""
    group = parser.getgroup("katas")
    group.addoption("--seed", type=arguments.seed, default=None, help=say("grading.cli.opt_seed"))
    group.addoption("--lang", choices=LANGUAGES, default=None, help=say("grading.cli.opt_lang"))


def pytest_configure(config: pytest.Config) -> None:
    """Start the child process, so that it is ready when the first test is."""
    chosen = config.getoption("--seed")
    seed = arguments.free_seed() if chosen is None else chosen
    session = Session(seed, config.getoption("--lang"), config)
    config.pluginmanager.register(session, "katas-session")
    if not config.option.collectonly and not config.option.help:
        session.runner.start()


class Session:
    """What one pytest run knows of its katas."""

    def __init__(self, seed: int, lang: str | None, config: pytest.Config) -> None:
        self.seed, self.lang, self._config = seed, language(lang), config
        self.runner = Runner()
        self.gradings: dict[Path, Grading] = {}

    @pytest.fixture
    def run(self, request: pytest.FixtureRequest) -> Grading:
        """The learner's loop, to be run on a recorded conversation: ``run("…").must(…)``."""
        grading = self._grading(request.path)
        grading.begin(request.node.name)
        return grading

    @pytest.fixture
    def declared(self, run: Grading) -> Declared:
        """The learner's contract, and the loop that is compiled from it: ``declared.must(…)``."""
        return run.declared

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the page in place of pytest's own account of the exception."""
        told = yield
        grading = self.gradings.get(item.path)
        if grading is None or call.when != "call":
            return told
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, CheckError):
            self._tell(told, item, grading, error.result)
        elif error is None:
            grading.results.append(Result(item.name, "pass", guard=item.name in grading.kata.guards))
        return told

    def _tell(self, told: pytest.TestReport, item: pytest.Item, grading: Grading, result: Result) -> None:
        first = all(one.state in ("pass", "skipped") for one in grading.results)
        grading.results.append(result)
        head = report.headline(result, grading.kata, self.seed, self.lang)
        if result.state == "skipped":
            told.outcome = "skipped"
            told.longrepr = (str(item.path), 0, f"Skipped: {head}")
            return
        text = report.page(result, grading.kata, self.seed, self.lang) if first else head
        told.longrepr = Page(text, head, str(item.path))
        told.sections = []

    def _grading(self, path: Path) -> Grading:
        if path not in self.gradings:
            kata = _kata_of(path)
            self.gradings[path] = Grading(kata, kata.loop, self.seed, self.runner, self._notice)
        return self.gradings[path]

    def _notice(self, key: str) -> None:
        """Tell whoever sits at the terminal why it takes so long."""
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        capture = self._config.pluginmanager.get_plugin("capturemanager")
        if terminal is None or capture is None or not terminal.isatty:
            return
        with capture.global_and_fixture_disabled():
            told = report.printable(say(key, self.lang), _encoding(terminal._tw))
            terminal.write(f"\n{told}\n", flush=True)  # behind the dots, which end no line

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say of each kata what it came to, and what to do next."""
        writer = terminalreporter._tw
        for line in self._summary():
            writer.line(report.printable(line, _encoding(writer)))

    def _summary(self) -> Iterator[str]:
        yield ""
        for grading in self.gradings.values():
            if not pristine.is_pristine(grading.kata):
                yield say("grading.pristine", self.lang, number=grading.kata.number)
            yield from report.summary(grading.kata, grading.results, self.lang)
        yield from self._next()
        yield say("grading.seed", self.lang, seed=self.seed)

    def _next(self) -> Iterator[str]:
        """Say which kata comes next, where all that was graded is passed."""
        graded = list(self.gradings.values())
        if not graded or not all(report.passed(one.kata, one.results) for one in graded):
            return
        known = catalogue.load(graded[0].kata.folder.parent)
        kata = state.read(known).next_kata(known)
        if kata is None:
            yield say("grading.summary.all", self.lang)
        else:
            yield say("grading.summary.next", self.lang, slug=kata.slug)

    def pytest_sessionfinish(self) -> None:
        """Keep the ticks of katas that were graded whole and passed."""
        for grading in self.gradings.values():
            if report.passed(grading.kata, grading.results):
                known = catalogue.load(grading.kata.folder.parent)
                progress = state.read(known)
                progress.mark_passed(grading.kata)
                progress.save()

    def pytest_unconfigure(self) -> None:
        """End the child process."""
        self.runner.close()


class Page(TerminalRepr):
    """A page of ours where pytest would print a traceback."""

    def __init__(self, text: str, head: str, path: str) -> None:
        self.text = text
        self.reprcrash = ReprFileLocation(path, 0, head)

    def toterminal(self, tw: TerminalWriter) -> None:
        """Write the page."""
        tw.line(report.printable(self.text, _encoding(tw)))

    def __str__(self) -> str:
        return self.text


def _kata_of(path: Path) -> Kata:
    kata = catalogue.load(path.parent.parent).at(path)
    if kata is None:
        raise catalogue.CatalogueError(say("grading.catalogue.unknown", name=path.parent.name, known=""))
    return replace(kata)


def _encoding(writer: TerminalWriter) -> str | None:
    return getattr(writer._file, "encoding", None)
