"""The command-line parser of every command: sentences from the catalogue, wrong usage as an exception."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import NoReturn

from simulator.text import say


class UsageError(Exception):
    """The command line asks for something that cannot be; its text is the sentence for the user."""


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps our line breaks and says "usage" in the language of the run."""

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        super().add_usage(usage, actions, groups, say("cli.usage") if prefix is None else prefix)


class Parser(argparse.ArgumentParser):
    """The parser of ``simulator <command>``; its texts are ``cli.<command>.about`` and ``.example``."""

    def __init__(self, command: str) -> None:
        super().__init__(
            prog=f"simulator {command}",
            description=say(f"cli.{command}.about"),
            epilog=say(f"cli.{command}.example"),
            formatter_class=_Formatter,
            add_help=False,
            allow_abbrev=False,
        )
        self.words = self.add_argument_group(say("cli.arguments"))
        self.options = self.add_argument_group(say("cli.options"))
        self.options.add_argument("-h", "--help", action="help", help=say("cli.help"))
        self.options.add_argument("--lang", metavar="en|es", help=say("cli.lang"))

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with argparse's *message* and the way to the help."""
        raise UsageError(say("cli.wrong_usage", command=self.prog, problem=message))

    def read(self, argv: Sequence[str]) -> argparse.Namespace:
        """Return the values of *argv*; raises UsageError."""
        return self.parse_args(list(argv))
