"""An item further in than another one is quoted with it, and stands further in."""

from tests.unit.agent.test_blocks import answer

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
