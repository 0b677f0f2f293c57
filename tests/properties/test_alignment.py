"""Ids that stay: whatever changes, no chunk has two ids and no id two chunks."""

import difflib
import random
from itertools import count

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from footnote_ingest.chunking.stable_ids import Alignment, OldChunk, align
from tests.properties.effort import examples

HASHES = st.lists(st.sampled_from("abcdefgh"), max_size=30)


def first_version(hashes: list[str]) -> list[OldChunk]:
    return [OldChunk(f"old{n}", text, n) for n, text in enumerate(hashes)]


def aligned(old: list[str], new: list[str]) -> Alignment:
    fresh = count()
    return align(first_version(old), new, lambda: f"new{next(fresh)}")


def states(alignment: Alignment) -> list[tuple[str, str]]:
    return [(chunk.id, chunk.state) for chunk in alignment.chunks]


class TestAnyChange:
    @settings(max_examples=examples(500), deadline=None)
    @given(HASHES, HASHES)
    def test_ids_are_unique_and_none_is_lost(self, old: list[str], new: list[str]) -> None:
        result = aligned(old, new)
        ids = [chunk.id for chunk in result.chunks]
        assert len(set(ids)) == len(ids)
        assert [chunk.text_hash for chunk in result.chunks] == new
        assert [chunk.ordinal for chunk in result.chunks] == list(range(len(new)))
        survivors = {i for i in ids if i.startswith("old")}
        assert survivors | set(result.removed) == {f"old{n}" for n in range(len(old))}
        assert survivors.isdisjoint(result.removed)

    @settings(max_examples=examples(500), deadline=None)
    @given(HASHES, HASHES)
    def test_equal_text_keeps_its_id_as_often_as_it_can(self, old: list[str], new: list[str]) -> None:
        before = {f"old{n}": text for n, text in enumerate(old)}
        result = aligned(old, new)
        same = [chunk for chunk in result.chunks if chunk.state in ("kept", "moved")]
        assert all(before[chunk.id] == chunk.text_hash for chunk in same)
        assert len(same) == sum(min(old.count(text), new.count(text)) for text in set(old))
        assert all(before[c.id] != c.text_hash for c in result.chunks if c.state == "changed")

    @settings(max_examples=examples(300), deadline=None)
    @given(HASHES, HASHES)
    def test_what_is_kept_in_place_is_a_longest_common_subsequence(
        self, old: list[str], new: list[str]
    ) -> None:
        kept = [int(c.id[3:]) for c in aligned(old, new).chunks if c.state == "kept"]
        assert kept == sorted(kept)
        table = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
        for i, left in enumerate(old):
            for j, right in enumerate(new):
                table[i + 1][j + 1] = (
                    table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
                )
        assert len(kept) == table[-1][-1]

    @settings(max_examples=examples(300), deadline=None)
    @given(HASHES, HASHES)
    def test_running_it_again_changes_nothing(self, old: list[str], new: list[str]) -> None:
        once = aligned(old, new)

        def never() -> str:
            raise AssertionError("nothing is new")

        again = align([OldChunk(c.id, c.text_hash, c.ordinal) for c in once.chunks], new, never)
        assert [c.id for c in again.chunks] == [c.id for c in once.chunks]
        assert all(c.state == "kept" for c in again.chunks)
        assert again.removed == ()


class TestCases:
    def test_a_replaced_chunk_keeps_its_id(self) -> None:
        assert states(aligned(list("abc"), list("axc"))) == [
            ("old0", "kept"),
            ("old1", "changed"),
            ("old2", "kept"),
        ]

    def test_an_inserted_chunk_is_new_and_the_rest_stays(self) -> None:
        assert states(aligned(list("abc"), list("abxc")))[2] == ("new0", "new")

    def test_a_removed_chunk_leaves_its_id(self) -> None:
        assert aligned(list("abc"), list("ac")).removed == ("old1",)

    def test_moved_text_keeps_its_id(self) -> None:
        result = aligned(list("abcd"), list("dabc"))
        assert states(result)[0] == ("old3", "moved")
        assert result.removed == ()

    def test_the_first_version_is_all_new_and_the_last_all_gone(self) -> None:
        assert {state for _, state in states(aligned([], list("ab")))} == {"new"}
        assert aligned(list("ab"), []).removed == ("old0", "old1")

    def test_order_of_the_old_rows_does_not_matter(self) -> None:
        old = first_version(list("abc"))
        assert align(old[::-1], list("abc"), str).chunks == align(old, list("abc"), str).chunks

    def test_an_id_given_twice_is_refused(self) -> None:
        with pytest.raises(ValueError, match="given before"):
            align(first_version(["a"]), ["a", "b"], lambda: "old0")


class TestLargeDocuments:
    @pytest.mark.parametrize("edits", [10, 5_000])
    def test_ten_thousand_chunks_with_scattered_edits(self, edits: int) -> None:
        random.seed(edits)
        old = [f"h{n}" for n in range(10_000)]
        new = list(old)
        for number in range(edits):
            new[random.randrange(len(new))] = f"edit{number}"
        kept = sum(c.state == "kept" for c in aligned(old, new).chunks)
        assert kept == sum(a == b for a, b in zip(old, new, strict=True))

    def test_ten_thousand_equal_chunks(self) -> None:
        result = aligned(["same"] * 10_000, ["other", *["same"] * 9_000])
        assert sum(c.state == "kept" for c in result.chunks) == 9_000

    def test_repeated_texts_in_a_new_order(self) -> None:
        random.seed(1)
        old = [f"h{random.randrange(40)}" for _ in range(10_000)]
        new = random.sample(old, len(old))
        result = aligned(old, new)
        assert {c.state for c in result.chunks} == {"kept", "moved"}

    def test_no_worse_than_difflib(self) -> None:
        random.seed(2)
        old = [f"h{n}" for n in range(800)]
        new = [text for text in old if random.random() > 0.2]
        for _ in range(60):
            new.insert(random.randrange(len(new)), new.pop(random.randrange(len(new))))
        blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        kept = sum(c.state == "kept" for c in aligned(old, new).chunks)
        assert kept >= sum(block.size for block in blocks)
