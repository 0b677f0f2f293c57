"""Numbers with their units and dates of a sentence, and which of them a passage does not have (spec 2.6). Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from footnote_resolver.verification.dates import Day, Moments, missing_days, moments, together
from footnote_resolver.verification.numerals import DIGITS, SCALE, spelled_numbers, value_of
from footnote_resolver.verification.words import STOP_WORDS, stem

_UNITS: dict[str, tuple[str, float]] = {}
for _dimension, _names in {
    "percent": "% percent pct 1", "points": "pp 1", "permille": "‰ 1",
    "EUR": "€ eur euro euros 1", "USD": "$ usd us$ dollar dollars 1", "GBP": "£ gbp pound pounds 1", "CHF": "chf franc francs 1", "JPY": "¥ jpy yen 1", "INR": "₹ inr rupee rupees 1",
    "cents": "cent cents 1",
    "time": "ms millisecond milliseconds 0.001 s sec secs second seconds 1 min mins minute minutes 60 h hr hrs hour hours 3600 day days 86400"
            " week weeks 604800 month months 2629800 year years yr yrs 31557600 decade decades 315576000 century centuries 3155760000",
    "length": "nm 1e-9 µm μm um micron microns 1e-6 mm millimetre millimetres millimeter millimeters 0.001 cm centimetre centimetres centimeter centimeters 0.01"
              " m metre metres meter meters 1 km kilometre kilometres kilometer kilometers 1000 mile miles 1609.344 ft foot feet 0.3048 inch inches 0.0254 yard yards 0.9144",
    "mass": "ng 1e-9 µg μg ug mcg microgram micrograms 1e-6 mg milligram milligrams 0.001 g gram grams gramme grammes 1 kg kilogram kilograms kilo kilos 1000"
            " tonne tonnes ton tons 1e6 lb lbs 453.59237 oz ounce ounces 28.349523125",
    "volume": "µl μl ul microlitre microliter microlitres microliters 1e-6 ml millilitre millilitres milliliter milliliters 0.001 dl 0.1 l litre litres liter liters 1 gallon gallons 3.785411784",
    "celsius": "°c celsius 1", "fahrenheit": "°f fahrenheit 1", "degrees": "° degree degrees 1",
    "bytes": "kb 1e3 mb 1e6 gb 1e9 tb 1e12 kib 1024 mib 1048576 gib 1073741824 tib 1099511627776 byte bytes 1",
    "power": "w watt watts 1 kw kilowatt kilowatts 1e3 mw megawatt megawatts 1e6 gw 1e9", "molar": "nm 1e-9 mm 1e-3", "frequency": "hz 1 khz 1e3 mhz 1e6 ghz 1e9",
}.items():  # fmt: skip
    _waiting: list[str] = []
    for _name in _names.split():
        if re.fullmatch(r"[\d.e-]*\d[\d.e-]*", _name):
            for _unit in _waiting:
                _UNITS.setdefault(_unit, (_dimension, float(_name)))
            _waiting = []
        else:
            _waiting.append(_name)
_MONEY = frozenset(["EUR", "USD", "GBP", "CHF", "JPY", "INR"])
_SIGN = r"(?<![\w.,)])[-−](?=\d)"
_NUMBER = re.compile(
    rf"(?P<currency>US\$|[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY|INR))?\s?(?P<sign>{_SIGN})?(?<![\d.,])(?P<digits>{DIGITS})(?P<scale>{SCALE}|(?<=\d)m\b)?"
    r"(?P<unit>\s?(?:%|‰|°\s?[CF]\b|°|[€$£])|[\s-]?(?:per\s?cent|percentage points?)\b|[\s-]?[A-Za-zµμ]+)?",
)
_MARKER = re.compile(r"[\[⟦](?:citation:)?\d{1,4}[\]⟧]|^\s*(?:\d{1,3}[.)]|#{1,6})\s", re.MULTILINE)
# A word that holds digits is a name and no number: COVID-19, H1N1, v2.3, 10.0.0.1.
_CODE = re.compile(
    r"(?<![\w.-])(?!(?:mid|pre|post|early|late|circa|ca|non|sub|over|under|all)-\d|Q[1-4]\b)(?=[\w-]*\d)"
    r"[A-Za-z]++(?:-?\d[\w-]*+|-[A-Za-z][\w-]*\d[\w-]*+)(?:\.\d+)*+|\b\d++(?:\.\d++){2,}+\b(?!,)"
)
# How far, as a share, the number meant may lie below and above the one that is written.
_HEDGES = tuple(
    (re.compile(rf"(?:{words})\s*(?:US)?[$€£]?\s*$", re.IGNORECASE), below, above)
    for words, below, above in (
        (r"\b(?:about|around|approximately|approx\.?|roughly|some|circa|ca\.?|close to)|[~≈]", 0.06, 0.06),
        (r"\b(?:nearly|almost|just under)", 0.06, 0.0),
        (r"\b(?:over|more than|just over)", 0.0, 0.06),
    )
)
# A number that names and does not count.
_LABEL = re.compile(
    r"\b(types?|serotypes?|subtypes?|genotypes?|figures?|fig|tables?|phases?|grades?|stages?|levels?|versions?|chapters?|sections?|articles?|pages?|lines?|groups?|class|steps?|parts?|rooms?|items?|options?|rules?|questions?|no|number)\.?\s$",
    re.IGNORECASE,
)
# A sentence of more figures is a table or an attack.
_MOST_COMPARED = 64
_LABELLED = "no. "
_DIGITS = re.compile(r"\d{1,15}")
_LOOK_BACK = 24
_FOLLOWING = re.compile(r"[\s-]?(?:per\s?cent|percentage points?|%|[^\W\d_]+)", re.IGNORECASE)
_KINDRED = ({"percent", "points"}, {"degrees", "celsius"}, {"degrees", "fahrenheit"})
_SIGNED = frozenset(["celsius", "fahrenheit", "degrees"])
_SAME = 1e-6
_CALENDAR = 0.004
_FULL_WIDTH = {ord("０") + digit: str(digit) for digit in range(10)} | {ord("−"): "-", ord("％"): "%"}


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with what it measures: a dimension, or `count` with the stem of the word that is counted.

    `raw` are its possible values as written, `values` the same in the base unit of the dimension.
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

    @property
    def measured(self) -> bool:
        """Whether it has a unit."""
        return self.kind != "count" and not self.kind.startswith(_LABELLED)

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


@dataclass(frozen=True, slots=True)
class MissingFigure:
    """A figure that a passage does not have as wanted. `replaced`: another stands in its stead; `mixed`: it is there, of something else."""

    written: str
    replaced: bool = False
    mixed: bool = False


def figures(text: str, *, to_find: bool = False) -> FigureSet:
    """The figures of a sentence; with `to_find`, of a passage in which they may be written in any other way."""
    text = _MARKER.sub(_blank, text.translate(_FULL_WIDTH))
    within = {float(digits) for code in _CODE.finditer(text) for digits in _DIGITS.findall(code.group())}
    found = moments(_CODE.sub(_blank, text))
    numbers = [_figure(match, found.rest) for match in _NUMBER.finditer(found.rest)]
    words = _NUMBER.sub(_blank_digits, found.rest)
    for spelled in spelled_numbers(words, ordinals=to_find):
        kind, factor, noun = (
            ("count", 1.0, "") if spelled.ordinal else _measure(_following(words, spelled.end))
        )
        numbers.append(Figure(f"{spelled.value:g}", kind, (spelled.value,), factor, 0.0, noun, spelled=True))
    return FigureSet(tuple(dict.fromkeys(numbers)), found, frozenset(within))


@lru_cache(maxsize=256)
def passage_figures(passage: str) -> FigureSet:
    """The figures of a passage; kept for those looked at lately."""
    return figures(passage, to_find=True)


def missing_figures(sentence: str, passage: str) -> set[str]:
    """The figures that the sentence has and the passage does not, as they are written."""
    wanted = figures(sentence)
    return (
        {one.written for one in missing(wanted, passage_figures(passage)) if not one.mixed}
        if wanted
        else set()
    )


def missing(wanted: FigureSet, given: FigureSet) -> list[MissingFigure]:
    """Each figure that is not given as it is wanted."""
    found = [
        lack
        for number in wanted.numbers[:_MOST_COMPARED]
        if (lack := _lack(number, wanted, given)) is not None
    ]
    counts = {value for number in given.numbers for value in number.raw}
    found += [
        MissingFigure(_written(day), replaced)
        for day, replaced in missing_days(wanted.moments, given.moments)
        if not (day.parts == 1 and day.year in counts)
    ]
    for kind, asked, there in (
        ("time", wanted.moments.times, given.moments.times),
        ("weekday", wanted.moments.weekdays, given.moments.weekdays),
        ("quarter", wanted.moments.quarters, given.moments.quarters),
    ):
        found += [MissingFigure(f"{kind} {one}", bool(there - asked)) for one in sorted(asked - there)]
    return found


def merged(many: Iterable[FigureSet]) -> FigureSet:
    """Those of several texts together."""
    parts = list(many)
    return FigureSet(
        tuple(number for part in parts for number in part.numbers),
        together(part.moments for part in parts),
        frozenset(number for part in parts for number in part.within_words),
    )


def _figure(match: re.Match[str], text: str) -> Figure:
    scale, unit = match["scale"] or "", (match["unit"] or "").strip(" -")
    if scale == "m" and not match["currency"]:
        scale, unit = "", "m"
    value = value_of(match["digits"], scale)
    kind, factor, noun = _measure(match["unit"] if unit != "m" else unit)
    if match["currency"]:
        kind, factor = _UNITS[match["currency"].lower()]
        noun = ""
    if unit == "m" and match["unit"] and match["unit"].strip() == "M":
        kind, factor = "count", 1.0
    label = _LABEL.search(text, max(0, match.start() - _LOOK_BACK), match.start("digits"))
    if label is not None and kind == "count":
        kind, noun = f"{_LABELLED}{stem(label[1].lower())}", ""
    readings = tuple(-one for one in value.readings) if match["sign"] else value.readings
    return Figure(
        f"{match['digits']}{scale}",
        kind,
        readings,
        factor,
        value.precision,
        noun,
        *_hedge(text[max(0, match.start() - _LOOK_BACK) : match.start("digits")]),
    )


def _hedge(before: str) -> tuple[float, float]:
    return next(((below, above) for words, below, above in _HEDGES if words.search(before)), (0.0, 0.0))


def _measure(behind: str | None) -> tuple[str, float, str]:
    """Dimension and factor of what follows a number, and the stem of the word where that is no unit."""
    word = re.sub(r"[\s-]+", " ", behind or "").strip().lower()
    if word in ("per cent", "percentage point", "percentage points"):
        word = "percent"
    word = re.sub(r"°\s*", "°", word)
    if word in _UNITS:
        return *_UNITS[word], ""
    return "count", 1.0, "" if word in STOP_WORDS or not word.isalpha() else stem(word)


def _following(text: str, end: int) -> str:
    found = _FOLLOWING.match(text, end)
    return found.group() if found else ""


def _lack(wanted: Figure, asked: FigureSet, given: FigureSet) -> MissingFigure | None:
    alike = [one for one in given.numbers if _fits(wanted, one)]
    same = [one for one in alike if _equal(wanted, one)]
    days = given.moments.days
    named = any(v in (d.day, d.year) for v in wanted.raw for d in days) or given.within_words.intersection(
        wanted.raw
    )
    if same or (named and not wanted.measured):
        if wanted.noun and same and all(one.noun not in ("", wanted.noun) for one in same):
            others = [
                one
                for one in alike
                if one.noun == wanted.noun
                and not any(n.noun == one.noun and _equal(n, one) for n in asked.numbers)
            ]
            return MissingFigure(wanted.written, mixed=True) if others else None
        return None
    if wanted.measured and any(one.measured and set(one.raw) & set(wanted.raw) for one in given.numbers):
        return MissingFigure(wanted.written, replaced=True)
    stead = [one for one in alike if one.kind == wanted.kind and not _asked(one, asked)]
    if wanted.spelled:
        stead = [one for one in stead if one.noun == wanted.noun and (wanted.noun or wanted.kind != "count")]
    elif wanted.kind == "count":
        stead = [one for one in stead if not one.spelled or one.noun == wanted.noun]
    return MissingFigure(wanted.written, replaced=bool(stead))


def _asked(one: Figure, asked: FigureSet) -> bool:
    return any(_fits(number, one) and _equal(number, one) for number in asked.numbers)


def _fits(wanted: Figure, given: Figure) -> bool:
    """Whether the two can be the same number: of one dimension, or one of them bare, or a unit with a word before it."""
    if wanted.kind == given.kind or {wanted.kind, given.kind} in _KINDRED:
        return True
    if wanted.kind.startswith(_LABELLED) or given.kind.startswith(_LABELLED):
        return "count" in (wanted.kind, given.kind)
    if "count" not in (wanted.kind, given.kind):
        return False
    count, other = (wanted, given) if wanted.kind == "count" else (given, wanted)
    return not count.noun or (other.kind not in _MONEY and other.kind != "percent")


def _equal(wanted: Figure, given: Figure) -> bool:
    """Equal as far as it is written: `12` may stand for 12.3, `about 100` for 97, `over 100` for 103."""
    if wanted.kind == given.kind:
        ones, others, factor = wanted.values, given.values, wanted.factor
    else:
        ones, others, factor = wanted.raw, given.raw, 1.0
    slack = _CALENDAR if wanted.kind == "time" else _SAME
    rounded = given.precision * given.factor < wanted.precision * wanted.factor and not given.spelled
    for one in ones:
        least = max(abs(one) * max(slack, wanted.below), wanted.precision * factor if rounded else 0.0)
        most = max(abs(one) * max(slack, wanted.above), wanted.precision * factor if rounded else 0.0)
        for other in others:
            apart = other - one if wanted.kind in _SIGNED else abs(other) - abs(one)
            if -least <= apart <= most:
                return True
    return False


def _written(day: Day) -> str:
    return "-".join(f"{part:02}" if part is not None else "?" for part in (day.year, day.month, day.day))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _blank_digits(match: re.Match[str]) -> str:
    """Without what follows the number, which may be a number word itself."""
    end = match.end("scale") if match["scale"] else match.end("digits")
    return " " * (end - match.start()) + match.group()[end - match.start() :]
