"""Passages that are left out as nearly the same, or as too many of one document."""

from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_retriever.funnel.candidates import Candidate, Live
from footnote_retriever.funnel.diversify import at_most, similar_once
from footnote_shared.contracts.documents import ChunkRef, LiveChunk
from footnote_shared.kernel.text import text_hash
from footnote_shared.vectors.protocol import Hit

TEXTS = st.lists(
    st.lists(st.sampled_from(["tea", "milk", "cup", "7", "of", "hot"]), max_size=12).map(" ".join),
    max_size=12,
)
SHARE = st.floats(0.5, 1)


def live(text: str, document: str = "d", at: int = 0) -> Live:
    chunk = LiveChunk(
        document_id=document,
        chunk_id=f"c{at}",
        text_hash=text_hash(f"{at} {text}"),
        content_hash=text_hash(text),
        title="",
        source="",
        text=text,
        ordinal=at,
        kind="paragraph",
        heading_path=[],
        char_start=0,
        char_end=len(text),
        version=1,
        source_type="upload",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    ref = ChunkRef(document_id=document, chunk_id=f"c{at}", text_hash=chunk.text_hash)
    return Live(Candidate(f"{at}", Hit(f"{at}", 1.0, ref.model_dump()), 1.0, at + 1), chunk)


def of(texts: list[str]) -> list[Live]:
    return [live(text, at=at) for at, text in enumerate(texts)]


def kept(texts: list[str], share: float) -> list[str]:
    return [one.chunk.text for one in similar_once(of(texts), share)]


@given(TEXTS, SHARE)
def test_what_is_kept_keeps_its_order_and_is_kept_the_next_time(texts: list[str], share: float) -> None:
    found = of(texts)
    once = similar_once(found, share)
    assert once == [one for one in found if one in once]
    assert once[:1] == found[:1]
    assert similar_once(once, share) == once


@given(TEXTS, SHARE)
def test_the_same_text_is_kept_once(texts: list[str], share: float) -> None:
    assert kept([*texts, *texts], share) == kept(texts, share)


@given(TEXTS)
def test_a_lower_share_never_keeps_more_of_two(texts: list[str]) -> None:
    for one, other in zip(texts, texts[1:], strict=False):
        counts = [len(kept([one, other], share)) for share in (0.5, 0.7, 0.9, 1.0)]
        assert counts == sorted(counts)


LONG = "The committee met in the large hall and spoke about the new roof of the house until late at night"


@pytest.mark.parametrize(
    ("other", "share", "count"),
    [
        (LONG.upper(), 1.0, 1),
        (LONG.replace("late at", "late  at\n"), 1.0, 1),
        (f"{LONG} again", 0.9, 1),
        (f"{LONG} again", 1.0, 2),
        (LONG.replace("roof", "door"), 0.7, 1),
        (LONG.replace("roof", "door"), 0.8, 2),
        (f"{LONG} 12", 0.5, 2),
    ],
)
def test_nearly_the_same_is_what_the_share_says(other: str, share: float, count: int) -> None:
    assert len(kept([LONG, other], share)) == count


def test_another_number_is_another_fact() -> None:
    words = "the rent of the flat in the old house by the river is due on the first of May and is"
    assert len(kept([f"{words} 900 euros", f"{words} 950 euros"], 0.5)) == 2
    assert len(kept([f"{words} 900 euros", f"{words} 900 euro"], 0.5)) == 1


@given(st.lists(st.sampled_from("abc"), max_size=30), st.integers(1, 5))
def test_of_each_document_its_first_ones_stay(documents: list[str], most: int) -> None:
    found = [live("tea", document, at) for at, document in enumerate(documents)]
    left = at_most(found, most)
    counts = Counter(documents)
    assert Counter(one.chunk.document_id for one in left) == {d: min(n, most) for d, n in counts.items()}
    for document in counts:
        own = [one for one in found if one.chunk.document_id == document]
        assert [one for one in left if one.chunk.document_id == document] == own[:most]
    assert left == sorted(left, key=lambda one: one.chunk.ordinal)
