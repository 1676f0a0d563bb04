"""Four limits, each on its own and each exact; what was done is kept."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from simulator.loop import Budget, Finished, OverBudget, Policy, Rates, Spend, load_prices
from simulator.loop.budget import charge
from simulator.loop.prices import rates_for
from tests.loop.made import DONE, MODEL, Clock, Fake, call, play, resendable, results, says


def counting(calls: int) -> list[Any]:
    """A model that makes *calls* calls, one a turn, and is done."""
    return [*(says(call(f"toolu_{n}", number=n)) for n in range(calls)), DONE]


@pytest.mark.parametrize("allowed", [0, 1, 2, 5])
def test_no_more_answers_are_asked_for_than_steps_are_allowed(allowed: int) -> None:
    client = Fake(*counting(9))
    result = play(client, budget=Budget(steps=allowed))
    assert len(client.sent) == allowed
    assert isinstance(result.exit, OverBudget)
    assert (result.exit.limit, result.exit.allowed, result.exit.spent) == ("steps", allowed, allowed)
    resendable(result.messages)


@pytest.mark.parametrize("calls", [0, 1, 2, 5])
def test_an_answer_that_reaches_the_limit_and_ends_the_work_is_finished(calls: int) -> None:
    client = Fake(*counting(calls))
    assert play(client, budget=Budget(steps=calls + 1)).exit == Finished("end_turn")


def test_a_call_whose_result_nobody_would_read_is_not_run_and_named() -> None:
    ran: list[Any] = []
    client = Fake(says("I sell.", call("toolu_1", "sell"), call("toolu_2", "count")))
    result = play(client, budget=Budget(steps=1), handlers={"sell": lambda **given: ran.append(given)})
    assert ran == []
    assert result.exit == OverBudget("steps", 1, 1, ("sell", "count"))
    assert [r["tool_use_id"] for r in results(result.messages[-1])] == ["toolu_1", "toolu_2"]
    assert result.text == "I sell."
    assert "Asked for, but not run any more: sell, count." in result.sentence()


@pytest.mark.parametrize(("allowed", "requests"), [(0, 0), (1, 1), (15, 1), (16, 2), (30, 2), (31, 3)])
def test_no_request_starts_once_the_tokens_are_spent(allowed: int, requests: int) -> None:
    client = Fake(*counting(9))
    result = play(client, budget=Budget(tokens=allowed))
    assert len(client.sent) == requests
    assert isinstance(result.exit, OverBudget)
    assert result.exit.limit == "tokens"


def test_every_kind_of_token_counts_and_what_is_missing_or_null_is_none() -> None:
    usage = {
        "input_tokens": 3,
        "cache_read_input_tokens": 12_000,
        "cache_creation_input_tokens": None,
        "output_tokens": 400,
    }
    assert charge(usage, None).tokens == 12_403
    assert charge({}, None).tokens == 0


def test_tokens_are_summed_over_answers_the_cut_one_too() -> None:
    client = Fake(says(call("toolu_1")), says("cut", stop="max_tokens"))
    assert play(client).spend.tokens == 30


@pytest.mark.parametrize(("allowed", "requests"), [(0, 0), (1.5, 1), (2, 1), (2.5, 2)])
def test_no_request_starts_once_the_time_is_over(allowed: float, requests: int) -> None:
    clock = Clock()

    def slow(**given: Any) -> str:
        clock.now += 2
        return "12"

    client = Fake(*counting(9))
    result = play(client, budget=Budget(seconds=allowed), clock=clock, handlers={"count": slow})
    assert len(client.sent) == requests
    assert isinstance(result.exit, OverBudget)
    assert result.exit.limit == "seconds"


RATES = Rates(Decimal(2), Decimal(10), Decimal("2.5"), Decimal(4), Decimal("0.2"))


def test_money_knows_five_rates() -> None:
    million = {
        "input_tokens": 1_000_000,
        "output_tokens": 1_000_000,
        "cache_read_input_tokens": 1_000_000,
        "cache_creation_input_tokens": 2_000_000,
        "cache_creation": {"ephemeral_5m_input_tokens": 1_000_000, "ephemeral_1h_input_tokens": 1_000_000},
    }
    assert charge(million, RATES).money == Decimal("18.7")


@pytest.mark.parametrize(("allowed", "requests"), [("0", 0), ("0.00007", 1), ("0.000071", 2), ("0.00014", 2)])
def test_a_money_limit_is_exact(allowed: str, requests: int) -> None:
    client = Fake(*counting(9))  # 10 tokens in and 5 out: 0.00007 dollars an answer
    result = play(client, budget=Budget(money=Decimal(allowed)), rates=RATES)
    assert len(client.sent) == requests
    assert isinstance(result.exit, OverBudget)
    assert result.exit.limit == "money"


def test_a_money_limit_without_a_price_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(ValueError, match="none are known for 'some-model'"):
        Policy("some-model", budget=Budget(money=Decimal(1)))


def test_every_shipped_price_has_its_page_and_its_day() -> None:
    prices = load_prices()
    assert MODEL in prices
    for model, rates in prices.items():
        assert rates.source.startswith("https://"), model
        assert len(rates.read_on) == 10, model
        assert rates.cache_read < rates.input < rates.cache_write < rates.cache_write_hour, model


def test_a_model_with_a_date_has_the_price_of_its_name() -> None:
    prices = load_prices()
    assert rates_for(f"{MODEL}-20260929", prices) == prices[MODEL]
    assert rates_for("claude-unheard-of", prices) is None


@pytest.mark.parametrize(
    "text", ["", "models = 3", "[models.x]\ninput = 1", '[models.x]\ninput = "much"', "]"]
)
def test_a_file_that_is_no_table_of_prices_is_refused_in_one_sentence(tmp_path: Path, text: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"prices\.toml is no table of prices"):
        load_prices(file)


def test_a_limit_below_zero_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="steps is -1"):
        Budget(steps=-1)


def test_what_is_left_is_never_below_zero_and_no_limit_stays_none() -> None:
    left = Budget(steps=2, money=Decimal(1)).left(Spend(steps=5, money=Decimal("0.25")))
    assert left == Budget(steps=0, money=Decimal("0.75"))


def test_the_tighter_of_two_budgets_counts_limit_by_limit() -> None:
    assert Budget(steps=2, tokens=9).within(Budget(steps=5, seconds=1.0)) == Budget(2, 9, 1.0)
