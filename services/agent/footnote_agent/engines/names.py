"""The names in a question, and which of them the passages of an answer lack. Pure.

A question about something that the documents do not know often looks like one that they answer: all words but
the name are there. No threshold on a score tells the two apart; the name does.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from footnote_agent.engines.months_in_figures import MONTHS, months_in
from footnote_agent.engines.same_words import same_as
from footnote_shared.kernel.stems import stem

RARE_PIECES = 3
"""Pieces into which the lane's tokenizer cuts a word that is rare enough to be a name."""

_TOKEN = re.compile(r"(?:(?<!\S)--?(?=[A-Za-z]))?[^\W_](?:[\w.&/+#'’-]*[\w+#])?")
_WORD = re.compile(r"[^\W_]+")
_VERSION = re.compile(r"\d+(?:\.\d+)+")
"""It stands there whole or not at all: 8.4 and 10.1 are no 10.4."""

_JOINT = re.compile(r"(?<=[^\W_])-(?=[^\W_])")
"""The hyphen within a name: COVID-19 is COVID19."""

_OF_COUNTRIES = ("ian", "ean", "ese", "ish", "an")
"""How English words end that are made of the name of a country: Canadian."""

LEAST_OF_COUNTRY = 5
"""Letters that are left of such a word at least, with which the name of its country begins."""

_END_MARKS = frozenset(".!?。！？")
_ALL_NOUNS_ARE_CAPITALISED = frozenset({"de", "lb"})
_MOST_CAPITALS = 0.7
"""Share of capitalised words above which a question is a headline or shouted, and capitals mean nothing."""


def names_of(question: str, pieces: Callable[[str], int], language: str | None = None) -> list[str]:
    """The names of a question, in order: words that stand together are one name.

    A word is part of a name when it is capitalised and not the first of a sentence, when it has a digit, when
    it is an option of a command (`--parallel`), or, in English, when the tokenizer cuts it, or a part of it
    that a hyphen sets apart, into three pieces or more. `pieces` counts them. `language`: that of the
    passages.
    """
    tokens = list(_TOKEN.finditer(question))
    capitals = sum(token.group()[0].isupper() for token in tokens[1:])
    telling = language not in _ALL_NOUNS_ARE_CAPITALISED and capitals <= _MOST_CAPITALS * max(
        1, len(tokens) - 1
    )
    names: list[str] = []
    end = behind = -1
    for position, token in enumerate(tokens):
        word = token.group()
        opens = position == 0 or not _END_MARKS.isdisjoint(question[behind : token.start()])
        behind = token.end()
        is_name = _is_name(word, telling and not opens, language, pieces)
        if is_name and end >= 0 and question[end : token.start()].isspace():
            names[-1] = f"{names[-1]} {word}"
        elif is_name:
            names.append(word)
        end = token.end() if is_name else -1
    return list(dict.fromkeys(names))


def unmentioned(names: Sequence[str], texts: Iterable[str], language: str | None = None) -> list[str]:
    """The names of which a word stands in none of the texts, in no form.

    It is kinder than the resolver's `missing_names`, which judges a claim: here a part of a longer word is
    enough, since a name that is wrongly missed here opens an answer with a doubt that nobody had. So a month
    stands where a day of it does in figures, of the year that the name has.
    """
    held = "\n".join(texts).casefold()
    stems = {stem(word, language) for word in _WORD.findall(held)}
    together = _JOINT.sub("", held)
    missed = []
    for name in names:
        words = [word.casefold() for word in name.split()]
        lacking = {
            word.casefold()
            for word in name.split()
            if not _stands(word, held, stems, language)
            and not _stands_otherwise(word, together, stems, language)
        }
        if lacking and not _is_month_in_figures(lacking, words, held):
            missed.append(name)
    return missed


def _is_month_in_figures(lacking: set[str], words: Sequence[str], held: str) -> bool:
    """Whether all that the text lacks of a name is a month, of which it has a day in figures."""
    if len(lacking) > 1 or lacking.isdisjoint(MONTHS):
        return False
    years = {word for word in words if word.isdecimal() and len(word) == len("2005")}
    return any(month in lacking and (not years or year in years) for month, year in months_in(held))


def _stands(word: str, held: str, stems: set[str], language: str | None) -> bool:
    folded = word.casefold().removesuffix("'s").removesuffix("’s")
    if _VERSION.fullmatch(folded):
        return re.search(rf"(?<![\d.]){re.escape(folded)}(?!\d)", held) is not None
    if folded in held or folded.startswith("-"):
        return folded in held
    parts = _WORD.findall(folded)
    return bool(parts) and all(stem(part, language) in stems for part in parts)


def _stands_otherwise(word: str, together: str, stems: set[str], language: str | None) -> bool:
    """Whether a word stands in another form: with a hyphen, as its country, or as a word of its meaning.

    `together`: the text without hyphens within words.
    """
    if word.startswith("-") or _VERSION.fullmatch(word):
        return False
    if word.islower():
        return not same_as(stem(word, language), language).isdisjoint(stems)
    folded = word.casefold()
    if any(char.isdigit() for char in folded):
        return _JOINT.sub("", folded) in together
    rest = next((folded.removesuffix(end) for end in _OF_COUNTRIES if folded.endswith(end)), "")
    return len(rest) >= LEAST_OF_COUNTRY and any(one.startswith(rest) for one in _WORD.findall(together))


def _is_name(word: str, capitals_tell: bool, language: str | None, pieces: Callable[[str], int]) -> bool:
    if len(word) < 2:
        return False
    if word.startswith("-"):
        return True
    if any(char.isdigit() for char in word) or (capitals_tell and word[0].isupper()):
        return True
    # Of "can't" and "gull's" the tokenizer makes three pieces, of which two are their ends.
    bare = word.lower().replace("’", "'").partition("'")[0]
    rare = max(pieces(part) for part in bare.split("-"))
    return language in (None, "en") and bare.isascii() and rare >= RARE_PIECES
