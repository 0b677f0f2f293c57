"""Names of a sentence, and which of them a passage does not hold (spec 2.6). Pure."""

import re

from footnote_resolver.verification.dates import MONTH_NAMES, WEEKDAYS
from footnote_resolver.verification.languages import LANGUAGES, language_of
from footnote_resolver.verification.lexicon import LANDS, STOP_WORDS, unit
from footnote_resolver.verification.words import folded, tokens
from footnote_shared.kernel.stems import stem

_SHORTEST = 3
"""Letters of a name that is no acronym."""
_SHARED = 5
"""Letters that two forms of one name have in common at least, at their beginning."""
_LONGEST_ENDING = 3
"""Letters by which the lengths of two forms of one name may differ."""
_LOOK_BACK = 8
"""Characters before a word in which a mark may stand that begins a sentence or a quotation."""
_GERMAN = next(one.common for one in LANGUAGES if one.name == "german")
"""Its function words."""
_GAPS = re.compile(r"[\W_]+")
_TOKEN = re.compile(r"(?<!\w)[^\W\d_][\w'’&.-]*[\w]|(?<!\w)[^\W\d_]")
_STARTS = re.compile(r"(?:^|[.!?:…]|[\"“'‘(\[*#>-])\s*$")
_CODE = re.compile(
    r"(?<![\w.-])(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z.-])"
    r"(?:[A-Za-z]++[\w.-]*\d[\w.-]*|\d+(?:\.\d+){2,}|\d+[A-Za-z]+\d[\w-]*)(?<![.-])"
)
_ACRONYM = re.compile(r"[A-Z][A-Z&]{1,6}s?$")
_PREFIXED = re.compile(r"^(?:mid|pre|post|early|late|circa|non|sub|Q)-?\d", re.IGNORECASE)
_CAPITALISED = re.compile(
    r"(?<!\w)(?<!\w['’])[A-Z][\w'’]*+(?:[\s-]++(?:(?:of|and|for|the|in|on|de|des|la|du)[\s-]++)?[A-Z][\w'’]*+)++"
)
_POSSESSIVE = re.compile(r"(?:'s|’s|['’.])$")
_MEASURE = re.compile(r"\d+(?:[.,]\d+)*[A-Za-zµ]{1,3}")


def names(sentence: str) -> set[str]:
    """Words with a capital and words that hold digits.

    At the beginning of a sentence or a quotation any word has a capital: there it is a name only if it is an
    acronym or if the next word has a capital as well. In German every noun has one: there a name stands
    behind another word with a capital, as in `Frau Seidel`.
    """
    language = language_of(sentence)
    nouns = language is not None and language.name == "german"
    found = {
        code.group()
        for code in _CODE.finditer(sentence)
        if not _PREFIXED.match(code.group()) and not _is_measure(code.group())
    }
    matches = list(_TOKEN.finditer(sentence))
    for position, match in enumerate(matches):
        word = _POSSESSIVE.sub("", match.group())
        acronym = _ACRONYM.match(word) is not None
        measures = unit(word) is not None and sentence[: match.start()].rstrip()[-1:].isdigit()
        if measures or not _may_be_name(word, acronym=acronym):
            continue
        if nouns and not acronym and not _behind_capital(sentence, matches, position):
            continue
        if not acronym and _STARTS.search(sentence[: match.start()][-_LOOK_BACK:]):
            follower = matches[position + 1] if position + 1 < len(matches) else None
            if (
                follower is None
                or not follower.group()[0].isupper()
                or sentence[match.end() : follower.start()] != " "
            ):
                continue
        found.add(word)
    return found


def _behind_capital(sentence: str, matches: list[re.Match[str]], position: int) -> bool:
    """Whether the word follows another one with a capital that is no article."""
    if not position:
        return False
    before = matches[position - 1]
    return (
        before.group()[0].isupper()
        and folded(before.group()) not in _GERMAN
        and sentence[before.end() : matches[position].start()] == " "
    )


def _may_be_name(word: str, *, acronym: bool) -> bool:
    if not word or not word[0].isupper() or any(char.isdigit() for char in word):
        return False
    plain = word.lower()
    return (len(word) >= _SHORTEST or acronym) and not (
        plain in MONTH_NAMES or plain in WEEKDAYS or plain in STOP_WORDS
    )


def missing_names(wanted: set[str], text: str, held: frozenset[str]) -> set[str]:
    """The names that a text does not hold; `held` are its words.

    An acronym is held as well where the words stand that it abbreviates. It is stricter than the agent's
    `unmentioned`, which asks whether the documents speak of a name at all: a claim needs the name itself.
    """
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
    """Whether the word is held, maybe in another form: `German` and `Germany`, `Keller` and `Kellers`."""
    if word in held or LANDS.get(word) in held:
        return True
    if len(word) < _SHORTEST or word.isdigit():
        return False
    root = word[: max(_SHARED, len(word) - 2)] if len(word) > _SHARED else word
    return stem(word) in held or any(
        other.startswith(root) and abs(len(other) - len(word)) <= _LONGEST_ENDING
        for other in held
        if other[:1] == word[:1] and len(word) >= _SHARED
    )


def _is_measure(code: str) -> bool:
    """Whether it is a figure like `5mg`, and no name."""
    return _MEASURE.fullmatch(folded(code)) is not None
