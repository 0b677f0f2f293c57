"""The promises of the normaliser (spec 2.4) over texts that no one would write, and some that models do."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.report import Report
from footnote_resolver.normaliser.stream import MOST_HELD, Normaliser
from footnote_shared.kernel.citation_tokens import numbers_in
from tests.properties.effort import examples

KNOWN = frozenset({1, 2, 3, 12, 17})
HIGHEST = 17

CITATIONS = [
    "[1]",
    "[9]",
    "[1, 2]",
    "[8-9]",
    "[^1]",
    "[[9]]",
    "【1】",
    "【9†x】",
    "［１］",
    "[citation:1]",
    "[citation:9]",
    "[citation:x",
]
LINKS = ["](", "](u)", "[1](u)", "[9](https://a.b/c)", "![", "http://", "www.", "/", "([9])"]
CODE = ["`", "``", "```", "~~~", "\n    ", "<code>", "</code>", "<pre>"]
MATH = ["$", "$$", "\\(", "\\)", "\\[", "\\]", "\\"]
HTML = ["<", ">", "<b ", '="', "<!--", "-->"]
LINES = ["\n", "\n\n", "\r\n", "- ", "1. ", "> ", "# ", "---", "    "]
WORDS = ["a", "word", "docs[17]", "ident[1] =", "x", "é", "中", "and", "c", "0", "1", "5", "٣", "９"]
MARKS = [*"[]()【】［］.,;:!=-–*_|'\"…†^ ", "\u200b", "\u00a0", "\ud800", ", ", " ("]

TEXTS = st.lists(
    st.one_of(
        *(st.sampled_from(atoms) for atoms in (CITATIONS, LINKS, CODE, MATH, HTML, LINES, WORDS, MARKS)),
        st.text(max_size=3),
    ),
    max_size=24,
).map("".join)
TAME = st.lists(
    st.sampled_from(
        [
            "[1]",
            "[9]",
            "[1, 2]",
            "[9], ",
            "([9])",
            "[1](u)",
            "word",
            " ",
            "a",
            ".",
            ", ",
            "\n",
            "\n\n",
            "- ",
            "12",
        ]
    ),
    max_size=20,
).map("".join)

often = settings(max_examples=examples(400), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def live(pieces: list[str]) -> tuple[str, list[int], Report]:
    normaliser = Normaliser(KNOWN.__contains__, lambda: HIGHEST, shown=lambda n: n != 2)
    written, announced = "", list[int]()
    for piece in pieces:
        written += normaliser.feed(piece)
        announced += normaliser.citations
        assert normaliser.held <= MOST_HELD
    written += normaliser.close()
    return written, announced + list(normaliser.citations), normaliser.report


def whole(text: str) -> str:
    return finalize(text, KNOWN.__contains__, lambda: HIGHEST).text


@often
@given(TEXTS, st.data())
def test_however_a_text_is_cut_the_same_comes_out(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    pieces = [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]
    assert live(pieces) == live([text]) == live(list(text))


@often
@given(TEXTS)
def test_its_own_output_is_left_as_it_is(text: str) -> None:
    written = live([text])[0]
    assert live([written])[0] == written
    written = whole(text)
    assert whole(written) == written


@often
@given(TEXTS)
def test_no_unknown_number_becomes_a_token(text: str) -> None:
    written, announced, report = live([text])
    assert set(announced) <= KNOWN
    assert not set(report.dropped) & KNOWN
    assert report.emitted == report.resolved + len(report.dropped)
    tokens = numbers_in(written)
    assert len(announced) <= len(tokens)


@often
@given(TAME)
def test_where_nothing_must_be_guessed_live_and_whole_are_equal(text: str) -> None:
    assert live([text])[0] == whole(text)


@often
@given(st.text(alphabet=st.characters(exclude_characters="[【［"), max_size=200))
def test_a_text_without_brackets_is_left_to_the_letter(text: str) -> None:
    assert live(list(text))[0] == text
    assert whole(text) == text
