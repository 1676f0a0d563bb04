"""A contract as Python: the templates filled with literals, and sealed.

Rules of this file:

1. A template gets a value only through :mod:`simulator.contract.literals`, or as one of the few words that
   are made here. Whatever else reaches a ``{{ … }}`` stops the compiler: no text of a contract becomes code.
2. What a contract does not ask for is not in its loop: no switch that nobody turns, no parameter without use.
3. The same contract gives the same bytes on every system: no clock, no path, no order of a set.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from simulator.contract import literals
from simulator.contract.literals import Code
from simulator.contract.model import Budget, Contract, Prices, Signal
from simulator.contract.seal import sealed

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_ROOM = 21_333
"""``max_tokens`` above which the SDK sends no request that is not streamed."""

FORCING = ("any", "tool")
"""Types of ``tool_choice`` that force a call."""

SAMPLING = ("temperature", "top_k", "top_p")
"""What only older models take. The SDK has no parameters for it any more, but sends it."""

WHY: Mapping[Signal, str] = {
    "stop_sequence": "the model wrote a stop sequence",
    "max_tokens": "the answer was cut off and is incomplete",
    "pause_turn": "the turn was paused too often",
    "refusal": "the model refused to answer",
    "model_context_window_exceeded": "the context is full, the answer is incomplete",
}
"""What each signal means where it ends the run."""

_WORD = re.compile(r"[A-Za-z0-9_./ -]*")


def loop_source(contract: Contract) -> str:
    """Return the source of the loop that *contract* declares: one module, LF at its line ends."""
    text: str = _templates().get_template("loop.py.jinja").render(_facts(contract))
    return sealed(text)


@lru_cache(maxsize=1)
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("simulator.contract", "templates"),
        undefined=StrictUndefined,
        autoescape=False,  # It is Python that comes out, and `finalize` lets nothing through as it is.
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        newline_sequence="\n",
        finalize=_only_code,
    )
    made.filters = {
        "literal": literals.literal,
        "assigned": literals.assigned,
        "quotation": literals.quotation,
        "word": word,
    }
    return made


def _only_code(value: object) -> object:
    """Return *value* where it was made as code. Raises TypeError for anything else (rule 1)."""
    if not isinstance(value, Code):
        raise TypeError(f"a template would write {type(value).__name__} {value!r} as it is")
    return value


def word(text: str) -> Code:
    """Return *text* as it is, for a comment. Raises ValueError where it is more than plain words."""
    if not _WORD.fullmatch(text):
        raise ValueError(f"{text!r} is more than words")
    return Code(text)


# --- what the templates are told -----------------------------------------------------------------------


def _facts(contract: Contract) -> dict[str, Any]:
    """Return what the templates use, beside the contract itself."""
    choice = _ordered(contract.request.parameters.get("tool_choice"))
    kind = choice["type"] if choice else None
    return {
        "contract": contract,
        "request": _request(contract),
        "samples": any(name in contract.request.parameters for name in SAMPLING),
        "tool_choice": choice,
        "forces": kind in FORCING,
        "forced_name": kind == "tool",
        "counts_first": kind in FORCING or contract.compaction is not None,
        "rooms": rooms(contract),
        "prices": _prices(contract.budget.prices),
        "client": _client(contract),
        "only_iterations": _only_iterations(contract.budget),
        **_of_failures(contract),
        **_of_signals(contract),
    }


def _request(contract: Contract) -> dict[str, Any]:
    stated = contract.request
    system = {} if stated.system is None else {"system": stated.system}
    rest = {
        name: value for name, value in stated.parameters.items() if name not in (*SAMPLING, "tool_choice")
    }
    apart = {name: value for name, value in stated.parameters.items() if name in SAMPLING}
    beside = {"extra_body": apart} if apart else {}
    return {"model": stated.model, "max_tokens": stated.max_tokens, **system, **_ordered(rest | beside)}


def _ordered(value: Any) -> Any:
    """Return JSON with the keys of its objects in one order, whatever theirs was in the contract."""
    if isinstance(value, Mapping):
        return {key: _ordered(value[key]) for key in sorted(value, key=lambda key: (key != "type", key))}
    return [_ordered(item) for item in value] if isinstance(value, list | tuple) else value


def rooms(contract: Contract) -> list[int]:
    """Return ``max_tokens`` of a request and of each further try, as far as the SDK sends it."""
    first, times = contract.request.max_tokens, contract.signals["max_tokens"].times or 0
    doubled = [first * 2**n for n in range(1, times + 1)]
    return [first, *(room for room in doubled if room <= MOST_ROOM)]


def _prices(prices: Prices | None) -> dict[str, float]:
    if prices is None:
        return {}
    return {
        "input_tokens": prices.input,
        "output_tokens": prices.output,
        "cache_creation_input_tokens": prices.cache_write,
        "cache_read_input_tokens": prices.cache_read,
    }


def _client(contract: Contract) -> Code:
    return Code("without_retries(client)" if contract.retries.by == "loop" else "client")


def _only_iterations(budget: Budget) -> bool:
    return budget.tokens is None and budget.seconds is None and budget.usd is None


def _of_failures(contract: Contract) -> dict[str, Any]:
    retries, compaction = contract.retries.by == "loop", contract.compaction is not None
    bounded = contract.results.max_chars is not None
    return {
        "recovers": retries or compaction,
        "recovering": " ".join(
            [*(["/retries"] if retries else []), *(["/compaction"] if compaction else [])]
        ),
        "compacting": " /compaction" if compaction else "",
        "mends": Code("mended(run, error, failed)" if retries else "mended(run, error)"),
        "failed_parameter": Code(", failed: int" if retries else ""),
        "explained": Code("bounded(run, explained(call, error))" if bounded else "explained(call, error)"),
    }


def _of_signals(contract: Contract) -> dict[str, Any]:
    does = {signal: action.do for signal, action in contract.signals.items()}
    ends = [signal for signal, done in does.items() if done == "finish"]
    counters = [
        *(["pauses"] if does["pause_turn"] == "resume" else []),
        *(["cuts"] if does["max_tokens"] == "ask_again" else []),
    ]
    return {
        "finishing": Code(" | ".join(literals.literal(signal) for signal in sorted(ends))),
        "raising_signals": [
            {"pattern": literals.literal(signal), "why": why}
            for signal, why in WHY.items()
            if does[signal] != "finish"
        ],
        "accepting": " /verification" if contract.verification else "",
        "resets": Code(" = ".join([*(f"run.{name}" for name in counters), "0"])) if counters else "",
    }
