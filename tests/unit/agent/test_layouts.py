"""What plain texts lay out by blanks and drawn lines is quoted as what it is."""

import dataclasses
import time

import pytest
from tests.unit.agent.test_blocks import answer

from footnote_agent.engines.blocks import blocks_of
from footnote_agent.engines.composing import MOST_OF_ITEM
from footnote_agent.engines.cues import cue_of
from footnote_agent.engines.extractive import text_of
from footnote_agent.engines.fitting_sentences import MOST_ADDRESSES, MOST_BARS, can_be_quoted
from footnote_agent.engines.headlines import headlines_in
from footnote_agent.engines.plain_rows import FEWEST_RECORDS
from footnote_agent.engines.prose import FEWEST_DRAWN, MOST_UNEVEN
from footnote_agent.engines.quotable import PassageText, quotables_of
from footnote_agent.engines.salience import select
from footnote_agent.engines.term_entries import term_and_meaning
from footnote_testing.fake_neighbours import make_passage

RECIPES = """\
0. fill the kettle
~~~~~~~~~~~~~~~~~~
    kettle --fill --litres=2 /dev/tap

1. boil the water
~~~~~~~~~~~~~~~~~
    # with the lid closed
    kettle --boil /dev/kettle

  Nobody may touch the kettle while it is boiling on the stove.
"""
FAQ = """\
Q) Help! Pouring gives me "lid closed".
A) By default all lids are closed when the kettle leaves the shop. This is for safety.

Q) Can I keep milk in the kettle?
A1) Yes. It has to be cleaned on the same day.
"""
SETTINGS = """\
boil_timeout
The timeout, in seconds, after which the water is taken for boiled.

Default: 300

lid_open
Whether the lid is open when the kettle starts to work.

Default: NO
"""
COLUMNS = """\
    --no-lid        Leave the lid away
    --no-spout      Leave the spout away, which makes
                    pouring hard
    -q, --quiet     Boil without a whistle
"""


class TestDrawnLines:
    def test_head_what_stands_below_them(self) -> None:
        assert headlines_in(RECIPES).texts == ("0. fill the kettle", "1. boil the water")

    def test_are_no_fences_and_no_answer(self) -> None:
        said = answer("How do I boil the water?", RECIPES)
        assert said.startswith("boil the water [7]:\n\n```\n    # with the lid closed\n    kettle --boil")
        assert "~~~" not in said

    @pytest.mark.parametrize(("uneven", "drawn"), [(MOST_UNEVEN, True), (MOST_UNEVEN + 1, False)])
    def test_are_about_as_long_as_their_text(self, uneven: int, drawn: bool) -> None:
        title = "boil the water"
        assert bool(headlines_in(f"{title}\n{'^' * (len(title) + uneven)}\nIt boils.").texts) is drawn

    @pytest.mark.parametrize(("signs", "drawn"), [(FEWEST_DRAWN, True), (FEWEST_DRAWN - 1, False)])
    def test_are_of_five_signs_at_least(self, signs: int, drawn: bool) -> None:
        assert bool(headlines_in(f"a tea\n{'~' * signs}\nIt boils.").texts) is drawn


class TestQuestionsOfAFaq:
    def test_end_where_their_answer_begins(self) -> None:
        said = answer("Why does pouring give me lid closed?", FAQ)
        assert said.startswith("By default all lids are closed")
        assert "Help!" not in said

    def test_that_are_answered_by_yes_have_no_other_answer(self) -> None:
        assert answer("Can I keep milk in the kettle?", FAQ) == (
            "Yes. It has to be cleaned on the same day [7]."
        )

    def test_stand_above_all_sentences_of_their_answer(self) -> None:
        parts = [one for one in quotables_of([PassageText("d", 0, FAQ)], "en") if "safety" in one.text]
        assert [one.above.startswith("Q) Help!") for one in parts] == [True]


class TestSettings:
    def test_have_their_default_with_them(self) -> None:
        (block,) = blocks_of(SETTINGS)
        assert [term_and_meaning(part.text) for part in block.parts] == [
            (
                "boil_timeout",
                "The timeout, in seconds, after which the water is taken for boiled. Default: 300",
            ),
            ("lid_open", "Whether the lid is open when the kettle starts to work. Default: NO"),
        ]

    def test_are_found_by_the_words_of_their_names(self) -> None:
        said = answer("What is the default boil timeout?", SETTINGS, headings=("k", "NUMBERS"))
        assert said.endswith("is taken for boiled. Default: 300")
        assert "lid_open" not in said


class TestColumns:
    def test_are_options_with_what_they_mean(self) -> None:
        (block,) = blocks_of(COLUMNS)
        assert [term_and_meaning(part.text) for part in block.parts] == [
            ("--no-lid", "Leave the lid away"),
            ("--no-spout", "Leave the spout away, which makes pouring hard"),
            ("-q, --quiet", "Boil without a whistle"),
        ]

    def test_of_one_word_are_the_value_of_an_option(self) -> None:
        assert term_and_meaning("-o  FILE\nWrite there.") == ("-o  FILE", "Write there.")


class TestRecords:
    ROWS = (
        "# Month:Stone:Flower\nJanuary:Garnet:Carnation\nFebruary:Amethyst:Violet\nMarch:Aquamarine:Jonquil"
    )

    def test_are_rows_below_the_comment_that_names_them(self) -> None:
        assert answer("stone february", self.ROWS) == (
            "| Month | Stone | Flower |\n| --- | --- | --- |\n| February | Amethyst | Violet [7] |"
        )

    def test_without_names_say_the_first_of_the_others(self) -> None:
        rows = self.ROWS.partition("\n")[2] + "\nApril:Diamond:Sweetpea"
        assert answer("stone february", rows, headings=("m", "Stones")) == (
            "*Stones* [7]:\n\n- February: Amethyst; Violet"
        )

    @pytest.mark.parametrize(("rows", "found"), [(FEWEST_RECORDS, True), (FEWEST_RECORDS - 1, False)])
    def test_are_four_at_least(self, rows: int, found: bool) -> None:
        assert bool(blocks_of("\n".join(["tea:pot:hot"] * rows))) is found


class TestCountedLines:
    LEVELS = "\n".join(
        f" {level} {said} is displayed" for level, said in enumerate(["None", "All", "More", "Most"])
    )

    def test_are_a_list_with_their_numbers(self) -> None:
        said = answer("Which level has more displayed?", f"These are the levels:\n\n{self.LEVELS}")
        assert "- 2: More is displayed" in said

    @pytest.mark.parametrize(("lines", "found"), [(FEWEST_RECORDS, True), (FEWEST_RECORDS - 1, False)])
    def test_are_four_at_least(self, lines: int, found: bool) -> None:
        assert bool(blocks_of("\n".join(self.LEVELS.split("\n")[:lines]))) is found

    def test_count_by_one(self) -> None:
        assert blocks_of(self.LEVELS.replace(" 2 ", " 5 ")) == []


class TestManuals:
    def test_name_line_defines_their_command(self) -> None:
        text = "NAME\n\nkettle - boil water with a whistle\n\nSYNOPSIS\n\nTea is made by pots too."
        assert answer("What is kettle?", text).startswith("kettle - boil water with a whistle [7]")

    @pytest.mark.parametrize(("verb", "defines"), [("boils", True), ("does", False)])
    def test_say_what_a_command_does(self, verb: str, defines: bool) -> None:
        cue = cue_of("What does the kettle do?", "en")
        assert cue is not None
        assert cue.holds(f"The kettle {verb} water for all of us.") is defines


class TestWhatIsPromised:
    @pytest.mark.parametrize(("between", "quoted"), [(100, True), (160, False)])
    def test_may_stand_behind_one_more_sentence(self, between: int, quoted: bool) -> None:
        text = (
            "The following kettles are not guarded at all."
            f"\n\nTell us more{' of it' * ((between - 17) // 6)}.\n\n- red ones\n- blue ones"
        )
        assert ("- red ones" in answer("Which kettles are not guarded at all?", text)) is quoted


def test_a_release_is_dated_by_its_heading_with_a_line_below_it() -> None:
    text = "kettle 4.2 - released 2021-01-31\n===============================\n\nA lid is closed by a spring."
    assert answer("When was kettle 4.2 released?", text) == "kettle 4.2 - released 2021-01-31 [7]"


@pytest.mark.parametrize(("heading", "alone"), [("Who is this guide for?", True), ("On this guide", False)])
def test_a_question_as_heading_answers_with_its_title(heading: str, alone: bool) -> None:
    sections = (
        PassageText("d", 0, "Welcome to the guide of kettle care in all houses.", ("Kettle care", "Welcome")),
        PassageText("d", 90, "All who love tea may read what stands here.", ("Kettle care", heading)),
    )
    titled = [dataclasses.replace(one, title="Kettle care") for one in sections]
    chosen = select("Who is the kettle care guide for?", titled, 5).chosen
    assert ([one.text for one in chosen] == ["All who love tea may read what stands here."]) is alone


@pytest.mark.parametrize(("bars", "quoted"), [(MOST_BARS, True), (MOST_BARS + 1, False)])
def test_a_line_of_links_is_no_sentence(bars: int, quoted: bool) -> None:
    line = " · ".join(["Jump to the ropes of the harbour", *["Install the mast of it"] * bars])
    assert can_be_quoted(f"{line}.") is quoted


@pytest.mark.parametrize(("addresses", "quoted"), [(MOST_ADDRESSES, True), (MOST_ADDRESSES + 1, False)])
def test_a_list_of_addresses_is_no_sentence(addresses: int, quoted: bool) -> None:
    text = f"These are some of the faults that were mended: {'https://a.example/b ' * addresses}and so on."
    assert can_be_quoted(text) is quoted


class TestRowsAndItems:
    def test_a_row_without_its_head_is_no_row_of_bars(self) -> None:
        row = "| [`status`] | `number` | Status behind the limit (default is 429). |"
        said = answer("Which status?", f"(rows 4 to 9)\n{row}", "table", headings=("t", "Options"))
        assert said == "*Options* [7]:\n\n- `status`: `number`; Status behind the limit (default is 429)."

    @pytest.mark.parametrize(("size", "whole"), [(MOST_OF_ITEM, True), (MOST_OF_ITEM + 1, False)])
    def test_of_a_long_item_is_its_beginning_and_what_is_asked_for(self, size: int, whole: bool) -> None:
        item = "Votes are cast. Talk is long. The voting period is two weeks for "
        padded = f"{item}{'x' * (size - len(item) - 1)}."
        said = answer("How long is the voting period?", f"1. {padded}\n2. Tea is hot.")
        assert ("Talk is long." in said) is whole

    def test_a_heading_within_a_quotation_is_no_sentence(self) -> None:
        text = "> ## Security Releases\n>\n> There are breaking changes in releases that mend a fault."
        assert answer("What are breaking changes?", text).startswith("There are breaking")


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("docs/kettle-setup.md", "The setup kettle"),
        ("The setup.md", "The setup"),
        ("5.2-of-2023.txt", "The setup of"),
        ("a-b-c-d.txt", "The setup a b c"),
    ],
)
def test_a_title_is_taken_with_the_words_of_the_files_name(source: str, title: str) -> None:
    assert text_of(make_passage("x", title="The setup", source=source)).title == title


def test_text_of_several_chunks_is_no_code_though_one_of_them_is() -> None:
    text = "Rinse the kettle with water first.\n\n```sh\nkettle --rinse\n```\n\nThen fill it with tea."
    one = make_passage(text, kind="code")
    assert text_of(one).kind == "code"
    both = text_of(one.model_copy(update={"section": ["a", "b"]}))
    assert both.kind == "mixed"
    assert [part.kind for part in quotables_of([both], "en")] == [None, "code", None]


def test_beside_code_a_paragraph_without_a_sentence_is_code() -> None:
    text = "Rinse the kettle with water first.\n\nsudo yum install kettle\nsudo yum install tea"
    kinds = {kind: [one.kind for one in blocks_of(text, kind)] for kind in ("text", "mixed")}
    assert kinds == {"text": [], "mixed": ["code"]}


@pytest.mark.parametrize(
    "text",
    [
        "Q) a\n" * 6_000,
        "-a " + " " * 40_000 + "\n-b",
        "a:b:c\n" * 6_000,
        "a.b_c." * 8_000,
        "Q)" + " " * 40_000,
        ("tea\n" + "~" * 5 + "\n") * 4_000,
        "> " * 20_000 + "# x",
    ],
)
def test_reading_a_layout_costs_its_length(text: str) -> None:
    def cost(one: str) -> float:
        begun = time.process_time()
        quotables_of([PassageText("d", 0, one)], "en")
        return time.process_time() - begun

    cost(text[:2_000])
    # A busy machine only adds to a time, so the shortest of some tries is compared.
    short = long = float("inf")
    for _ in range(5):
        short, long = min(short, cost(text[: len(text) // 4])), min(long, cost(text))
        if long < 12 * short + 0.1:
            return
    pytest.fail(f"{short:.4f} s became {long:.4f} s")
