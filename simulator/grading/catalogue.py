"""The katas as ``katas.toml`` lists them: the one catalogue that the grader, the commands and the tests read.

Rules of this file:

1. Whatever is wrong with the file is one CatalogueError that names the file, the kata and the key; a broken
   catalogue never loads as an empty one.
2. The file holds structure. Titles, hints and messages are sentences: ``text/<lang>/katas.toml``.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from simulator import paths
from simulator.text import say

FILE = "katas.toml"
SLUG = re.compile(r"\d\d_[a-z0-9_]+")
KINDS = ("loop", "contract")
"""What a learner works on: ``loop.py``, or ``contract.json``, from which ``loop.py`` is compiled."""

FIELDS: dict[str, type] = {
    "slug": str,
    "kind": str,
    "track": int,
    "minutes": int,
    "difficulty": int,
    "concept": str,
    "prerequisites": list,
    "scenarios": list,
    "arguments": dict,
    "probes": list,
    "guards": list,
    "hints": int,
    "messages": dict,
}
"""Keys of a ``[[kata]]`` and their types; each is required."""


class CatalogueError(ValueError):
    """``katas.toml`` is missing or not a catalogue, or it holds no such kata."""


@dataclass(frozen=True, slots=True)
class Kata:
    """One kata: where it lies, what grades it, and what there is to say about it."""

    folder: Path
    slug: str
    kind: str
    """``loop`` or ``contract``."""
    track: int
    minutes: int
    """Minutes that a learner who meets the idea for the first time should plan."""
    difficulty: int
    """1 to 5."""
    concept: str
    prerequisites: tuple[str, ...]
    scenarios: tuple[str, ...]
    arguments: dict[str, Any]
    """Keyword arguments that the grader passes besides client, messages, tools and handlers."""
    probes: tuple[str, ...]
    """The judgements that grade it, ``module.function``, in the order a learner meets them."""
    guards: tuple[str, ...]
    """Tests that the starter already passes: they keep what works working and earn nothing."""
    hints: int
    messages: dict[str, str]
    """Message id to the finding it is about: ``{"K02-E1": "history.repeated"}``."""

    @property
    def number(self) -> str:
        """The kata's number as written: ``02``."""
        return self.slug[:2]

    @property
    def id(self) -> str:
        """The kata's id in the catalogue of sentences: ``K02``."""
        return f"K{self.number}"

    @property
    def loop(self) -> Path:
        """The loop that is graded."""
        return self.folder / "loop.py"

    @property
    def edited(self) -> Path:
        """The one file a learner edits."""
        return self.folder / "contract.json" if self.kind == "contract" else self.loop

    @property
    def test(self) -> Path:
        """The grader of this kata."""
        return self.folder / "loop_test.py"

    def title(self, lang: str | None = None) -> str:
        """Return the title in *lang*."""
        return say(f"katas.{self.id}.title", lang)

    def hint(self, rung: int, lang: str | None = None) -> str:
        """Return hint *rung* (from 1) in *lang*."""
        return say(f"katas.{self.id}.hint.{rung}", lang)

    def message_id(self, finding: str) -> str | None:
        """Return the id of the message for *finding*, or None when this kata is not about it."""
        return next((key for key, value in self.messages.items() if value == finding), None)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All katas of one folder, in order."""

    folder: Path
    katas: tuple[Kata, ...]

    def find(self, name: str) -> Kata:
        """Return the kata called *name*: a number (``2``, ``02``), a slug, its words, a path to its folder.

        Raises CatalogueError when there is none, listing what there is.
        """
        wanted = Path(name).name if "/" in name or "\\" in name else name
        number = f"{int(wanted):02}" if wanted.isascii() and wanted.isdigit() else None
        for kata in self.katas:
            if kata.number == number or wanted in (kata.slug, kata.slug[3:]):
                return kata
        raise CatalogueError(say("grading.catalogue.unknown", name=name, known=self.names()))

    def at(self, path: Path) -> Kata | None:
        """Return the kata whose folder holds *path*, or None."""
        return next((kata for kata in self.katas if path.resolve().is_relative_to(kata.folder)), None)

    def names(self) -> str:
        """Return the slugs in one line."""
        return ", ".join(kata.slug for kata in self.katas)


def load(folder: Path | None = None) -> Catalogue:
    """Return the catalogue of *folder* (the shipped katas by default); raises CatalogueError."""
    return _load((folder or paths.katas()).resolve())


@lru_cache(maxsize=8)
def _load(folder: Path) -> Catalogue:
    stated = _read(folder / FILE)
    entries = stated.get("kata")
    if stated.get("format") != 1 or not isinstance(entries, list) or not entries:
        raise CatalogueError(say("grading.catalogue.not_one", file=FILE))
    katas = tuple(_kata(folder, entry) for entry in entries)
    slugs = [kata.slug for kata in katas]
    if len(set(slugs)) < len(slugs) or slugs != sorted(slugs):
        raise CatalogueError(say("grading.catalogue.order", file=FILE))
    return Catalogue(folder, katas)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CatalogueError(say("grading.catalogue.missing", file=FILE, folder=path.parent)) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CatalogueError(say("grading.catalogue.unreadable", file=FILE, error=error)) from None


def _kata(folder: Path, entry: object) -> Kata:
    stated = entry if isinstance(entry, dict) else {}
    name = str(stated.get("slug", "?"))
    for key, kind in FIELDS.items():
        value = stated.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise CatalogueError(
                say("grading.catalogue.key", file=FILE, kata=name, key=key, kind=kind.__name__)
            )
    if not SLUG.fullmatch(name):
        raise CatalogueError(say("grading.catalogue.slug", file=FILE, kata=name))
    if stated["kind"] not in KINDS:
        raise CatalogueError(
            say("grading.catalogue.kind", file=FILE, kata=name, kind=stated["kind"], known=", ".join(KINDS))
        )
    for key in stated:
        if key not in FIELDS:
            raise CatalogueError(say("grading.catalogue.extra", file=FILE, kata=name, key=key))
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in stated.items()
    }
    return Kata(folder=folder / name, **values)
