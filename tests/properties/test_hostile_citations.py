"""Markup in odd nestings and the habits of models: what a reader would want, noted before it was run.

The stored text decides. Of the live stream the promises are tested; where it must guess, it may differ.
"""

import json
from pathlib import Path

import pytest

from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.stream import MOST_HELD, Normaliser

KNOWN = frozenset({1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 17})
HIGHEST = 20
CASES: list[tuple[str, str]] = json.loads(
    Path(__file__).with_name("hostile_citations.json").read_text("utf-8")
)
"""What a model writes, and what is to be stored."""


def stored(text: str) -> str:
    return finalize(text, KNOWN.__contains__, lambda: HIGHEST).text


def streamed(*deltas: str) -> str:
    normaliser = Normaliser(KNOWN.__contains__, lambda: HIGHEST)
    written = ""
    for delta in deltas:
        written += normaliser.feed(delta)
        assert normaliser.held <= MOST_HELD
    return written + normaliser.close()


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_is_stored_as_a_reader_would_want_it_and_streamed_however_it_is_cut(text: str, wanted: str) -> None:
    assert stored(text) == wanted
    assert stored(wanted) == wanted
    at_once = streamed(text)
    assert streamed(*text) == at_once
    for at in range(1, len(text)):
        assert streamed(text[:at], text[at:]) == at_once
    assert streamed(at_once) == at_once
