"""Whether a difference may be chance."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_cli.evaluation.significance import holm, paired_randomisation

SHARES = st.floats(0, 1, allow_nan=False)


def test_chance_makes_all_of_eight_pairs_differ_the_same_way_twice_in_256_orders() -> None:
    assert paired_randomisation([1.0] * 8, [0.0] * 8) == pytest.approx(2 / 2**8, abs=0.003)


def test_it_is_near_the_share_of_all_orders() -> None:
    one, other = [0.9, 0.8, 0.4, 0.7, 0.6, 0.2], [0.5, 0.6, 0.5, 0.3, 0.6, 0.1]
    difference = [a - b for a, b in zip(one, other, strict=True)]
    orders = [
        abs(sum(sign * value for sign, value in zip(signs, difference, strict=True)))
        for signs in product((-1, 1), repeat=len(difference))
    ]
    exact = sum(value >= abs(sum(difference)) - 1e-9 for value in orders) / len(orders)
    assert paired_randomisation(one, other) == pytest.approx(exact, abs=0.015)


def test_what_is_equal_differs_by_chance_alone() -> None:
    assert paired_randomisation([0.3, 0.4], [0.3, 0.4]) == 1


@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=12))
def test_the_side_makes_no_difference_and_a_run_gives_the_same_again(
    pairs: list[tuple[float, float]],
) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    found = paired_randomisation(one, other)
    assert 0 < found <= 1
    assert paired_randomisation(other, one) == found


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1, 1]
    assert holm([]) == []


@given(st.lists(SHARES, max_size=8))
def test_holm_only_raises_and_keeps_the_order(values: list[float]) -> None:
    corrected = holm(values)
    assert all(value <= new <= 1 for value, new in zip(values, corrected, strict=True))
    order = sorted(range(len(values)), key=lambda place: values[place])
    assert [corrected[place] for place in order] == sorted(corrected)
