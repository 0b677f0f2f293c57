"""Which words of a reference are in passages, which are lost, and which were left out on purpose."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

_WITHOUT_SPACES: Final = "\u3041-\u30ff\u3400-\u9fff"
_WORD: Final = re.compile(rf"[{_WITHOUT_SPACES}]|(?:(?![{_WITHOUT_SPACES}])\w)+")
_NUMBER: Final = re.compile(r"\d{1,5}|[ivxlc]{1,8}")
_RAISED: Final = re.compile(r"([^\W⁰¹²³⁴⁵⁶⁷⁸⁹₀-₉]{0,40}) ?([⁰¹²³⁴⁵⁶⁷⁸⁹₀-₉]{1,12})")
_COMMAND: Final = re.compile(r"\\(?:begin|end)\{[A-Za-z*]{1,20}\}(?:\{[lcr| ]{1,20}\})?|\\([A-Za-z]{1,40})")
_FUNCTIONS: Final = frozenset(
    {
        *(
            "sin",
            "cos",
            "tan",
            "cot",
            "sec",
            "csc",
            "log",
            "ln",
            "exp",
            "lim",
            "max",
            "min",
            "sup",
            "inf",
            "det",
        )
    }
    | {*("gcd", "dim", "ker", "deg", "arg", "mod", "sinh", "cosh", "tanh")}
)
PAGE_NUMBERS, CONTENTS = "page numbers", "table of contents"
"""What ingest says of a PDF whose page numbers, or whose table of contents, it has left out."""


@dataclass(slots=True)
class WordsKept:
    """`kept` words of a reference are in the passages; `lost` ones are not; `left_out` ones on purpose."""

    kept: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    left_out: int = 0

    @property
    def words(self) -> int:
        """The words that a reader of the passages should find."""
        return self.kept + self.lost.total()

    def add(self, other: "WordsKept") -> None:
        """Count the other words in."""
        self.kept += other.kept
        self.lost.update(other.lost)
        self.left_out += other.left_out


def words_of(text: str) -> list[str]:
    """The words in small letters. A number is the same number as an index, as an exponent and on the line.

    Underscores at the edges of a word count no more than other signs do: they may be marks of emphasis, and a
    line of them is where somebody writes. Of Chinese and Japanese, which have no spaces, each character is a
    word.
    """
    words = (word.strip("_") for word in _WORD.findall(unicodedata.normalize("NFKC", text).lower()))
    return [word for word in words if word]


def compared(wanted: Counter[str], texts: Iterable[str], equations: Sequence[str] = ()) -> WordsKept:
    """The words of a reference against the texts of a reader. What is there twice must be in them twice.

    Of `equations`, in TeX, each letter and digit counts as a word. Those of the texts that are no word of the
    reference stand for them, since no two programs write an equation in one way.
    """
    have = _words_had(wanted, texts)
    both = wanted & have
    signs = Counter(char for equation in equations for char in letters_of(equation))
    others = Counter[str]()
    for word, count in (have - both).items():
        for char in word:
            others[char] += count
    shown = signs & others
    return WordsKept(both.total() + shown.total(), (wanted - both) + (signs - shown))


def _words_had(wanted: Counter[str], texts: Iterable[str]) -> Counter[str]:
    """The words of texts. A raised number counts with the word before it where the reference joins the two.

    Of a small 6 behind 10, one program makes `106`, and another one `10 6`.
    """
    have = Counter[str]()
    beside: list[tuple[str, str]] = []
    for text in texts:
        have.update(words_of(_RAISED.sub(" ", text)))
        beside += [
            ("".join(words_of(found[1])), "".join(words_of(found[2]))) for found in _RAISED.finditer(text)
        ]
    for word, number in beside:
        joined = word + number
        if wanted[joined] > have[joined]:
            have[joined] += 1
        else:
            have.update(filter(None, (word, number)))
    return have


def with_letters_shown(tex: str) -> str:
    """A text in which the names of Greek letters and of functions in TeX are what a page shows."""
    return _COMMAND.sub(
        lambda found: f" {_said(found[1] or '')} " if _said(found[1] or "") else found[0], tex
    )


def letters_of(equation: str) -> str:
    """The letters and digits that an equation in TeX shows, in small letters."""
    shown = _COMMAND.sub(lambda found: f" {_said(found[1] or '')} ", equation)
    return "".join(char for char in unicodedata.normalize("NFKC", shown).lower() if char.isalnum())


def _said(command: str) -> str:
    if command in _FUNCTIONS:
        return command
    name = command.removeprefix("var").upper()
    try:
        return unicodedata.lookup(f"GREEK {'CAPITAL' if command[:1].isupper() else 'SMALL'} LETTER {name}")
    except KeyError:
        return ""


def without_left_out(
    kept: WordsKept, contents: Iterable[str], left_out: Sequence[str], pages: int
) -> WordsKept:
    """The same, in which lost words count as left out on purpose where the reader says that it left them out.

    `left_out` names running heads, page numbers and tables of contents; `contents` are the words of the last.
    A running head counts once for each page at most, and a page has one number.
    """
    heads = Counter[str]()
    for line in left_out:
        if line not in (PAGE_NUMBERS, CONTENTS):
            for word, count in Counter(words_of(line)).items():
                heads[word] = max(heads[word], count * pages)
    if CONTENTS in left_out:
        heads.update(contents)
    gone = kept.lost & heads
    lost = kept.lost - gone
    if any(line == PAGE_NUMBERS or any(char.isdecimal() for char in line) for line in left_out):
        numbers = Counter({word: count for word, count in lost.items() if _NUMBER.fullmatch(word)})
        taken = Counter(list(numbers.elements())[: max(0, pages)])
        gone, lost = gone + taken, lost - taken
    return WordsKept(kept.kept, lost, kept.left_out + gone.total())
