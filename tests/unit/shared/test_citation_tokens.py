"""The token of a citation: what is found, what is removed, and who agrees (spec 2.4)."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.console import page_files
from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.stream import Normaliser
from footnote_shared.kernel.citation_tokens import (
    MOST_DIGITS,
    NUMBER,
    TOKEN,
    numbers_in,
    token_of,
    with_numbers,
    without_tokens,
)
from footnote_shared.kernel.text import sentences

HIGHEST = 10**MOST_DIGITS - 1
"""The highest number that is a citation."""


def test_tokens_are_shown_as_numbers() -> None:
    assert with_numbers("Gulls steal [citation:3][citation:12].") == "Gulls steal [3][12]."


def test_a_text_without_tokens_has_no_gaps() -> None:
    assert without_tokens("Gulls \n steal [citation:3] [citation:12]. Boats [citation:4] sail.") == (
        "Gulls \n steal. Boats sail."
    )


@pytest.mark.parametrize(
    "body", ["0", "01", "-1", "1.5", "1, 2", "x", "", " 1", "１", "¹", "١", str(HIGHEST + 1), "9" * 5000]
)
def test_what_names_no_number_is_no_token(body: str) -> None:
    assert numbers_in(f"a [citation:{body}] b") == []


class TestTheNormaliserAgrees:
    @pytest.mark.parametrize("n", [1, 9, 10, 999, 1000, 99_999, 100_000, 999_999, 1_000_000, HIGHEST])
    @pytest.mark.parametrize("written", ["a [{n}].", "a [citation:{n}].", "a 【{n}†source】.", "a [[{n}]]."])
    def test_a_number_that_it_emits_is_found(self, n: int, written: str) -> None:
        emitted = finalize(written.format(n=n), lambda _: True, lambda: HIGHEST).text
        assert emitted == f"a {token_of(n)}."
        assert numbers_in(emitted) == [n]

    @pytest.mark.parametrize("written", ["a [{n}].", "a [[{n}]].", "a [1, {n}]."])
    def test_a_number_of_more_digits_is_a_citation_for_neither(self, written: str) -> None:
        text = written.format(n=HIGHEST + 1)
        assert finalize(text, lambda _: True, lambda: 10 * HIGHEST).text == text
        assert re.findall(rf"\[({NUMBER})\]", text) == []

    @given(st.lists(st.sampled_from([*"[]【】07,-a１", "citation:", "999999999"]), max_size=14))
    def test_whatever_was_written_each_resolved_number_is_a_token(self, pieces: list[str]) -> None:
        written = "".join(pieces)
        normaliser = Normaliser(lambda _: True, lambda: HIGHEST)
        text, resolved = normaliser.feed(written), set(normaliser.citations)
        text += normaliser.close()
        assert resolved | set(normaliser.citations) == set(numbers_in(text))


@pytest.mark.parametrize("n", [7, 9999, 10_000, HIGHEST])
def test_a_sentence_keeps_the_token_behind_its_end(n: int) -> None:
    whole = f"Gulls steal.{token_of(n)} Boats sail."
    assert [one.text for one in sentences(whole)] == [f"Gulls steal.{token_of(n)}", "Boats sail."]


class TestThePageAgrees:
    def test_its_pattern_is_the_same(self) -> None:
        script = (page_files._FOLDER / "footnote-citations.js").read_text("utf-8")
        (pattern,) = re.findall(r"^export const TOKEN = /(.+)/g;$", script, re.MULTILINE)
        assert pattern == TOKEN.pattern

    def test_no_other_module_of_it_has_one(self) -> None:
        scripts = [path for path in page_files._FOLDER.rglob("*.js") if "vendor" not in path.parts]
        own = [path.name for path in scripts if re.search(r"citation:(?:\(|\\d)", path.read_text("utf-8"))]
        assert own == ["footnote-citations.js"]


def test_no_other_module_of_python_has_one() -> None:
    root = Path(__file__).parents[3]
    modules = [path for home in ("services", "shared", "shell") for path in (root / home).rglob("*.py")]
    own = [path for path in modules if r"\[citation:" in path.read_text("utf-8")]
    assert {path.parent.name if path.parent.name == "normaliser" else path.stem for path in own} == {
        "citation_tokens",
        "normaliser",
    }
