"""What changed between any two versions, from the rows that are kept of them."""

import uuid
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.chunking.stable_ids import OldChunk, align
from footnote_ingest.documents.compare_versions import KeptText, compare, made_at, texts_of
from footnote_shared.kernel.ids import new_id

_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_TEXTS = st.lists(st.sampled_from("abcdefgh"), max_size=6)


def made(moment: datetime, n: int) -> str:
    """A UUIDv7 of this moment."""
    milliseconds = round(moment.timestamp() * 1000)
    return str(uuid.UUID(int=(milliseconds << 80) | (7 << 76) | (2 << 62) | n))


class Document:
    """A document as its rows lie in SQL: a version goes live, and the one before is cleared away."""

    def __init__(self) -> None:
        self.rows: list[KeptText] = []
        self.live: list[KeptText] = []
        self.seen: dict[int, datetime] = {}
        self.truth: dict[int, dict[str, str]] = {}

    def upload(self, texts: list[str]) -> None:
        number = len(self.truth) + 1
        moment = _BEGIN + timedelta(hours=number)
        count = iter(range(1000))
        old = [OldChunk(one.chunk_id, one.text_hash, one.ordinal) for one in self.live]
        new = align(old, texts, lambda: made(moment, next(count)))
        fresh = [KeptText(one.id, number, one.ordinal, one.text_hash) for one in new.chunks]
        now = {(one.chunk_id, one.text_hash) for one in fresh}
        gone = [one for one in self.live if (one.chunk_id, one.text_hash) in now]
        self.rows = [one for one in self.rows if one not in gone] + fresh
        self.live = fresh
        self.seen[number] = moment + timedelta(minutes=1)
        self.truth[number] = {one.chunk_id: one.text_hash for one in fresh}

    def texts(self, number: int) -> dict[str, KeptText]:
        return texts_of(self.rows, number, self.seen[number])


@given(st.lists(_TEXTS, min_size=1, max_size=7))
def test_every_version_is_found_again(versions: list[list[str]]) -> None:
    document = Document()
    for texts in versions:
        document.upload(texts)
    for number, truth in document.truth.items():
        found = document.texts(number)
        assert {one: row.text_hash for one, row in found.items()} == truth


@given(st.lists(_TEXTS, min_size=2, max_size=5), st.data())
def test_a_comparison_tells_all_and_nothing_else(versions: list[list[str]], data: st.DataObject) -> None:
    document = Document()
    for texts in versions:
        document.upload(texts)
    one, other = (data.draw(st.sampled_from(sorted(document.truth))) for _ in range(2))
    before, after = document.truth[one], document.truth[other]
    compared = compare(document.texts(one), document.texts(other))
    told = {
        (side.chunk_id, side.text_hash, where)
        for difference in compared.differences
        for side, where in ((difference.before, "before"), (difference.after, "after"))
        if side is not None
    }
    same = before.items() & after.items()
    assert compared.unchanged == len(same)
    wanted = {(*item, "before") for item in before.items() - same}
    assert told == wanted | {(*item, "after") for item in after.items() - same}


def test_a_text_that_comes_back_is_the_one_that_it_was() -> None:
    document = Document()
    for texts in (["a"], ["b"], ["a"]):
        document.upload(texts)
    (changed,) = compare(document.texts(1), document.texts(2)).differences
    assert changed.before is not None
    assert changed.after is not None
    assert (changed.before.text_hash, changed.after.text_hash) == ("a", "b")
    assert compare(document.texts(1), document.texts(3)).differences == []


def test_an_id_tells_when_it_was_made() -> None:
    assert abs(made_at(new_id()) - datetime.now(UTC)) < timedelta(minutes=5)
    assert made_at(str(uuid.uuid4())) < _BEGIN
