"""An item further in than another one is quoted with it, and stands further in."""

import pytest
from tests.unit.agent.test_blocks import answer

from footnote_agent.engines.nested_items import MOST_BELOW, WORDS_OF_NAME

LIDS = """\
Pots of the shop:

1. Teapots of clay
   - Lids of a teapot are blue
   - Spouts are short
2. Kettles of tin
"""


def test_an_item_is_quoted_below_the_one_that_it_belongs_to() -> None:
    assert answer("What colour are lids?", LIDS) == (
        "Pots of the shop [7]:\n\n1. Teapots of clay\n   - Lids of a teapot are blue"
    )


def test_a_whole_list_keeps_its_levels() -> None:
    text = "Pots of the shop:\n\n- Teapots\n    - blue\n    - green\n        - dark\n- Kettles\n"
    assert answer("Which pots are in the shop?", text) == (
        "Pots of the shop [7]:\n\n- Teapots\n  - blue\n  - green\n    - dark\n- Kettles"
    )


def test_items_that_are_all_as_far_in_have_none_above_them() -> None:
    text = "Pots of the shop:\n\n  - Teapots of clay\n  - Kettles of tin\n"
    assert answer("What is of tin?", text) == "Pots of the shop [7]:\n\n- Kettles of tin"


@pytest.mark.parametrize(("words", "are"), [(WORDS_OF_NAME, True), (WORDS_OF_NAME + 1, False)])
def test_a_name_is_quoted_with_the_items_below_it(words: int, are: bool) -> None:
    name = " ".join(["Retried", "kettles", "and", "also", "pots"][:words])
    text = f"What may boil over:\n\n- {name}\n    - those of tin\n    - those of clay\n- Glasses of water\n"
    assert ("those of clay" in answer("What is retried?", text)) is are


@pytest.mark.parametrize(("count", "are"), [(MOST_BELOW, True), (MOST_BELOW + 1, False)])
def test_a_name_is_quoted_with_few_items_at_most(count: int, are: bool) -> None:
    below = "".join(f"    - vessel {number} of tin\n" for number in range(count))
    text = f"What may boil over:\n\n- Retried kettles\n{below}- Glasses of water\n"
    assert ("vessel 0" in answer("What is retried?", text)) is are
