"""Prices: dated data beside the code, and replaceable by whoever pays the bill.

Rules of this file:

1. No price is written in code. ``prices.toml`` holds those we could source, each with its page and the day it
   was read; a contract of your own is another file, or ``Rates`` of your own in ``Policy(rates=...)``.
2. A price that is not known is not guessed: a money limit on an unpriced model is refused at the start.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

SHIPPED = Path(__file__).with_name("prices.toml")
_MILLION = Decimal(1_000_000)
_DATED = re.compile(r"-\d{8}$")


@dataclass(frozen=True, slots=True)
class Rates:
    """US dollars for a million tokens of one model."""

    input: Decimal
    output: Decimal
    cache_write: Decimal
    """Kept for 5 minutes."""
    cache_write_hour: Decimal
    """Kept for an hour."""
    cache_read: Decimal
    source: str = ""
    """The page it was read on."""
    read_on: str = ""
    """The day it was read, ``YYYY-MM-DD``."""

    def cost(self, fresh: int, written: int, written_hour: int, read: int, output: int) -> Decimal:
        """Return the dollars for so many tokens of each kind."""
        dollars = (
            fresh * self.input
            + written * self.cache_write
            + written_hour * self.cache_write_hour
            + read * self.cache_read
            + output * self.output
        )
        return dollars / _MILLION


def load_prices(path: Path | None = None) -> dict[str, Rates]:
    """Return the rates of the file at *path* by model; of the shipped one where there is none.

    Raises ValueError, in one sentence, for a file that is no table of prices.
    """
    file = SHIPPED if path is None else path
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"), parse_float=Decimal)
        return {model: _rates(row) for model, row in table["models"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
        raise ValueError(
            f"{file.name} is no table of prices ({type(error).__name__}: {error}); write [models.NAME] with "
            f"input, output, cache_write, cache_write_hour and cache_read as in {SHIPPED.name}"
        ) from None


@lru_cache(maxsize=1)
def shipped_prices() -> Mapping[str, Rates]:
    """Return the shipped rates, read once."""
    return MappingProxyType(load_prices())


def rates_for(model: str, prices: Mapping[str, Rates]) -> Rates | None:
    """Return the rates of *model*, by its name or by its name without a date; None where there are none."""
    return prices.get(model) or prices.get(_DATED.sub("", model))


def _rates(row: dict[str, object]) -> Rates:
    amounts = ("input", "output", "cache_write", "cache_write_hour", "cache_read")
    dollars = [Decimal(str(row[name])) for name in amounts]
    if not all(each.is_finite() and each >= 0 for each in dollars):
        raise ValueError(f"a price is a number of dollars, 0 or more, and not {dollars}")
    rates = dict(zip(amounts, dollars, strict=True))
    return Rates(**rates, source=str(row.get("source", "")), read_on=str(row.get("read_on", "")))
