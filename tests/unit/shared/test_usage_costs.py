"""What tokens cost is told only where the price of all of them is known."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from footnote_shared.contracts.events import Usage
from footnote_shared.settings.models import ModelSettings, TokenPrices

USED = st.builds(
    Usage,
    input_tokens=st.integers(1, 10**7),
    output_tokens=st.integers(0, 10**7),
    cost=st.none() | st.integers(0, 10**9).map(lambda cents: cents / 100),
)


def test_a_price_is_for_a_million_tokens() -> None:
    assert TokenPrices(input=3, output=15).of(1_000_000, 100_000) == 4.5


@given(USED, USED, USED)
def test_usages_add_up_in_any_order(a: Usage, b: Usage, c: Usage) -> None:
    both = a.plus(b).plus(c)
    assert both.input_tokens == a.input_tokens + b.input_tokens + c.input_tokens
    costs = [one.cost for one in (a, b, c) if one.cost is not None]
    if len(costs) < 3:
        assert both.cost is None
    else:
        assert both.cost == pytest.approx(float(sum(map(Fraction, costs))))


@given(USED)
def test_nothing_used_changes_nothing(used: Usage) -> None:
    assert Usage().plus(used) == used.plus(Usage()) == used


def test_what_is_free_costs_nothing_and_is_known() -> None:
    free = Usage(input_tokens=5, output_tokens=1, cost=0.0)
    assert free.plus(free).cost == 0.0


@pytest.mark.parametrize("price", [-1, 1.1e9, float("inf"), float("nan")])
def test_a_price_is_a_number_from_0_on(price: float) -> None:
    with pytest.raises(ValidationError):
        TokenPrices(input=price, output=1)


def test_each_model_has_its_own_prices() -> None:
    prices = {"input": 1.0, "output": 2.0}
    settings = ModelSettings.model_validate(
        {
            "chat_base_url": "http://one/v1",
            "chat_model": "gull",
            "chat_prices": prices,
            "chat_fallbacks": [{"model": "heron", "base_url": "http://two/v1"}],
            "fast_model": "wren",
            "fast_prices": {"input": 0.1, "output": 0.2},
        }
    )
    told = [(one.model, one.prices and one.prices.input) for one in settings.endpoints("fast")]
    assert told == [("wren", 0.1), ("gull", 1.0), ("heron", None)]
