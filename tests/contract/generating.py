"""Contracts of every kind that the language has, made by chance; and their texts as bad as they can be."""

import json
from typing import Any

from hypothesis import strategies as st

from simulator.contract import read
from simulator.contract.model import Contract

HOSTILE = (
    '"""',
    "'''",
    "\\",
    '\\"',
    '"); import os; os.abort()  # ',
    "\n\nimport os\nos.abort()\n",
    ">>> import os; os.abort()",
    "# noqa\n# type: ignore\n# fmt: off",
    "{{ contract }} {% include 'x' %} {# x #}",
    "{run} %s %(x)s $HOME `date`",
    "\u202egnp.exe\u202c \u200b\ufeff\u2028",
    "é 漢字 🙂 👩‍👩‍👧",
    "x" * 120,
)
"""Texts that would like to be something else than texts."""

TEXT = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=200),
    st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=4).map("".join),
)
SAID = TEXT.filter(lambda text: bool(text.strip()))
RAISE = {"do": "raise", "error": "UnhandledStop"}
SIGNALS = {
    "tool_use": st.just({"do": "run_tools"}),
    "end_turn": st.just({"do": "finish"}),
    "stop_sequence": st.sampled_from([{"do": "finish"}, RAISE]),
    "max_tokens": st.just(RAISE) | st.builds(lambda n: {"do": "ask_again", "times": n}, st.integers(1, 5)),
    "pause_turn": st.just(RAISE) | st.builds(lambda n: {"do": "resume", "times": n}, st.integers(1, 50)),
    "refusal": st.just(RAISE),
    "model_context_window_exceeded": st.just(RAISE),
    "otherwise": st.just(RAISE),
}
PRICE = st.sampled_from([0.5, 1, 3.75, 15, 200])
COST = st.fixed_dictionaries(
    {
        "usd": st.sampled_from([0.5, 20, 1e-07, 1e6]),
        "prices": st.fixed_dictionaries(
            {
                "as_of": st.just("2026-11-30"),
                "input": PRICE,
                "output": PRICE,
                "cache_write": PRICE,
                "cache_read": PRICE,
            }
        ),
    }
)
BUDGET = st.fixed_dictionaries(
    {},
    optional={
        "iterations": st.integers(1, 1000),
        "tokens": st.integers(1, 10**9),
        "seconds": st.sampled_from([0.5, 90, 604800]),
        "cost": COST,
    },
).filter(bool)
CHOICE = st.one_of(
    st.builds(lambda kind: {"type": kind}, st.sampled_from(["auto", "any"])),
    st.builds(
        lambda name: {"type": "tool", "name": name}, st.from_regex(r"[a-zA-Z0-9_-]{1,20}", fullmatch=True)
    ),
)
REQUEST = st.fixed_dictionaries(
    {"model": st.sampled_from(["claude-sonnet-5-5", "claude-sonnet-4-5", "my-model\"'\\{}"])},
    optional={
        "max_tokens": st.sampled_from([128, 600, 4096]),
        "system": SAID,
        "temperature": st.sampled_from([0, 0.2, 1]),
        "top_k": st.integers(1, 500),
        "stop_sequences": st.lists(SAID, max_size=3),
        "thinking": st.sampled_from([{"type": "disabled"}, {"type": "adaptive"}]),
        "output_config": st.just({"effort": "low"}),
        "tool_choice": CHOICE,
        "metadata": st.builds(lambda user: {"user_id": user}, SAID),
        "service_tier": st.sampled_from(["auto", "standard_only"]),
    },
)
RETRIES = st.one_of(
    st.just({"by": "client"}),
    st.builds(
        lambda attempts, first: {
            "by": "loop",
            "attempts": attempts,
            "first_wait_seconds": first,
            "longest_wait_seconds": 60,
        },
        st.integers(2, 10),
        st.sampled_from([0.1, 1, 60]),
    ),
)
CONTRACT = st.fixed_dictionaries(
    {
        "format": st.just("loop-contract"),
        "version": st.just(1),
        "name": st.from_regex(r"[a-z][a-z0-9-]{0,63}", fullmatch=True),
        "request": REQUEST,
        "budget": BUDGET,
        "signals": st.fixed_dictionaries(SIGNALS),
        "results": st.fixed_dictionaries(
            {"role": st.just("user"), "blocks": st.just("all"), "ids": st.just("tool_use_id")},
            optional={"max_chars": st.sampled_from([2500, 20000])},
        ),
        "handlers": st.fixed_dictionaries(
            {
                "on_error": st.sampled_from(["tell", "propagate"]),
                "on_unknown": st.sampled_from(["tell", "raise"]),
            },
            optional={"timeout_seconds": st.sampled_from([0.5, 30])},
        ),
    },
    optional={
        "description": SAID,
        "progress": st.sampled_from([{"note_at": 2, "stop_at": 3}, {"note_at": 4, "stop_at": 9}]),
        "retries": RETRIES,
        "verification": st.builds(lambda rounds: {"rounds": rounds}, st.integers(1, 5)),
        "compaction": st.builds(
            lambda share, keep: {"context_tokens": 100_000, "share": share, "keep_steps": keep},
            st.sampled_from([0.25, 0.6, 0.95]),
            st.integers(1, 20),
        ),
        "tracing": st.builds(lambda name: {"logger": name}, st.sampled_from(["agent", "a.b_1.C"])),
    },
)


def lawful(stated: dict[str, Any]) -> Contract:
    """Return the contract that is *stated*, without what two of its settings make impossible together."""
    request = dict(stated["request"])
    if request["model"] == "claude-sonnet-5-5":
        apart = {"temperature", "top_k"}  # It takes neither.
    else:
        apart = {"thinking", "output_config"} if request.keys() & {"temperature", "top_k"} else set()
    request = {name: value for name, value in request.items() if name not in apart}
    if "times" in stated["signals"]["max_tokens"]:
        request["max_tokens"] = 600  # Doubled five times it is still what the SDK sends without a stream.
    return read(json.dumps({**stated, "request": request}).encode("utf-8"))


CONTRACTS = CONTRACT.map(lawful)
"""Contracts that were read, each from JSON."""
