"""Claims in other languages than English, and sentences of which only one word was changed."""

import pytest

from footnote_resolver.verification.dates import Day, moments
from footnote_resolver.verification.figures import figures
from footnote_resolver.verification.judge import Claim, Premise, hold
from footnote_resolver.verification.languages import LANGUAGES, MONTHS, language_of
from footnote_resolver.verification.missing import missing
from footnote_resolver.verification.names import names
from footnote_resolver.verification.numerals import spelled_numbers
from footnote_resolver.verification.words import folded


def support(claim: str, passage: str) -> str:
    return hold(Claim(claim), [Premise(passage)], 0.8).support


SENTENCES = {
    "german": ("Der Sender hat die Rechnung nicht bezahlt.", "Der Sender hat die Rechnung bezahlt."),
    "french": ("La station n'a pas payé la facture du mois.", "La station a payé la facture du mois."),
    "spanish": ("La emisora no ha pagado la factura del mes.", "La emisora ha pagado la factura del mes."),
    "italian": ("La radio non ha pagato la bolletta del mese.", "La radio ha pagato la bolletta del mese."),
    "dutch": ("De zender heeft de rekening niet betaald.", "De zender heeft de rekening betaald."),
    "swedish": ("Kanalen har inte betalat räkningen för maj.", "Kanalen har betalat räkningen för maj."),
    "polish": ("Stacja nie zapłaciła rachunku za prąd.", "Stacja zapłaciła rachunek za prąd."),
    "portuguese": ("A estação não pagou a conta do mês.", "A estação pagou a conta do mês."),
}


def test_every_language_has_its_sentences() -> None:
    assert {one.name for one in LANGUAGES} == set(SENTENCES)


@pytest.mark.parametrize("name", SENTENCES)
def test_a_negation_is_read(name: str) -> None:
    denied, said = SENTENCES[name]
    assert support(said, denied) == support(denied, said) == "weak"
    assert support(said, said) == support(denied, denied) == "supported"


@pytest.mark.parametrize("name", SENTENCES)
def test_a_language_is_told_by_its_function_words(name: str) -> None:
    found = language_of(SENTENCES[name][0])
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "text",
    [
        "The committee has not paid the bill.",
        "In no case may the die be cast on site.",
        "The bill of Pierre de la Tour was paid in Paris.",
        "17 %",
        "",
    ],
)
def test_english_and_what_has_no_words_is_no_other_language(text: str) -> None:
    assert language_of(text) is None


def test_a_short_text_is_of_the_language_beside_it() -> None:
    found = language_of("Opłata wynosi 120 zł.", beside=SENTENCES["polish"][0])
    assert found is not None
    assert found.name == "polish"
    assert language_of("The fee is 120 for all of it.", beside=SENTENCES["polish"][0]) is None


@pytest.mark.parametrize(("name", "number"), MONTHS.items())
def test_a_month_of_another_language_is_one_beside_a_day_or_a_year(name: str, number: int) -> None:
    assert (
        moments(f"12. {name} 2026").days == moments(f"12 de {name} de 2026").days == {Day(2026, number, 12)}
    )
    assert moments(f"{name} 2026").days == {Day(2026, number)}
    assert not moments(f"il est {name} la").days


def test_numbers_from_two_to_twelve_are_read_in_words() -> None:
    for language in LANGUAGES:
        common = " ".join(sorted(language.common))
        for word, value in language.cardinals.items():
            assert [one.value for one in spelled_numbers(f"{common} {word}", ordinals=False)] == [value]
    assert not missing(
        figures("Die Kaution ist 3 Mieten hoch."), figures("Die Kaution ist drei Mieten hoch.")
    )


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_the_words_of_a_language_are_folded_and_opposites_are_apart(language: object) -> None:
    assert language in LANGUAGES
    for one in LANGUAGES:
        words = one.common | one.negations | one.joins | one.cardinals.keys()
        assert {folded(word) for word in words} == words
        assert not one.negations & one.joins
        for this, other in one.opposites:
            assert not any(other.among([word]) for word in this.whole)
            assert not any(this.among([word]) for word in other.whole)


@pytest.mark.parametrize(
    ("claim", "passage", "verdict"),
    [
        # An opposite, and one that a negation takes back.
        ("Der Rat lehnte den Plan ab.", "Der Rat nahm den Plan an.", "weak"),
        ("Der Rat hat den Plan nicht abgelehnt.", "Der Rat hat den Plan angenommen.", "supported"),
        ("Les prix ont augmenté de 4 %.", "Les prix ont diminué de 4 %.", "weak"),
        # A figure of the other clause.
        ("Kinder nehmen 20 mg ein.", "Das ist die Dosis. Erwachsene nehmen 20 mg ein, Kinder 5 mg.", "weak"),
        (
            "Erwachsene nehmen 20 mg ein.",
            "Das ist die Dosis. Erwachsene nehmen 20 mg ein, Kinder 5 mg.",
            "supported",
        ),
        # What is denied in one clause is not denied in the next.
        ("La tasa es de 120 euros.", "La tasa es de 120 euros y no se devuelve a nadie.", "supported"),
        (
            "El metal se disuelve en etanol.",
            "El metal no se disuelve en agua, pero sí en etanol.",
            "supported",
        ),
        # Another language's words are no English grammar.
        (
            "Der Antrag von Frau Seidel wurde von der Kommission abgelehnt.",
            "Die Kommission lehnte den Antrag von Frau Seidel ab.",
            "supported",
        ),
    ],
)
def test_clauses_are_compared(claim: str, passage: str, verdict: str) -> None:
    assert support(claim, passage) == verdict


def test_a_german_noun_is_no_name_and_what_follows_a_title_is_one() -> None:
    assert names("Es nimmt der Kranke jeden Tag die Tablette von Frau Seidel ein.") == {"Seidel"}


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("The treasurer reported a deficit for the year.", "weak"),
        ("The treasurer reported surpluses for the year.", "supported"),
        ("The board reported a surplus for the year.", "weak"),
        ("The treasurer reported a surplus.", "supported"),
    ],
)
def test_another_word_in_the_place_of_one(claim: str, verdict: str) -> None:
    assert support(claim, "In May the treasurer reported a surplus for the year.") == verdict


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("The storm injured 14 people in the valley and killed 200.", "weak"),
        ("The storm killed 200 people in the valley and injured 14.", "weak"),
        ("The storm killed 14 people in the valley and injured 200.", "supported"),
    ],
)
def test_two_words_exchanged(claim: str, verdict: str) -> None:
    assert support(claim, "The storm killed 14 people in the valley and injured 200.") == verdict


def test_two_who_are_named_together_may_be_named_in_either_order() -> None:
    passage = "Berg and Ruiz presented the annual budget."
    assert support("Ruiz and Berg presented the annual budget.", passage) == "supported"


@pytest.mark.parametrize(
    ("claim", "passage", "verdict"),
    [
        ("The licence covers at least 25 users.", "The licence covers up to 25 users.", "weak"),
        ("The licence covers no more than 25 users.", "The licence covers up to 25 users.", "supported"),
        ("At most 25 users are covered.", "No more than 25 users are covered.", "supported"),
        ("Some 300 houses had no power.", "About 300 houses had no power.", "supported"),
        (
            "Police said that a cigarette started the fire.",
            "Police said a cigarette started the fire.",
            "supported",
        ),
        ("A cigarette started the fire.", "Police believe that a cigarette started the fire.", "weak"),
        ("Subletting requires consent.", "Subletting must not happen without consent.", "supported"),
        ("The risk rises.", "Warfarin increases the risk.", "supported"),
        ("Rovers won against United.", "United lost against Rovers.", "supported"),
        ("United won against Rovers.", "United lost against Rovers.", "weak"),
        ("The plant made 4,200 MWh of power.", "The plant made 4.2 GWh of power.", "supported"),
        (
            "The goods have to be sent after it was paid.",
            "The goods shall be sent once it is paid.",
            "supported",
        ),
    ],
)
def test_bounds_beliefs_and_conditions(claim: str, passage: str, verdict: str) -> None:
    assert support(claim, passage) == verdict
