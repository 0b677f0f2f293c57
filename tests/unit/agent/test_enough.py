"""Where one part says all that is asked, the others go. Where none does, they stay."""

from dataclasses import replace

import pytest

from footnote_agent.engines.cues import asks_for_many
from footnote_agent.engines.part_scores import DEFAULT
from footnote_agent.engines.quotable import PassageText
from footnote_agent.engines.salience import select
from footnote_agent.engines.term_entries import long_names

WHOLE = "Niceness values range from minus twenty for the favoured to nineteen for the rest."
PADS = (
    "Run a command with an adjusted niceness, which affects the scheduling of processes.",
    "Without a command the present niceness of the shell is printed instead.",
    "Mandatory arguments to long options are mandatory for short options too.",
)


def said(question: str, *texts: str, title: str = "", count: int = 5) -> list[str]:
    passages = [PassageText("d", 0, " ".join(texts), title=title)]
    return [one.text for one in select(question, passages, count).chosen]


class TestOneThatSaysAll:
    def test_stands_alone(self) -> None:
        assert said("What is the range of niceness values?", PADS[0], WHOLE, *PADS[1:]) == [WHOLE]

    def test_its_document_may_say_the_rest_by_its_title(self) -> None:
        question = "Which range of niceness values do the favoured have with renice?"
        assert said(question, PADS[0], WHOLE, *PADS[1:], title="renice(8)") == [WHOLE]
        assert len(said(question, PADS[0], WHOLE, *PADS[1:])) > 1

    def test_half_of_it_is_not_enough(self) -> None:
        assert len(said("Who sets the range of niceness values at boot?", PADS[0], WHOLE, PADS[1])) > 1

    def test_a_broad_question_keeps_all(self) -> None:
        assert len(said("What are the range and niceness values?", PADS[0], WHOLE, PADS[1])) > 1

    def test_one_that_says_it_as_well_stays(self) -> None:
        other = "The niceness values of a guest have a range of their own, set by its host."
        assert set(said("What is the range of niceness values?", WHOLE, other, PADS[1])) == {WHOLE, other}

    def test_two_words_are_too_few(self) -> None:
        texts = ("Leases hold the snapshots of a client.", "Set the header to the lease of the caller.")
        assert len(said("What is a lease of a snapshot?", *texts)) == 2

    @pytest.mark.parametrize(("mark", "told"), [("?", True), ("", False)])
    def test_two_words_are_enough_for_a_heading_that_asks(self, mark: str, told: bool) -> None:
        first = "Fetch the newest of all archives from the shop."
        passages = [
            PassageText(
                "d",
                0,
                f"{first} A kettle is told to upgrade by its lid.",
                ("FAQ", f"upgrade the kettle{mark}"),
            )
        ]
        found = select("How do I upgrade the kettle?", passages, 1).chosen
        assert (found[0].text == first) is told

    def test_a_way_keeps_its_command(self) -> None:
        text = (
            "Run the whole test suite of the package with the script below.\n\n```sh\n./run-tests\n```\n\n"
            "A test case of the suite is a shell script within a framework."
        )
        found = said("How do I run the whole test suite of the package?", text)
        assert "./run-tests" in found

    def test_yes_and_no_stay(self) -> None:
        yes = "Yes. With the option q it will set the clock of the system once and exit."
        other = "The daemon of chrony has an ntpdate mode of its own in the older releases."
        found = said("Does the daemon of chrony have an ntpdate mode?", other, yes)
        assert yes in found

    def test_what_is_not_said_in_its_own_words_is_not_enough(self) -> None:
        """The title alone has three of the four words."""
        texts = ("The statement may be long.", "Its limit of a million is set when the program is built.")
        found = said("What limits a statement of SQL in SQLite?", *texts, title="SQL limits of SQLite")
        assert len(found) == 2

    def test_some_number_is_not_the_number(self) -> None:
        texts = ("Nobody needs more than 100 columns in a table.", "The default of this setting is 2000.")
        assert set(said("How many columns can a table have?", *texts)) == set(texts)


class TestASectionWhoseHeadingIsTheQuestion:
    HEADINGS = ("FAQ", "Can the tool add redundancy to the backup data?")
    TEXTS = (
        "No, it cannot do so, since it knows nothing of the disk.",
        "Keep a second copy of the data at another place, which the tool can write.",
    )

    def found(self, question: str) -> list[str]:
        passages = [
            PassageText("a", 0, "A backup of the data has redundancy if the tool can add a second disk."),
            PassageText("d", 0, " ".join(self.TEXTS), self.HEADINGS),
        ]
        return [one.text for one in select(question, passages, 5).chosen]

    def test_is_the_answer_from_its_first_sentence_on(self) -> None:
        assert set(self.found("Can the tool add redundancy to the backup data?")) == set(self.TEXTS)

    def test_is_told_by_three_of_its_sentences_with_the_first_one(self) -> None:
        """The first one has no word of the question, and three others have some."""
        section = (
            "Ask the people of the hall first, who know it well.",
            "The tool can write a second copy of the data to a disk.",
            "A backup with redundancy takes twice the room on the shelf.",
            "The data of a backup can lie on tapes in the cellar.",
        )
        passages = [PassageText("d", 0, " ".join(section), self.HEADINGS)]
        found = select("Can the tool add redundancy to the backup data?", passages, 3).chosen
        assert len(found) == 3
        assert found[0].text == section[0]

    def test_is_one_of_many_places_for_another_question(self) -> None:
        assert not set(self.found("Does a second disk for the backup cost redundancy?")) <= set(self.TEXTS)


class TestValues:
    FOUNDED = "The project was officially founded by Ian Murdock in August 1993."
    HELPED = "Another body was founded to help the project and others like it."

    def test_who_and_when_need_the_value_alone(self) -> None:
        for question in ("Who founded the project?", "When was the project founded?"):
            assert said(question, self.HELPED, self.FOUNDED) == [self.FOUNDED]

    def test_two_parts_that_have_it_are_said(self) -> None:
        texts = [
            f"In May 199{year} the harbour project was founded by the {who}."
            for year, who in ((1, "mayor"), (2, "guild"), (3, "crown"))
        ]
        assert len(said("When was the harbour project founded?", *texts)) == 2

    def test_without_a_value_nothing_goes(self) -> None:
        assert len(said("Who founded the project?", self.HELPED, "It was founded as a project of two.")) == 2


@pytest.mark.parametrize(
    "question",
    [
        "What are the advantages of leases?",
        "Which systems are supported?",
        "What endpoints does the API have?",
        "How does chrony compare to ntpd?",
        "Describe the file.",
        "What is the difference between a and b?",
    ],
)
def test_broad_questions(question: str) -> None:
    assert asks_for_many(question)


@pytest.mark.parametrize(
    "question", ["What does fstab control?", "Which bus is used?", "What is a lease?", "Who was it?", ""]
)
def test_narrow_questions(question: str) -> None:
    assert not asks_for_many(question)


def test_broad_questions_of_other_languages() -> None:
    assert asks_for_many("Welche Dateien gibt es?", "de")
    assert not asks_for_many("Wer schrieb es?", "de")
    assert asks_for_many("Quelles sont les options ?", "fr")
    assert asks_for_many("Compara a y b.", "es")


def test_an_option_whose_name_is_asked_for_comes_first() -> None:
    text = (
        "-M, --no-create-home\n\nDo not create the home directory of a user, whatever the settings say.\n\n"
        "-m, --create-home\n\nCreate the home directory of a user if it does not exist, with the files.\n\n"
        "-k, --skel\n\nThe directory whose files go to the home directory when it is created.\n"
    )
    assert said("How do I create a home directory with useradd?", text)[0].startswith("-m, --create-home")
    assert long_names("-m, --create-home\n\nSays --skel.") == ["create-home"]


@pytest.mark.parametrize(("whole", "left"), [(0.7, 1), (0.8, 2)])
def test_how_much_of_the_question_is_all_of_it(whole: float, left: int) -> None:
    """Of four words of the same weight the best sentence has three."""
    passages = [
        PassageText("d", 0, "A red cart with green wheels and blue bars."),
        PassageText("d", 900, "Behind the house there stood a white cart."),
    ]
    by = replace(DEFAULT, whole=whole, cut=0)
    assert len(select("red green blue white", passages, 5, by).chosen) == left
