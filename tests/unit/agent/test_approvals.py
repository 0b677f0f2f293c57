"""The time of a turn stands still while a person is asked, however many calls ask at once."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.engines.own_time import OwnTime
from footnote_agent.store.approvals import covered
from footnote_shared.kernel.clock import now

START = now()
SECONDS = st.integers(0, 60)


def at(second: int) -> datetime:
    return START + timedelta(seconds=second)


@given(st.lists(st.tuples(SECONDS, SECONDS), max_size=8))
def test_each_second_in_a_span_counts_once(spans: list[tuple[int, int]]) -> None:
    ordered = [(min(span), max(span)) for span in spans]
    seconds = {second for begin, end in ordered for second in range(begin, end)}
    assert covered([(at(begin), at(end)) for begin, end in ordered]) == timedelta(seconds=len(seconds))


@given(st.lists(st.tuples(st.integers(1, 5), st.sampled_from("abc")), max_size=20))
def test_it_stands_still_from_the_first_question_to_the_last_answer(steps: list[tuple[int, str]]) -> None:
    second, asked, still, waited = 0, set[str](), 0, timedelta(0)
    clock = OwnTime(lambda: at(second))
    for pause, call in steps:
        still += pause if asked else 0
        second += pause
        if call in asked:
            asked.remove(call)
            waited += clock.answered(call)
        else:
            asked.add(call)
            clock.asked(call)
        assert clock.stands_still == bool(asked)
    for call in sorted(asked):
        waited += clock.answered(call)
    assert waited == timedelta(seconds=still)


@pytest.mark.parametrize("call_id", ["s0c0", ""])
def test_an_answer_that_nobody_waited_for_costs_nothing(call_id: str) -> None:
    assert OwnTime().answered(call_id) == timedelta(0)
