"""What of a passage can be quoted, and what a client could follow or load in it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.engines.composing import cite
from footnote_agent.engines.prose import inert, prose, unlinked
from footnote_agent.engines.quotable import PassageText, quotables_of
from footnote_agent.engines.salience import select

MANUAL = """\
# Harbour manual

Run this command to install the harbour tools on the machine:
```sh
make harbour tools install
```
The harbour tools print a line for each ship that comes in.
## The harbour tools in winter
In winter the harbour tools are kept in the old shed.

Harbour tools of the past
-------------------------
The first harbour tools were made of wood by the fishermen.

| harbour tools | price |
|---|---|
| rope of the harbour tools | 5 |
"""


def quoted(
    text: str, question: str = "What of the harbour tools?", headings: tuple[str, ...] = ()
) -> list[str]:
    chosen = select(question, [PassageText("d", 0, text, headings)], 20).chosen
    return [one.text for one in sorted(chosen, key=lambda one: one.start)]


class TestProse:
    def test_is_neither_code_nor_heading_nor_table(self) -> None:
        found = quotables_of([PassageText("d", 0, MANUAL)], "en")
        assert [one.text for one in found if one.block is None and one.fits] == [
            "The harbour tools print a line for each ship that comes in.",
            "In winter the harbour tools are kept in the old shed.",
            "The first harbour tools were made of wood by the fishermen.",
        ]

    def test_is_no_heading_that_a_format_repeats_as_a_plain_line(self) -> None:
        text = "The harbour tools\nAll harbour tools are counted in the office on Mondays."
        assert quoted(text, headings=("The harbour tools",)) == [
            "All harbour tools are counted in the office on Mondays."
        ]

    def test_is_no_directive_of_restructured_text(self) -> None:
        text = ".. image:: harbour.svg\n   :alt: harbour\n\nThe harbour tools are of wood and of iron.\n"
        assert quoted(text) == ["The harbour tools are of wood and of iron."]

    @given(st.text(alphabet="`~# |-=\nab[]<>:", max_size=120))
    def test_stays_where_it_was(self, text: str) -> None:
        kept = prose(text)
        assert len(kept) == len(text)
        assert all(new in (old, " ") for new, old in zip(kept, text, strict=True))


class TestAQuotation:
    def test_is_not_cut_at_words_left_out(self) -> None:
        said = "The board wrote “we agreed . . . to push the launch . . . to March 10” on Monday."
        assert said in quoted(f"It rained all day in the harbour. {said} Then it went home.", "launch board")

    @pytest.mark.parametrize(
        ("written", "read"),
        [
            ("See ![the plan](https://evil.example/?q=1) here.", "See the plan here."),
            ("See ![the plan][p] here.", "See the plan here."),
            ("See [the guide](javascript:alert(1)) here.", "See the guide here."),
            ('See [the guide](<https://evil.example/a b> "t") here.', "See the guide here."),
            ("See [![x](https://a.example)](https://b.example) here.", "See x here."),
            ("See <img src=x onerror=alert(1)> <b>this</b><!-- no --> here.", "See this here."),
            ("See <https://evil.example/> here.", "See https://evil.example/ here."),
            ("See [the guide][g] and [the plan][] here.", "See the guide and the plan here."),
            ("It is so [1][2] here.", "It is so [1][2] here."),
            ("It is [sic](see the note) here.", "It is [sic](see the note) here."),
        ],
    )
    def test_holds_nothing_to_load_or_to_follow(self, written: str, read: str) -> None:
        assert " ".join(unlinked(written).split()) == read

    @pytest.mark.parametrize(
        "hostile",
        [
            "[[[[[[[[[[[[x](a)](b)](c)](d)](e)](f)](g)](h)](i)](j)](k)](l)",
            "<x-y onclick=alert(1)>click",
            "[a]: javascript:alert(1)",
            "![a [b] c](https://evil.example)",
            "<svg/onload=alert(1)>",
        ],
    )
    def test_is_inert_however_it_was_written(self, hostile: str) -> None:
        shown = cite(unlinked(f"See {hostile} here."), 1)
        assert not any(mark in shown for mark in ("](", "]:", "![", "<"))

    def test_angles_stay_a_pair(self) -> None:
        assert inert("Mail <a@b.example> or <name>_<part>.txt, 3 < 4 > 2.") == (
            "Mail ‹a@b.example› or ‹name›_‹part›.txt, 3 < 4 > 2."
        )

    @given(st.text(alphabet="![]()<>a:/ \"'`\\", max_size=60))
    def test_is_inert_always(self, text: str) -> None:
        shown = inert(unlinked(text))
        assert not any(mark in shown for mark in ("](", "]:", "![", "<a", "</"))

    @pytest.mark.parametrize("piece", ["[", "![", "[x](", "<a ", "<!--", '"', "](", "` "])
    def test_takes_no_longer_than_its_length_asks_for(self, piece: str) -> None:
        def seconds(times: int) -> float:
            text = piece * times
            started = time.process_time()
            unlinked(" ".join(prose(text).split()))
            return time.process_time() - started

        # A busy machine only adds to a time, so the shortest of some tries is compared. Work that grows with
        # the square takes a hundred times as long.
        short = long = float("inf")
        for _ in range(10):
            short, long = min(short, seconds(4_000)), min(long, seconds(40_000))
            if long < 30 * max(short, 0.001):
                return
        pytest.fail(f"{short:.4f} s became {long:.4f} s")
