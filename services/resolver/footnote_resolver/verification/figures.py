"""The figures of a text: numbers with what they measure, and dates (spec 2.6). Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from footnote_resolver.verification.dates import Moments, moments, together
from footnote_resolver.verification.lexicon import STOP_WORDS, unit
from footnote_resolver.verification.numerals import DIGITS, SCALE, spelled_numbers, value_of
from footnote_shared.kernel.citation_tokens import NUMBER, REFERENCE
from footnote_shared.kernel.stems import stem

COUNT = "count"
"""The kind of a number that counts things, or that has no unit at all."""
_LABELLED = "no. "
"""How the kind of a number begins that names and does not count: that of `Table 3` is `no. tabl`."""
_SIGN = r"(?<![\w.,)])[-−](?=\d)"
_NUMBER = re.compile(
    rf"(?P<currency>US\$|[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY|INR))?\s?(?P<sign>{_SIGN})?(?<![\d.,])"
    rf"(?P<digits>{DIGITS})(?P<scale>{SCALE}|(?<=\d)m\b)?"
    r"(?P<unit>\s?(?:%|‰|°\s?[CF]\b|°|[€$£])|[\s-]?(?:per\s?cent|percentage points?)\b"
    r"|[\s-]?(?:square|cubic|sq\.?)[\s-][A-Za-z]+|[\s-]?[A-Za-zµμΩΩ]+(?:[\s-]hours?\b|[²³])?)?",
)
_PER = re.compile(r"\s?/\s?([A-Za-zµμ]+)|[\s-](?:per|an?|each|every)[\s-]([A-Za-zµμ]+)")
"""What a unit is measured per: `km/h`, `litres per minute`, `three days a week`."""
_MARKER = re.compile(
    rf"[\[⟦](?:citation:{NUMBER}|{REFERENCE})[\]⟧]|^[^\S\n]*(?:\d{{1,3}}[.)]|#{{1,6}})\s", re.MULTILINE
)
# A word that holds digits is a name and no number: COVID-19, H1N1, v2.3, 10.0.0.1.
_CODE = re.compile(
    r"(?<![\w.-])(?!(?:mid|pre|post|early|late|circa|ca|non|sub|over|under|all)-\d|Q[1-4]\b)(?=[\w-]*\d)"
    r"[A-Za-z]++(?:-?\d[\w-]*+|-[A-Za-z][\w-]*\d[\w-]*+)(?:\.\d+)*+|\b\d++(?:\.\d++){2,}+\b(?!,)"
)
_HEDGES = tuple(
    (re.compile(rf"(?:{words})\s*+(?:US)?[$€£]?\s*+$", re.IGNORECASE), below, above)
    for words, below, above in (
        (r"\b(?:about|around|approximately|approx\.?|roughly|some|circa|ca\.?|close to)|[~≈]", 0.06, 0.06),
        (r"\b(?:nearly|almost|just under)", 0.06, 0.0),
        (r"\b(?:over|more than|just over)", 0.0, 0.06),
    )
)
"""How far, as a share of it, the number that is meant may lie below and above the one that is written."""
_UPPER, _LOWER = 1, -1
_BOUNDS = (
    (
        re.compile(
            r"\b(?:up to|at most|no (?:more|later|longer|higher|greater) than|not (?:more|later|longer) than"
            r"|(?:less|fewer|shorter|lower) than|not exceed(?:ing)?|maximum of|under|below)"
            r"\s*+(?:US)?[$€£]?\s*+$",
            re.IGNORECASE,
        ),
        _UPPER,
    ),
    (
        re.compile(
            r"\b(?:at least|no (?:less|fewer|earlier|sooner|lower) than|not less than|minimum of|above"
            r"|(?:more|longer|higher|greater|larger|older) than|over|exceed(?:s|ed|ing)?)"
            r"\s*+(?:US)?[$€£]?\s*+$",
            re.IGNORECASE,
        ),
        _LOWER,
    ),
)
"""What says that the number is the most or the least there may be."""
_LABELS = (
    "types?",
    "serotypes?",
    "subtypes?",
    "genotypes?",
    "figures?",
    "fig",
    "tables?",
    "phases?",
    "grades?",
    "stages?",
    "levels?",
    "versions?",
    "chapters?",
    "sections?",
    "articles?",
    "pages?",
    "lines?",
    "groups?",
    "class",
    "steps?",
    "parts?",
    "rooms?",
    "items?",
    "options?",
    "rules?",
    "questions?",
    "no",
    "number",
)
_LABEL = re.compile(rf"\b({'|'.join(_LABELS)})\.?\s$", re.IGNORECASE)
_DIGITS = re.compile(r"\d{1,15}")
_LOOK_BACK = 24
"""Characters before a number in which a hedge or a label may stand."""
_FOLLOWING = re.compile(r"[\s-]?(?:per\s?cent|percentage points?|%|[^\W\d_]+)", re.IGNORECASE)
_LITRES = 1000.0
"""In a cubic metre."""
_FULL_WIDTH = {ord("０") + digit: str(digit) for digit in range(10)} | {ord("−"): "-", ord("％"): "%"}


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with what it measures.

    `kind` is a dimension, a label, or `COUNT`; then `noun` is the stem of the word that is counted. `raw` are
    the values that the number may stand for as it is written, `values` the same in the dimension's base unit.
    `below` and `above` are the shares by which the number that is meant may differ.
    """

    written: str
    kind: str
    raw: tuple[float, ...]
    factor: float
    precision: float
    noun: str = ""
    below: float = 0.0
    above: float = 0.0
    spelled: bool = False
    bound: int = field(kw_only=True)
    """1 where it is the most that there may be, -1 where it is the least, else 0."""

    @property
    def labels(self) -> bool:
        """Whether it names something, as in `Table 3`."""
        return self.kind.startswith(_LABELLED)

    @property
    def measured(self) -> bool:
        """Whether it has a unit."""
        return self.kind != COUNT and not self.labels

    @property
    def values(self) -> tuple[float, ...]:
        return tuple(value * self.factor for value in self.raw)


@dataclass(frozen=True, slots=True)
class FigureSet:
    """All figures of a text."""

    numbers: tuple[Figure, ...]
    moments: Moments
    within_words: frozenset[float] = frozenset()
    """Numbers that are part of a word: the 19 of COVID-19."""

    def __len__(self) -> int:
        known = self.moments
        return sum(map(len, (self.numbers, known.days, known.times, known.weekdays, known.quarters)))


def figures(text: str, *, to_find: bool = False) -> FigureSet:
    """The figures of a sentence; with `to_find`, those of a passage, where they are written in more ways."""
    text = _MARKER.sub(_blank, text.translate(_FULL_WIDTH))
    within = {float(digits) for code in _CODE.finditer(text) for digits in _DIGITS.findall(code.group())}
    found = moments(_CODE.sub(_blank, text))
    numbers = [_figure(match, found.rest) for match in _NUMBER.finditer(found.rest)]
    words = _NUMBER.sub(_blank_digits, found.rest)
    for spelled in spelled_numbers(words, ordinals=to_find):
        behind = _following(words, spelled.end)
        kind, factor, noun = (COUNT, 1.0, "") if spelled.ordinal else _measure(behind)
        kind, factor = _per(kind, factor, words, spelled.end + len(behind))
        bound = _bound(words[max(0, spelled.start - _LOOK_BACK) : spelled.start])
        written, values = f"{spelled.value:g}", (spelled.value,)
        numbers.append(Figure(written, kind, values, factor, 0.0, noun, spelled=True, bound=bound))
    return FigureSet(tuple(dict.fromkeys(numbers)), found, frozenset(within))


def merged(many: Iterable[FigureSet]) -> FigureSet:
    """The figures of several texts together."""
    parts = list(many)
    return FigureSet(
        tuple(number for part in parts for number in part.numbers),
        together(part.moments for part in parts),
        frozenset(number for part in parts for number in part.within_words),
    )


def _figure(match: re.Match[str], text: str) -> Figure:
    scale, behind = match["scale"] or "", (match["unit"] or "").strip(" -")
    if scale == "m" and not match["currency"]:
        scale, behind = "", "m"
    value = value_of(match["digits"], scale)
    kind, factor, noun = _measure(match["unit"] if behind != "m" else behind)
    if match["currency"]:
        kind, factor = _known(match["currency"])
        noun = ""
    kind, factor = _per(kind, factor, text, match.end())
    label = _LABEL.search(text, max(0, match.start() - _LOOK_BACK), match.start("digits"))
    if label is not None and kind == COUNT:
        kind, noun = f"{_LABELLED}{stem(label[1].lower())}", ""
    readings = tuple(-one for one in value.readings) if match["sign"] else value.readings
    before = text[max(0, match.start() - _LOOK_BACK) : match.start("digits")]
    return Figure(
        f"{match['digits']}{scale}",
        kind,
        readings,
        factor,
        value.precision,
        noun,
        *_hedge(before),
        bound=_bound(before),
    )


def _hedge(before: str) -> tuple[float, float]:
    return next(((below, above) for words, below, above in _HEDGES if words.search(before)), (0.0, 0.0))


def _bound(before: str) -> int:
    return next((bound for words, bound in _BOUNDS if words.search(before)), 0)


def _measure(behind: str | None) -> tuple[str, float, str]:
    """Dimension and factor of the unit behind a number; if the word is no unit, its stem."""
    written = re.sub(r"[\s-]+", " ", behind or "").strip()
    word = written.lower()
    if word in ("per cent", "percentage point", "percentage points"):
        return *_known("percent"), ""
    found = unit(re.sub(r"°\s*", "°", written)) or unit(written.replace(" ", "-")) or _power_of(word, written)
    if found is not None:
        return *found, ""
    first = written.partition(" ")[0]
    if first != written and (found := unit(first)) is not None:
        return *found, ""
    word = first.lower()
    nameless = word in STOP_WORDS or not word.isalpha() or word.endswith("ed")
    return COUNT, 1.0, "" if nameless else stem(word)


def _known(spelling: str) -> tuple[str, float]:
    found = unit(spelling)
    return found if found is not None else (COUNT, 1.0)


def _power_of(word: str, written: str) -> tuple[str, float] | None:
    """Square and cubic lengths: `square metres`, `km²`."""
    square = word.startswith(("square ", "sq")) or word.endswith("²")
    cubic = word.startswith("cubic ") or word.endswith("³")
    base = unit(written.rstrip("²³").rpartition(" ")[2]) if square or cubic else None
    if base is None or base[0] != "length":
        return None
    return ("volume", base[1] ** 3 * _LITRES) if cubic else ("area", base[1] ** 2)


def _per(kind: str, factor: float, text: str, end: int) -> tuple[str, float]:
    """The unit divided by the one that it is measured per, if one follows."""
    found = _PER.match(text, end)
    divisor = unit(found[1] or found[2]) if found is not None else None
    if divisor is None or "/" in kind or kind == COUNT:
        return kind, factor
    return f"{kind}/{divisor[0]}", factor / divisor[1]


def _following(text: str, end: int) -> str:
    found = _FOLLOWING.match(text, end)
    return found.group() if found else ""


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _blank_digits(match: re.Match[str]) -> str:
    """What follows the number stays: it may be a number in words."""
    end = match.end("scale") if match["scale"] else match.end("digits")
    return " " * (end - match.start()) + match.group()[end - match.start() :]
