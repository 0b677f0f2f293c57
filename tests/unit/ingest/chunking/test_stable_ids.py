"""Up to which size an alignment is exact."""

from itertools import count

import pytest

from footnote_ingest.chunking.stable_ids import OldChunk, align


@pytest.mark.parametrize(("pairs", "kept"), [(447, 2 * 447 - 1), (448, 448)])
def test_an_alignment_is_exact_up_to_400000_matches(pairs: int, kept: int) -> None:
    """`ababab` against `bababa` shares all but one chunk. Each `a` matches each `a`, and so does each `b`."""
    old = [OldChunk(f"old{n}", text, n) for n, text in enumerate("ab" * pairs)]
    fresh = count()
    aligned = align(old, "ba" * pairs, lambda: f"new{next(fresh)}")
    assert sum(chunk.state == "kept" for chunk in aligned.chunks) == kept
