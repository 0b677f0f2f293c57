"""Numbers, dates and names of a sentence, and which of them a passage does not have (spec 2.6). Pure."""

import re

_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sep sept",
         "october oct", "november nov", "december dec"), start=1,
    )
    for name in names.split()
}  # fmt: skip
_WORDS = {
    word: number
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
    )
} | {word: 10 * tens for tens, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2)} | {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "once": 1, "twice": 2, "dozen": 12,
    "half": 0.5, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9,
}  # fmt: skip
_SCALE = {"thousand": 3, "k": 3, "million": 6, "mn": 6, "m": 6, "billion": 9, "bn": 9, "b": 9, "trillion": 12}
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_NUMBER = re.compile(
    r"(?<![\w.,])(\d{1,3}(?:[,\u00a0\u202f' ]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)(?:\s?(thousand|million|billion|trillion|bn|mn|[kmb])\b)?",
    re.IGNORECASE,
)
_MONTH_NAMES = "|".join(_MONTHS)
_DATED = re.compile(
    rf"\b({_MONTH_NAMES})\b\.?,?\s+\d|\d(?:st|nd|rd|th)?\s+(?:of\s+)?({_MONTH_NAMES})\b", re.IGNORECASE
)
_MARKER = re.compile(r"[\[⟦](?:citation:)?\d{1,4}[\]⟧]|^\s*(?:\d{1,3}[.)]|#{1,6})\s", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST_NAME = 3
_STARTERS = frozenset(
    [
        "the",
        "this",
        "that",
        "these",
        "those",
        "its",
        "his",
        "her",
        "their",
        "our",
        "your",
        "and",
        "but",
        "for",
        "with",
        "from",
        "when",
        "while",
        "since",
        "after",
        "before",
        "during",
        "under",
    ]
)
_TOKEN = re.compile(r"[^\W\d_][\w'’-]*")
_STARTS = re.compile(r"(?:^|[.!?:…]|[\"“'‘(\[*#>-])\s*$")


def figures(text: str) -> set[str]:
    """The numbers of a text in one spelling: `1,200`, `1.2k` and `1200` are equal; a date gives its year, month and day."""
    text = _MARKER.sub(" ", text)
    found: set[str] = set()
    for year, month, day in _ISO.findall(text):
        found |= {year, f"month {int(month)}", str(int(day))}
    for digits, scale in _NUMBER.findall(_ISO.sub(" ", text)):
        found.add(_spelled(digits, scale))
    for before, after in _DATED.findall(text):
        found.add(f"month {_MONTHS[(before or after).lower()]}")
    return found


def available_figures(text: str) -> set[str]:
    """Like `figures`, with the numbers and months that are written as words: what a sentence may be taken from."""
    found = figures(text)
    for word in _WORD.findall(text.lower()):
        if word in _MONTHS:
            found.add(f"month {_MONTHS[word]}")
        if word in _WORDS:
            found.add(f"{_WORDS[word]:g}")
    return found


def missing_figures(sentence: str, passage: str) -> set[str]:
    """The numbers, and the months of dates, that the sentence has and the passage does not."""
    wanted = figures(sentence)
    return wanted - available_figures(passage) if wanted else set()


def names(sentence: str) -> set[str]:
    """Words that are written as names: with a capital, though they do not begin a sentence or a quotation, unless the
    next word has one as well.
    """
    tokens = list(_TOKEN.finditer(sentence))
    found = set()
    for position, match in enumerate(tokens):
        word = match.group().removesuffix("'s").removesuffix("’s")
        if (
            not word[0].isupper()
            or len(word) < _SHORTEST_NAME
            or word.lower() in _MONTHS
            or word.lower() in _STARTERS
        ):
            continue
        if _STARTS.search(sentence[: match.start()][-8:]):
            follower = tokens[position + 1] if position + 1 < len(tokens) else None
            if (
                follower is None
                or not follower.group()[0].isupper()
                or sentence[match.end() : follower.start()] != " "
            ):
                continue
        found.add(word)
    return found


def missing_names(sentence: str, passages: str) -> set[str]:
    """The names of the sentence that no passage holds."""
    held = set(_words(passages))
    return {name for name in names(sentence) if not set(_words(name)) <= held}


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _spelled(digits: str, scale: str) -> str:
    if re.fullmatch(r"\d{1,3}(?:[,\u00a0\u202f' ]\d{3})+(?:\.\d+)?", digits):
        digits = re.sub(r"[,\u00a0\u202f' ]", "", digits)
    value = float(digits.replace(",", "."))
    if scale:
        value *= 10 ** _SCALE[scale.lower()]
    return f"{value:.10g}"
