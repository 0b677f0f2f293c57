"""Each word that verification knows does its work. The words are listed again here, so that none is lost."""

import pytest

from footnote_resolver.verification.figures import figures
from footnote_resolver.verification.lexicon import (
    CARDINALS,
    LANDS,
    ORDINALS,
    POWERS,
    SCALES,
)
from footnote_resolver.verification.missing import missing
from footnote_resolver.verification.names import missing_names, names
from footnote_resolver.verification.polarity import contrary
from footnote_resolver.verification.words import stems, tokens

OPPOSITES = {
    "increase rise rose grow grew grown high higher raise gain upward expand great greater": "decrease",
    "large larger": "decrease",
    "decrease decline fall fell drop low lower reduce reduction downward shrink shrank": "increase",
    "less fewer small smaller": "increase",
    "before prior preceding early earlier": "after",
    "after following late later subsequent": "before",
    "above over exceeds": "below",
    "below under beneath": "above",
    "allow permit": "forbid",
    "forbid forbidden prohibit ban": "allow",
    "accept approve": "reject",
    "reject": "accept",
    "positive": "negative",
    "present presence": "absent",
    "absent": "present",
    "success succeed successful": "unsuccessful",
    "failure unsuccessful": "success",
    "maximum max most highest largest greatest": "minimum",
    "minimum min least lowest smallest": "maximum",
    "best better improve": "worse",
    "worst worse worsen": "better",
    "begin began start open": "end",
    "end stop close": "begin",
    "win won": "lose",
    "lose lost loss": "win",
    "buy bought": "sell",
    "sell sold": "buy",
    "majority": "minority",
    "safe safely": "dangerous",
    "dangerous unsafe harmful": "safe",
    "active": "inactive",
    "male man men": "female",
    "female woman women": "male",
    "north northern": "south",
    "south southern": "north",
    "east eastern": "west",
    "west western": "east",
    "true": "false",
    "internal": "external",
    "acute": "chronic",
    "early": "late",
    "late later": "early",
    "first": "last",
    "push postpone delay": "advance",
    "advance": "push",
    "include": "exclude",
    "enable activate": "disable",
    "disable inhibit block prevent": "enable",
    "love": "hate",
    "required mandatory": "optional",
    "optional voluntary": "required",
    "upstream": "downstream",
    "import": "export",
}
"""Words by one that says the contrary."""

NEGATIONS = """
not no never none nor neither without cannot nobody nothing hardly rarely scarcely fail fails failed failing
lack lacks lacked lacking absence unlikely unable refuse refused denies denied deny isn't won't
"""

STOP_WORDS = """
a about above after again all also an and any are as at be because been before being below between both but
by can could did do does doing down during each else few for from further had has have having he her here
hers him his how however i if in into is it its itself just me might more most much must my no nor not of
off on once only or other our out over own per same shall she should so some such than that the their them
then there these they this those through thus to too under until up upon us very was we were what when where
whether which while who whom whose why will with would you your according
"""

PEOPLES = """
French-France Dutch-Netherlands British-Britain Swiss-Switzerland Spanish-Spain Danish-Denmark Polish-Poland
Turkish-Turkey Greek-Greece Welsh-Wales Irish-Ireland Scottish-Scotland Swedish-Sweden Finnish-Finland
Chinese-China Portuguese-Portugal
"""

LABELS = """
type types serotype subtype genotype figure fig. table phase grade stage level version chapter section
article page line group class step part room item option rule question no. number
"""

NUMBER_WORDS = {
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "once": 1,
    "twice": 2,
    "thrice": 3,
    "half": 0.5,
    "both": 2,
    "a hundred": 100,
    "a thousand": 1_000,
    "a million": 10**6,
    "a billion": 10**9,
    "a trillion": 10**12,
    "a dozen": 12,
}

SCALE_WORDS = {
    " thousand": "1,000",
    "k": "1,000",
    " million": "1,000,000",
    " mn": "1,000,000",
    " mio": "1,000,000",
    "M": "1,000,000",
    " billion": "1,000,000,000",
    " bn": "1,000,000,000",
    " mrd": "1,000,000,000",
    "B": "1,000,000,000",
    " trillion": "1,000,000,000,000",
    " lakh": "100,000",
    " crore": "10,000,000",
}


@pytest.mark.parametrize(
    ("word", "opposite"),
    [(word, opposite) for words, opposite in OPPOSITES.items() for word in words.split()],
)
def test_a_word_and_its_opposite_are_contrary(word: str, opposite: str) -> None:
    assert contrary(f"lamp {word} river", [f"lamp {opposite} river"])
    assert not contrary(f"lamp {word} river", [f"lamp {word} river"])


@pytest.mark.parametrize("negation", NEGATIONS.split())
def test_a_negation_denies(negation: str) -> None:
    assert contrary("The lamp is lit", [f"The lamp {negation} lit"])


@pytest.mark.parametrize("word", STOP_WORDS.split())
def test_a_function_word_is_not_compared(word: str) -> None:
    assert stems([word]) == frozenset()


@pytest.mark.parametrize("pair", PEOPLES.split())
def test_a_people_and_its_land_are_one_name(pair: str) -> None:
    people, land = pair.split("-")
    for name, text in ((people, land), (land, people)):
        assert not missing_names(names(f"It is {name} here."), text, frozenset(tokens(text)))


@pytest.mark.parametrize(("word", "number"), NUMBER_WORDS.items())
def test_a_number_word_has_its_value(word: str, number: float) -> None:
    assert not missing(figures(f"{number} lamps"), figures(f"There are {word} lamps", to_find=True))
    assert missing(figures(f"{2 * number + 7} lamps"), figures(f"There are {word} lamps", to_find=True))


@pytest.mark.parametrize(("scale", "number"), SCALE_WORDS.items())
def test_a_scale_has_its_value(scale: str, number: str) -> None:
    assert not missing(figures(f"€2{scale}"), figures(f"€{number.replace('1', '2')}", to_find=True))
    assert missing(figures(f"€2{scale}"), figures(f"€{number}", to_find=True))


def test_every_people_and_number_is_tried() -> None:
    assert len(LANDS) == 2 * len(PEOPLES.split())
    assert len(CARDINALS) + len(ORDINALS) + len(POWERS) == len(NUMBER_WORDS)
    assert len(SCALES) == len(SCALE_WORDS)


@pytest.mark.parametrize("label", LABELS.split())
def test_a_label_names_and_does_not_count(label: str) -> None:
    assert not missing(figures(f"See {label} 3"), figures(f"In {label} 3 here", to_find=True))
    other = "table" if label != "table" else "figure"
    assert missing(figures(f"See {label} 3"), figures(f"In {other} 3 here", to_find=True))
