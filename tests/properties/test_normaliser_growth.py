"""What a hostile text costs the normaliser grows with its length, and not with the square of it."""

from collections.abc import Callable

import pytest

from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.stream import Normaliser
from tests.benchmarks.normaliser_growth import as_a_whole, at_once, by_token, seconds
from tests.fuzz.hostile import FAMILIES
from tests.properties.effort import calls


def some(*known: int) -> Normaliser:
    return Normaliser(known.__contains__, lambda: max(known, default=0))


HOSTILE = [
    "[",
    "[1",
    "[1]",
    "[9]",
    " [9],",
    "([9]",
    "[[1] ",
    "[a [1] ",
    "[1](",
    '[9](a "',
    "[a](",
    "![1](",
    "`",
    "`a",
    "$",
    "$x [1] ",
    "$x[1]$",
    "\\[",
    "\\(",
    '<a x="',
    "<b ",
    "<!--",
    "<code>",
    "[citation:",
    "[citation:\n",
    "【1†",
    "【1†\n",
    "- ",
    "> ",
    "1. ",
    "\n",
    " ",
    "[9]\n",
    "[9] - ",
    "http://x(",
    "~~~\n",
    "```\n",
    "[1, ",
    "a ` [1]\n- ",
    "[](",
    "]",
    "x[1][2]",
    "[1][1](u)",
    "[1]:x",
    "[1]: https://a.b ",
    "\n[1]: https://a.b",
    "\nSources:\n[1]: u",
    "[a][9]",
    "[citation:[a]",
    "【【1",
    "\\begin{align}",
]


@pytest.mark.parametrize("unit", HOSTILE)
class TestHostileText:
    def test_costs_in_proportion_to_its_length(self, unit: str) -> None:
        def live(text: str, step: int) -> None:
            normaliser = some(1)
            for at in range(0, len(text), step):
                normaliser.feed(text[at : at + step])
            normaliser.close()

        short, long = unit * (300 // len(unit)), unit * (1200 // len(unit))
        for work in (
            lambda text: live(text, 1),
            lambda text: live(text, 100_000),
            lambda text: finalize(text, {1}.__contains__, lambda: 1),
        ):
            assert calls(lambda: work(long)) <= 4.5 * calls(lambda: work(short)) + 2000  # noqa: B023


SHORT, LONG = 4_250, 12_750
"""Beyond 4,096 characters a tag is none, so a shorter text would be read in another way than a longer one."""


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("way", [by_token, at_once, as_a_whole])
def test_three_times_the_text_is_far_from_nine_times_the_work(
    way: Callable[[str], None], family: str
) -> None:
    """Calls do not show a search that begins again and again; `normaliser_growth.py` has the figures.

    Such a search takes 9 times as long, and what is linear 3 times: 5.2 is as far from both. A busy machine
    only adds to a time, so the shortest of some tries is compared, and a try is added while they are too far
    apart.
    """
    short, long = FAMILIES[family](SHORT), FAMILIES[family](LONG)
    least_short = least_long = float("inf")
    for _ in range(10):
        least_short = min(least_short, seconds(way, short, 1))
        least_long = min(least_long, seconds(way, long, 1))
        if least_long < 5.2 * least_short + 0.001:
            return
    pytest.fail(f"{least_short:.4f} s became {least_long:.4f} s")


class TestLongText:
    def test_a_million_brackets_are_only_brackets(self) -> None:
        text = "[" * 1_000_000
        normaliser = some(1)
        assert normaliser.feed(text) + normaliser.close() == text
        assert finalize(text, {1}.__contains__, lambda: 1).text == text

    @pytest.mark.parametrize(
        "family", ["'['", "a number of so many digits", "runs of backticks, each longer"]
    )
    def test_a_hundred_thousand_characters_are_written_at_once(self, family: str) -> None:
        text = FAMILIES[family](100_000)
        normaliser = some(1)
        assert normaliser.feed(text) + normaliser.close() == text

    def test_a_number_of_5000_digits_is_only_text(self) -> None:
        text = "a [" + "7" * 5000 + "] b"
        assert finalize(text, {1}.__contains__, lambda: 1).text == text
