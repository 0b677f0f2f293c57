"""Names of a sentence, and which of them a passage does not hold (spec 2.6). Pure."""

import re

from footnote_resolver.verification.dates import MONTH_NAMES, WEEKDAYS
from footnote_resolver.verification.words import STOP_WORDS, folded, stem, tokens, word_list

_SHORTEST = 3
_SHARED = 5
_GAPS = re.compile(r"[\W_]+")
_TOKEN = re.compile(r"(?<!\w)[^\W\d_][\w'’&.-]*[\w]|(?<!\w)[^\W\d_]")
_STARTS = re.compile(r"(?:^|[.!?:…]|[\"“'‘(\[*#>-])\s*$")
_CODE = re.compile(
    r"(?<![\w.-])(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z.-])(?:[A-Za-z]++[\w.-]*\d[\w.-]*|\d+(?:\.\d+){2,}|\d+[A-Za-z]+\d[\w-]*)(?<![.-])"
)
_ACRONYM = re.compile(r"[A-Z][A-Z&]{1,6}s?$")
_PREFIXED = re.compile(r"^(?:mid|pre|post|early|late|circa|non|sub|Q)-?\d", re.IGNORECASE)
_CAPITALISED = re.compile(
    r"\b[A-Z][\w'’]*+(?:[\s-]++(?:(?:of|and|for|the|in|on|de|des|la|du)[\s-]++)?[A-Z][\w'’]*+)++"
)

_LANDS = {
    people: frozenset([land, people])
    for pair in word_list(
        "french-france dutch-netherlands british-britain swiss-switzerland spanish-spain danish-denmark polish-poland turkish-turkey"
        " greek-greece welsh-wales irish-ireland scottish-scotland swedish-sweden finnish-finland chinese-china portuguese-portugal"
    )
    for one, other in [pair.split("-")]
    for people, land in ((one, other), (other, one))
}


def names(sentence: str) -> set[str]:
    """Words that are written as names: with a capital, though they do not begin a sentence or a quotation, unless they are an
    acronym or the next word has one as well; and words that hold digits.
    """
    found = {
        code.group()
        for code in _CODE.finditer(sentence)
        if not _PREFIXED.match(code.group()) and not _is_measure(code.group())
    }
    matches = list(_TOKEN.finditer(sentence))
    for position, match in enumerate(matches):
        word = re.sub(r"(?:'s|’s|['’.])$", "", match.group())
        if not word or not word[0].isupper() or any(char.isdigit() for char in word):
            continue
        acronym = _ACRONYM.match(word) is not None
        if (
            (len(word) < _SHORTEST and not acronym)
            or word.lower() in MONTH_NAMES
            or word.lower() in WEEKDAYS
            or word.lower() in STOP_WORDS
        ):
            continue
        if not acronym and _STARTS.search(sentence[: match.start()][-8:]):
            follower = matches[position + 1] if position + 1 < len(matches) else None
            if (
                follower is None
                or not follower.group()[0].isupper()
                or sentence[match.end() : follower.start()] != " "
            ):
                continue
        found.add(word)
    return found


def missing_names(wanted: set[str], text: str, held: frozenset[str]) -> set[str]:
    """The names that a text does not hold, whose words are `held`. `WHO` is held where the words stand that it abbreviates."""
    absent = {name for name in wanted if not all(_has(word, held) for word in tokens(name))}
    if absent:
        # `COVID19` and `COVID-19`, `U.S.` and `US`.
        line = _GAPS.sub("", folded(text))
        absent = {
            name
            for name in absent
            if not (
                (whole := _GAPS.sub("", folded(name))) in held or (len(whole) >= _SHARED and whole in line)
            )
        }
    if any(_ACRONYM.match(name) for name in absent):
        initials = {
            "".join(word[0] for word in re.findall(r"[A-Z]\w*", run)) for run in _CAPITALISED.findall(text)
        }
        absent = {name for name in absent if name.removesuffix("s") not in initials}
    return absent


def _has(word: str, held: frozenset[str]) -> bool:
    """Also in another form: `German` and `Germany`, `Keller` and `Kellers`."""
    if word in held or _LANDS.get(word, frozenset()) & held:
        return True
    if len(word) < _SHORTEST or word.isdigit():
        return False
    root = word[: max(_SHARED, len(word) - 2)] if len(word) > _SHARED else word
    return stem(word) in held or any(
        other.startswith(root) and abs(len(other) - len(word)) <= 3
        for other in held
        if other[:1] == word[:1] and len(word) >= _SHARED
    )


def _is_measure(code: str) -> bool:
    """`5mg` is a figure, no name."""
    return re.fullmatch(r"\d+(?:[.,]\d+)*[A-Za-zµ]{1,3}", folded(code)) is not None
