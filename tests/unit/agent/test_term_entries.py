"""What manuals say of an option is quoted with the option, and what a FAQ asks is not quoted as an answer."""

import pytest
from tests.unit.agent.test_blocks import answer

from footnote_agent.engines.blocks import FEWEST_OPTIONS, blocks_of
from footnote_agent.engines.composing import MOST_OF_ENTRY
from footnote_agent.engines.quotable import PassageText
from footnote_agent.engines.salience import select
from footnote_agent.engines.term_entries import (
    FEWEST_WORDS_SAID,
    MOST_CHARS,
    MOST_TERM_WORDS,
    columns_of,
    entries_at,
    is_option,
    term_and_meaning,
)

OPTIONS = """\
OPTIONS

-F, --no-fork

Do not fork before executing command.

-n, --nb, --nonblock

Fail rather than wait if the lock cannot be immediately acquired.

-o, --close

Close the file descriptor on which the lock is held
before executing command.
"""
STATUS = """\
124
if the command times out
125
if the tool itself fails
126
if the command is found and cannot be called"""
FAQ = """\
Q. There is a new release. The file version.txt says 10.4 but the banner still says 10.
Is this ok?

A. Yes. The managers asked me not to touch the banner, as it is often changed by hand.
"""


class TestEntries:
    def test_begin_with_their_term(self) -> None:
        (block,) = blocks_of(OPTIONS)
        assert block.kind == "entries"
        assert [term_and_meaning(part.text) for part in block.parts] == [
            ("-F, --no-fork", "Do not fork before executing command."),
            ("-n, --nb, --nonblock", "Fail rather than wait if the lock cannot be immediately acquired."),
            ("-o, --close", "Close the file descriptor on which the lock is held before executing command."),
        ]

    def test_go_on_in_a_paragraph_that_begins_in_small_letters_alone(self) -> None:
        (block,) = blocks_of(
            "--foreground\n\nwhen not run from a prompt,\n\nallow to read.\n\nMore is known."
        )
        assert term_and_meaning(block.parts[0].text)[1] == "when not run from a prompt, allow to read."

    def test_of_terms_that_stand_together_are_one(self) -> None:
        (block,) = blocks_of("-f\n--force\nOverwrite files.\n-q\nSay nothing.")
        assert [term_and_meaning(part.text)[0] for part in block.parts] == ["-f, --force", "-q"]

    @pytest.mark.parametrize(("rows", "found"), [(3, True), (2, False)])
    def test_of_numbers_are_three_at_least(self, rows: int, found: bool) -> None:
        text = "\n".join(STATUS.split("\n")[: 2 * rows])
        assert bool(blocks_of(text)) is found

    @pytest.mark.parametrize(("size", "found"), [(MOST_CHARS - 1, True), (MOST_CHARS, False)])
    def test_are_short(self, size: int, found: bool) -> None:
        assert bool(blocks_of(f"--name\n{'x' * size}")) is found

    @pytest.mark.parametrize(
        ("line", "option"),
        [
            ("-k, --kill-after=DURATION", True),
            ("-1, --fast", True),
            ("-name pattern", True),
            ("--system", True),
            ("%U", True),
            ("%:z", True),
            ("% of all", False),
            ("%percents of all", False),
            ("- an item of a list", False),
            ("-5 degrees outside", False),
            ("-- ", False),
            ("--force is given, and then nothing is asked.", False),
            ("--a b c d e f g h i j k", False),
            ("--a b c d e f g h i j", True),
        ],
    )
    def test_of_options_begin_with_one(self, line: str, option: bool) -> None:
        assert is_option(line) is option


class TestEntriesInWords:
    @staticmethod
    def terms_in(text: str) -> list[str]:
        return [term_and_meaning(part.text)[0] for block in blocks_of(text) for part in block.parts]

    def test_are_terms_above_what_they_mean(self) -> None:
        text = (
            "It is one of these:\n\nnotfound\nThe lookup succeeded without any entry.\nunavail\n"
            "The service is away for good.\n\nlogin name\n\nIt must be a valid name."
        )
        assert self.terms_in(text) == ["notfound", "unavail", "login name"]

    def test_are_two_at_least(self) -> None:
        assert self.terms_in("notfound\nThe lookup succeeded without any entry.") == []

    @pytest.mark.parametrize(("words", "found"), [(MOST_TERM_WORDS, True), (MOST_TERM_WORDS + 1, False)])
    def test_have_few_words_as_their_term(self, words: int, found: bool) -> None:
        term = " ".join(["pot"] * words)
        text = f"{term}\nIt holds tea for us.\n{term}\nIt holds milk for us."
        assert bool(self.terms_in(text)) is found

    @pytest.mark.parametrize(("words", "found"), [(FEWEST_WORDS_SAID, True), (FEWEST_WORDS_SAID - 1, False)])
    def test_say_something_of_it(self, words: int, found: bool) -> None:
        said = " ".join(["Tea"] * words) + "."
        assert bool(self.terms_in(f"pot\n{said}\ncup\n{said}")) is found

    @pytest.mark.parametrize(("term", "found"), [("hard", True), ("hard one", False)])
    def test_go_on_in_small_letters_below_one_word(self, term: str, found: bool) -> None:
        said = (
            "for limits that are enforced.",
            "for limits that users move.",
            "for all who want none of it.",
        )
        text = "\n\n".join(
            f"{one}\n\n{meaning}" for one, meaning in zip((term, "soft", "none"), said, strict=True)
        )
        assert (term in self.terms_in(text)) is found

    def test_are_no_lines_of_a_paragraph(self) -> None:
        assert self.terms_in("They went to the\npot\nIt holds tea for us.\ncup\nIt holds milk for us.") == []


class TestAnswer:
    def test_says_of_which_option_it_speaks(self) -> None:
        said = answer("What does --nonblock do?", OPTIONS, headings=("flock", "OPTIONS"))
        assert said == (
            "*OPTIONS* [7]:\n\n- `-n, --nb, --nonblock`: "
            "Fail rather than wait if the lock cannot be immediately acquired."
        )

    def test_shows_exit_statuses_as_a_list(self) -> None:
        said = answer("Which exit status means that it times out?", STATUS, headings=("t", "EXIT status:"))
        assert said.startswith("*EXIT status* [7]:\n\n- `124`: if the command times out")

    def test_is_what_a_faq_answers_and_not_what_it_asks(self) -> None:
        said = answer("Is it ok that version.txt says 10.4 but the banner says 10?", FAQ)
        assert said == (
            "Yes. The managers asked me not to touch the banner, as it is often changed by hand [7]."
        )

    def test_goes_on_below_one_heading_in_one_list(self) -> None:
        text = "-a, --all-files\n\nTake all files.\n\nThis is none.\n\n-f, --few-files\n\nTake few files.\n"
        said = answer("Which files are taken by --all-files and --few-files?", text, headings=("t", "X"))
        entries = "- `-a, --all-files`: Take all files.\n- `-f, --few-files`: Take few files."
        assert said == f"*X* [7]:\n\n{entries}"

    @pytest.mark.parametrize(("size", "whole"), [(MOST_OF_ENTRY, True), (MOST_OF_ENTRY + 1, False)])
    def test_of_much_is_its_beginning_and_what_is_asked_for(self, size: int, whole: bool) -> None:
        meaning = "Keep it. Long talk. Whales are kept by the keeper"
        padded = f"{meaning} {'x' * (size - len(meaning) - 2)}."
        said = answer("Does --keep keep whales?", f"--keep\n{padded}", headings=("t", "X"))
        assert ("Long talk." in said) is whole
        assert "Keep it." in said
        assert "Whales are kept" in said


def test_a_column_of_two_words_says_what_an_option_means_and_one_is_its_value() -> None:
    assert columns_of("-q, --quiet  Say nothing.") == ("-q, --quiet", "Say nothing.")
    assert columns_of("-f, --file  FILE") is None


@pytest.mark.parametrize(("further", "found"), [(3, [(0, 2)]), (2, [])])
def test_a_meaning_stands_three_blanks_further_in_than_its_term(
    further: int, found: list[tuple[int, int]]
) -> None:
    lines = ["    lease", " " * (4 + further) + "How long a client may hold it."]
    assert entries_at(lines, 0) == found


@pytest.mark.parametrize(("between", "found"), [(23, [(0, 3)]), (24, [])])
def test_another_term_of_one_word_stands_within_two_dozen_lines(
    between: int, found: list[tuple[int, int]]
) -> None:
    prose = ["", *["The page goes on about the clients of the lease."] * (between - 2), ""]
    lines = ["lease", "", "It says how long a client may hold it.", *prose]
    lines += ["renewal", "", "It says how often a client may renew it."]
    assert entries_at(lines, 0) == found


class TestOneEntryAlone:
    def test_of_an_option_goes_on_further_in(self) -> None:
        text = "-c     Boil the water, but  only\n       as long as the lid is closed."
        assert [part.text for part in blocks_of(text)[0].parts] == [text]
        assert not blocks_of("-c     Boil the water, but  only\n as long as the lid is closed.")
        assert not blocks_of("-c     Boil the water, but  only")

    @pytest.mark.parametrize(
        ("term", "found"),
        [("LidTime=", True), ("LidTime=, SpoutTime=", True), ("LidTime", False), ("Lid time =", False)],
    )
    def test_of_a_setting_has_its_mark(self, term: str, found: bool) -> None:
        text = f"{term}\n    Takes the seconds for which the lid stays closed."
        assert bool(blocks_of(text)) is found

    def test_is_no_line_of_a_command(self) -> None:
        text = "kettle boil \\\n    --lid=closed \\\n    --quiet"
        assert [block.kind for block in blocks_of(text)] == ["code"]


def test_of_much_the_default_is_told_as_well() -> None:
    more = " ".join(f"The lid number {number} is closed in its turn, as all are." for number in range(9))
    text = f"LidTime=\n    Takes the seconds for which the lid stays closed. {more} Defaults to 30."
    assert answer("What does LidTime do?", text).endswith(" … Defaults to 30.")


USAGE = """\
kettle [options] [cup]...

Options:

 --hot             Heat it until it boils
 --size <ml>       Leave out cups of more than this;
                   250 by default
 -q, --quiet       Do not whistle"""


def test_of_a_usage_message_the_option_is_told_that_is_asked_for() -> None:
    passage = PassageText("d", 0, USAGE, kind="code")
    (chosen,) = select("What is the default size of a cup?", [passage], 5).chosen
    assert term_and_meaning(chosen.text) == (
        "--size <ml>",
        "Leave out cups of more than this; 250 by default",
    )


@pytest.mark.parametrize(
    ("options", "others", "told"),
    [
        (FEWEST_OPTIONS, 2, ["entries"]),
        (FEWEST_OPTIONS - 1, 1, ["code"]),
        (6, 4, ["entries"]),
        (6, 5, ["code"]),
    ],
)
def test_code_is_a_usage_message_if_six_tenths_of_it_are_options(
    options: int, others: int, told: list[str]
) -> None:
    listed = "\n".join(f"-{letter}  Heat it until it boils" for letter in "abcdef"[:options])
    shown = blocks_of(f"{listed}\n{chr(10).join(['kettle(cup)'] * others)}", "code")
    assert [block.kind for block in shown][:1] == told
