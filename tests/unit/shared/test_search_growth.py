"""Searches in outside text take time that grows with its length, and not with the square of it."""

from collections.abc import Callable

import pytest

from footnote_ingest.parsing.markup import markdown
from footnote_ingest.parsing.office import spreadsheets
from footnote_resolver.sentences import claims
from footnote_resolver.verification import figures, names, quotes
from footnote_shared.kernel.citation_tokens import SPACED_TOKEN
from footnote_shared.kernel.text import sentences
from footnote_testing.processor_time import processor_seconds

_SHORT, _FACTOR = 1000, 4
_CLEARLY_MORE = 12.0
"""Times the work for four times the text: about 4, and 16 where it grows with the square."""
_TRIES = 10

SEARCHES: dict[str, tuple[Callable[[str], object], str]] = {
    "end marks without a space behind them": (sentences, "."),
    "empty lines before a list item": (lambda text: claims._MARKUP.sub("", text), "\n"),
    "empty lines before a number of a list": (lambda text: figures._MARKER.sub("", text), "\n"),
    "white space before an omission": (quotes._OMISSION.split, "\x0b"),
    "capitals with apostrophes": (names._CAPITALISED.findall, "A'"),
    "white space before a token": (SPACED_TOKEN.findall, " "),
    "tags that nobody closes": (lambda text: markdown._TAG.sub("", text), "<"),
    "formulas that nobody closes": (lambda text: spreadsheets._UNCACHED.findall(text.encode()), "<f"),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_four_times_the_text_is_about_four_times_the_work(name: str) -> None:
    search, unit = SEARCHES[name]
    short, long = unit * _SHORT, unit * (_SHORT * _FACTOR)

    def factor() -> float:
        return processor_seconds(lambda: search(long), 1) / processor_seconds(lambda: search(short), 1)

    # A busy machine makes some tries too long, and never all of them.
    assert any(factor() < _CLEARLY_MORE for _ in range(_TRIES))
