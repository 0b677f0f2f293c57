"""No passage can look like a citation, an envelope or a heading, whatever its text."""

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from footnote_resolver.evidence.envelope import Numbered, heading_line, render
from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.stream import Normaliser
from footnote_shared.contracts.evidence import Display, EvidenceItem, View, Wrap
from footnote_shared.kernel.neutralise import neutralise, one_line
from tests.properties.effort import examples

PIECES = [
    "[", "]", "[1]", "[12]", "[1, 2]", "[^1]", "【", "】", "【4†", "［", "］", "[citation:", "citation", ":",
    "1", "2", "0", "[0] ", "[01]", "９", ",", "-", "–", ";", " and ", "^", "(", ")", "](u)", "\u200b",
    "\u200c", "\u200d", "\u00ad", "\u2060", "\ufeff", "\u00a0", " ", "\n", "\r", "\u2028", "\x85", "\t",
    "`", "```", "$", "\\", "\\[", "<", ">", "</", "document", "DOCUMENT", "retrieved_context",
    "web_results", "<document ", "</document>", "&lt;", "&#49;", "&#x31;", "&#100;", "&#91;", "&#912;",
    "&#93;", "&lsqb;", "&", "/", '"', 'view="full"', "§ ", "§", "a", "word", ".", "Ｄ", "＜", "text ",
]  # fmt: skip
hostile = st.one_of(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.text(max_size=60))
_OPENING = re.compile(r'<document title="([^"<>]*)" source="([^"<>]*)" view="(excerpt|full)">')


def everything(n: int) -> bool:
    return True


def cited(text: str) -> list[int]:
    """Every number that the normaliser would take a text to cite, live or as a whole."""
    live = Normaliser(everything, lambda: 10**9)
    numbers: list[int] = []
    for char in text:
        live.feed(char)
        numbers += live.citations
    live.close()
    return [*numbers, *live.citations, *finalize(text, everything, lambda: 10**9).citations]


@given(hostile)
@example("[\u200d1\u200c]")
@example("【1†a】")
@example("[[1][2]]")
@example("&#91;3&#93;")
@settings(max_examples=examples(600))
def test_a_model_that_copies_a_passage_cites_nothing(text: str) -> None:
    shown = neutralise(text)
    assert cited(shown) == []
    assert "[citation:" not in finalize(shown, everything, lambda: 10**9).text


@given(hostile, st.data())
def test_nor_one_that_copies_a_part_of_it(text: str, data: st.DataObject) -> None:
    shown = neutralise(text)
    start = data.draw(st.integers(0, len(shown)))
    assert cited(shown[start : data.draw(st.integers(start, len(shown)))]) == []


@given(hostile)
def test_neutralising_twice_is_neutralising_once(text: str) -> None:
    assert neutralise(neutralise(text)) == neutralise(text)


@given(
    st.text(
        alphabet=st.characters(categories=("L", "N", "Zs"), exclude_characters="\u3164\uffa0\u115f\u1160")
    )
)
def test_plain_text_is_left_alone(text: str) -> None:
    assert neutralise(text) == text


@given(
    st.lists(
        st.tuples(
            hostile.filter(lambda t: bool(t.strip())),
            hostile,
            st.sampled_from("xyz"),
            st.lists(hostile, max_size=2),
        ),
        max_size=6,
    ),
    st.sampled_from(["excerpt", "full"]),
    st.sampled_from([None, "retrieved_context", "web_results"]),
)
def test_the_envelope_reads_back_as_exactly_what_was_registered(
    given_items: list[tuple[str, str, str, list[str]]], view: View, wrap: Wrap | None
) -> None:
    passages = [
        Numbered(
            position + 1,
            EvidenceItem(
                source_type="kb_document",
                locator={"document_id": document},
                display=Display(title=title, heading_path=headings),
                text=text,
            ),
        )
        for position, (text, title, document, headings) in enumerate(given_items)
    ]
    read = parse(render(passages, view, wrap), wrap)
    assert [n for n, *_ in read] == [p.n for p in passages]
    for (_, title, shown_view, text), passage in zip(read, passages, strict=True):
        assert shown_view == view
        assert title == one_line(passage.item.display.title)
        assert text == neutralise(passage.item.text).strip("\n")


PASSAGES = st.lists(
    st.tuples(hostile, hostile, hostile, st.lists(hostile, max_size=2), st.sampled_from("xyz")),
    min_size=1,
    max_size=5,
)
VIEWS = st.sampled_from(["excerpt", "full"])
WRAPS = st.sampled_from([None, "retrieved_context", "web_results"])


@settings(max_examples=examples(400))
@given(PASSAGES, VIEWS, WRAPS)
def test_all_that_a_rendering_cites_are_its_own_marks(
    written: list[tuple[str, str, str, list[str], str]], view: View, wrap: Wrap | None
) -> None:
    """However a model copies from it, no title, label, heading or passage is taken for a number."""
    passages = [
        Numbered(
            900 + position,
            EvidenceItem(
                source_type="kb_document",
                locator={"document_id": document},
                display=Display(title=title, source=source, heading_path=headings),
                text=text,
            ),
        )
        for position, (text, title, source, headings, document) in enumerate(written)
    ]
    rendered = render(passages, view, wrap)
    marks = {passage.n for passage in passages}
    assert set(cited(rendered)) <= marks
    for line in rendered.split("\n"):
        assert set(cited(line)) <= marks
        assert cited(re.sub(r"^\[\d+\] ", "", line)) == []
        if not line.startswith("["):
            assert cited(line) == []


@given(PASSAGES)
def test_the_quote_that_is_stored_is_the_text_as_it_was(
    written: list[tuple[str, str, str, list[str], str]],
) -> None:
    for text, *_ in written:
        given_item = EvidenceItem(source_type="kb_document", locator={"document_id": "d"}, text=text)
        render([Numbered(1, given_item)])
        assert given_item.text == text


def parse(rendered: str, wrap: str | None) -> list[tuple[int, str, str, str]]:
    """(number, title, view, text) of every passage, by nothing but the envelope's marks at line starts."""
    lines = rendered.split("\n") if rendered else []
    if wrap is not None:
        assert lines.pop(0) == f"<{wrap}>"
        assert lines.pop() == f"</{wrap}>"
    found: list[tuple[int, str, str, str]] = []
    opening: re.Match[str] | None = None
    for line in lines:
        number = re.match(r"\[(\d+)\] ", line)
        if opening is None:
            opening = _OPENING.fullmatch(line)
            assert opening is not None, line
        elif line == "</document>":
            opening = None
        elif number is not None:
            title = (
                opening[1]
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", '"')
                .replace("&#x27;", "'")
                .replace("&amp;", "&")
            )
            found.append((int(number[1]), title, opening[3], line[number.end() :]))
        elif not line.startswith("§ "):
            n, title, view, text = found[-1]
            found[-1] = (n, title, view, f"{text}\n{line}")
    assert opening is None
    return found


@given(st.lists(hostile, max_size=3))
def test_a_heading_is_one_line(path: list[str]) -> None:
    assert "\n" not in heading_line(path)
