"""BM25 term weights."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from footnote_shared.embedding.sparse import embed_document, embed_query


def test_a_query_shares_its_terms_with_a_document_that_has_them() -> None:
    document = embed_document("The warranties cover labour costs.")
    assert set(embed_query("labour cost of a warranty").indices) <= set(document.indices)


def test_a_term_that_comes_often_weighs_more_but_not_in_proportion() -> None:
    once = dict(zip(*_parts("glacier river"), strict=True))
    often = dict(zip(*_parts("glacier glacier glacier glacier river"), strict=True))
    (glacier,) = embed_query("glacier").indices
    assert once[glacier] < often[glacier] < 4 * once[glacier]


def test_terms_of_a_query_weigh_alike() -> None:
    assert set(embed_query("boundary layer separation").values) == {1.0}


@pytest.mark.parametrize("text", ["", "the and of", "...", " \n"])
def test_stop_words_alone_are_empty(text: str) -> None:
    assert not embed_query(text)
    assert not embed_document(text)


@pytest.mark.parametrize("text", ["\ud83d labour", "\x00labour", "labour " * 100_000])
def test_hostile_text_keeps_its_terms(text: str) -> None:
    assert set(embed_query("labour").indices) <= set(embed_document(text).indices)


def test_many_threads_get_the_same() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(embed_document, ["The warranties cover labour costs."] * 64))
    assert all(sorted(each.indices) == sorted(found[0].indices) for each in found)


def _parts(text: str) -> tuple[list[int], list[float]]:
    vector = embed_document(text)
    return vector.indices, vector.values
