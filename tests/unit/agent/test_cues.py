"""What form an answer is asked for, and which sentences have it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.engines.cues import cue_of
from footnote_agent.engines.openings import points_back
from footnote_agent.engines.part_scores import DEFAULT, Weights
from footnote_agent.engines.quotable import PassageText
from footnote_agent.engines.salience import select


@pytest.mark.parametrize(
    ("question", "language", "asked", "yes", "no"),
    [
        ("How many ropes are there?", "en", "number", "There are 12 ropes.", "There are some ropes."),
        ("How many ropes are there?", "en", "number", "There are twelve ropes.", "Ropes abound."),
        ("When was it built?", "en", "date", "It was built in 1987.", "It was built well."),
        ("When was it built?", "en", "date", "It was built last May.", "It had 12 rooms."),
        ("Who built it?", "en", "person", "It was built by Ada Lovelace.", "It was built by masons."),
        ("Why was it built?", "en", "reason", "It was built because of the storm.", "It was built."),
        ("What is a rope?", "en", "definition", "A rope is a thick string.", "It hangs on a rope."),
        ("What is the purpose of ropes?", "en", "definition", "Ropes are made to hold.", "We sell it."),
        ("What is BIL?", "en", "definition", "A birth injury leave (BIL) is long.", "We grant BIL."),
        ("What is git-gc used for?", "en", "definition", "git-gc - Cleanup files", "Use git-gc."),
        ("Wie viele Seile gibt es?", "de", "number", "Es gibt zwölf Seile.", "Es gibt Seile."),
        ("Was ist ein Seil?", "de", "definition", "Ein Seil ist eine dicke Schnur.", "Es hängt am Seil."),
        ("Pourquoi est-il fermé ?", "fr", "reason", "Il est fermé parce que tout manque.", "Il est fermé."),
        ("¿Quién lo hizo?", "es", "person", "Lo hizo en casa Ana Belén.", "Lo hizo alguien."),
    ],
)
def test_a_question_says_what_it_asks_for(
    question: str, language: str, asked: str, yes: str, no: str
) -> None:
    cue = cue_of(question, language)
    assert cue is not None
    assert cue.asked == asked
    assert cue.holds(yes)
    assert not cue.holds(no)


@pytest.mark.parametrize(
    ("question", "language", "heading", "does"),
    [
        ("Why did it break?", "en", "Root cause", True),
        ("Why did it break?", "en", "2. Cause of it", True),
        ("Why did it break?", "en", "What to do", False),
        ("Why did it break?", "en", "", False),
        ("What should I do when it breaks?", "en", "What to do", True),
        ("How do I mend it?", "en", "Workaround", True),
        ("Who mends it?", "en", "Cause", False),
        ("Warum ist es kaputt?", "de", "Ursache", True),
        ("Comment le réparer ?", "fr", "Solution", True),
        ("¿Por qué se rompió?", "es", "Causas", True),
    ],
)
def test_a_heading_may_say_that_it_stands_below(
    question: str, language: str, heading: str, does: bool
) -> None:
    cue = cue_of(question, language)
    assert cue is not None
    assert cue.heads(heading) is does


def test_what_stands_below_such_a_heading_comes_first() -> None:
    symptoms = "**Symptoms.** The kettle of the hall leaks."
    cause = "**Cause.** The kettle of the hall was hit."
    for text in (
        f"{symptoms}\n\n{cause}",
        "**Symptoms**\n\nThe kettle of the hall leaks.\n\n**Cause**\n\nThe kettle of the hall was hit.",
    ):
        said = select("Why is the kettle of the hall closed?", [PassageText("d", 0, text)], 1).chosen
        assert said[0].text.endswith("The kettle of the hall was hit.")
    sections = [
        PassageText("d", 0, symptoms.partition(" ")[2], ("Kettle", "Symptoms")),
        PassageText("d", 90, cause.partition(" ")[2], ("Kettle", "Root cause")),
    ]
    by = replace(DEFAULT, rank=0)
    said = select("Why is the kettle of the hall closed?", sections, 1, by).chosen
    assert said[0].text.endswith("was hit.")


def test_what_a_document_is_of_stands_below_its_purpose() -> None:
    used = PassageText(
        "d", 200, "Press the button to have it boil the water.", ("Kettle", "Use"), title="Kettle"
    )
    purpose = PassageText(
        "d", 0, "## Purpose\nThis boils water for tea and for soup.", ("Kettle", "Purpose"), title="Kettle"
    )
    said = select("What is Kettle for?", [used, purpose], 5).chosen
    assert [one.text for one in said] == ["This boils water for tea and for soup."]
    # Of a part of it that section does not tell.
    said = select("What is the lid of Kettle for?", [used, purpose], 5).chosen
    assert len(said) > 1


def test_most_questions_ask_for_no_form() -> None:
    assert cue_of("Which ropes are sold?") is None
    assert cue_of("ropes") is None


@pytest.mark.parametrize(("filler", "defines"), [("a" * 13, True), ("a" * 14, False)])
def test_a_definition_stands_within_eighty_characters_and_the_length_of_its_subject(
    filler: str, defines: bool
) -> None:
    cue = cue_of("What is a rope?")
    assert cue is not None
    before = f"{'Of old they say that ' * 3}{filler} "
    assert cue.holds(f"{before}rope is a thick string.") is defines


def test_a_sentence_may_lean_on_the_one_before_it() -> None:
    assert points_back("However, it rained.")
    assert points_back("Dies ist neu.")
    assert points_back("In that case it rained.")
    assert points_back("Or it rained.")
    assert points_back("Zum Beispiel regnete es.")
    assert not points_back("The rain came.")
    assert not points_back("In the case it rained.")
    assert not points_back("for example it rained.")


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_can_be_asked_and_looked_at(question: str, text: str) -> None:
    cue = cue_of(question)
    assert cue is None or cue.holds(text) in (True, False)


PLAIN = Weights(
    neighbours=0,
    pairs=0,
    rank=0,
    cut=0,
    elsewhere=0,
    context=0,
    form=0,
    definition=0,
    opening=0,
    other=0,
    apart=0,
    loose=0,
    titled=0,
)
"""Only BM25 counts. Each case below adds the one weight that it is about, as it is shipped."""


def ranked(question: str, texts: list[str], by: Weights) -> list[str]:
    passages = [PassageText(str(number), 0, text) for number, text in enumerate(texts)]
    return [one.text for one in select(question, passages, 9, by).chosen]


class TestWeightsOfForm:
    def test_a_number_outdoes_the_same_words_and_no_word_more(self) -> None:
        by = replace(PLAIN, form=DEFAULT.form)
        plain, numbered = "Ropes hang on old hooks up there.", "Ropes hang on 12 hooks up there."
        assert ranked("How many hooks hold ropes?", [plain, numbered], by)[0] == numbered
        fewer = "Ropes hang on 12 nails up there."
        assert ranked("How many hooks hold ropes?", [plain, fewer], by)[0] == plain

    def test_a_definition_outdoes_two_words_more_of_seven_and_not_five(self) -> None:
        by = replace(PLAIN, definition=DEFAULT.definition, b=0)
        question = "What is rope? red blue green white black brown"
        defined = "A rope is a string, and a red lamp."
        two_more = "They need a rope and red, blue and green flags."
        six_more = "They need a rope and red, blue, green, white, black and brown flags."
        assert ranked("What is rope", [two_more, defined], by)[0] == defined
        assert ranked(question, [six_more, defined], by)[0] == six_more

    def test_the_first_sentence_of_a_section_outdoes_the_same_words(self) -> None:
        by = replace(PLAIN, opening=DEFAULT.opening, b=0)
        opening = PassageText("1", 0, "Ropes\n\nA rope holds what hangs on it in the harbour.", ("Ropes",))
        within = PassageText("0", 0, "Ships pull a rope behind them in the harbour.")
        assert select("What is a rope?", [within, opening], 9, by).chosen[0].opens
        assert not select("Where is a rope?", [within, opening], 9, by).chosen[0].opens

    def test_a_word_of_the_heading_counts_less_than_one_of_the_sentence(self) -> None:
        by = replace(PLAIN, context=DEFAULT.context)
        under = PassageText("0", 0, "They hang in the hall of a castle.", ("Good ropes",))
        named = PassageText("1", 0, "Ropes hang on the wall in the old house.")
        other = PassageText("2", 0, "Boats lie on the shore of the old lake.")
        scored = select("ropes", [other, under, named], 9, replace(by, cut=0.3)).chosen
        assert [one.document for one in scored] == ["1", "0"]


@pytest.mark.parametrize("question", ["When should I use it?", "When can I stop?", "When to call it?"])
def test_when_may_ask_for_a_condition(question: str) -> None:
    assert cue_of(question) is None


class TestWhatDefines:
    @pytest.mark.parametrize(
        ("sentence", "defines"),
        [
            ("Samovar, a kettle of brass, stands in the hall.", True),
            ("The Samovar, which is hot, stands there.", False),
            ("The way to fill a samovar is long.", True),
            ("The use of samovar is free to all.", False),
            ("There is a list called samovar-index for it.", False),
            ("It is called samovar by those who know it.", True),
        ],
    )
    def test_is_a_sentence_about_the_subject_itself(self, sentence: str, defines: bool) -> None:
        cue = cue_of("What is a samovar?")
        assert cue is not None
        assert cue.holds(sentence) is defines

    def test_for_what_it_is_tells_what_it_does(self) -> None:
        asked, plain = cue_of("What is /srv for?"), cue_of("What is /srv?")
        assert asked is not None
        assert plain is not None
        assert asked.holds("/srv contains data of this system.")
        assert not plain.holds("/srv contains data of this system.")

    def test_a_way_is_told_by_a_sentence_that_opens_with_it(self) -> None:
        cue = cue_of("How do I subscribe to a list?")
        assert cue is not None
        assert cue.holds("To subscribe, send a mail.")
        assert not cue.holds("To unsubscribe, send a mail.")
