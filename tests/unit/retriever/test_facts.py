"""Facts in a search: they bring in the passages that state them, and are shown beside these."""

from dataclasses import replace

from footnote_shared.contracts.facts import ShownFact
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.kernel.text import text_hash
from footnote_shared.kernel.vector_values import LaneFingerprint, SparseVector
from footnote_shared.vectors.protocol import PointPayload, VectorPoint
from footnote_shared.vectors.visibility import groups_of
from footnote_testing.library import Book
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes, caller

RATES = Book("rates", ["per diem sixty two payable travel desk quarter ledger annex"])
OTHERS = [Book(f"other {n}", [f"allowance ships sail number{n} harbour"]) for n in range(3)]
FACT = "allowance in Lisbon is sixty two"
QUERY = "allowance in Lisbon"
FACTS = "fact"


async def state(
    on: FunnelOnFakes,
    book: Book,
    fact: str,
    *,
    owner: Principal | None = None,
    fingerprint: LaneFingerprint | None = None,
) -> str:
    """Put a fact of the book's first chunk where a search finds it; returns its id."""
    owner = owner or caller()
    embedder = on.embedder
    await on.index.open_lane(FACTS, fingerprint or embedder.fingerprint)
    fact_id, chunk_id = new_id(), f"{book.id}-0"
    payload = PointPayload(
        workspace_id=owner.workspace_id,
        avatar_id=owner.avatar_id,
        document_id=book.id,
        chunk_id=chunk_id,
        text_hash=text_hash(f"{book.title}\n{book.texts[0]}"),
        source_type="upload",
        kind="paragraph",
        document_type="text/plain",
        ordinal=0,
        created_at=book.created_at,
        groups=groups_of("private" if book.private else "workspace", owner.avatar_id),
        version=1,
    )
    if fingerprint is None:
        (dense,) = embedder.embed_documents([fact])
        await on.index.upsert(FACTS, [VectorPoint(fact_id, dense, SparseVector([], []), payload)])
    on.ingest.put_fact(
        ShownFact(id=fact_id, text=fact, quote="a quote", document_id=book.id, chunk_id=chunk_id)
    )
    return fact_id


async def funnel() -> FunnelOnFakes:
    on = FunnelOnFakes()
    await on.add(RATES, *OTHERS)
    return on


class TestWithTheFlag:
    async def test_a_fact_brings_in_the_passage_that_states_it(self) -> None:
        on = await funnel()
        fact = await state(on, RATES, FACT)
        without = await on.search(QUERY, top_k=1)
        assert without.passages[0].title != "rates"
        for fusion in ("weighted_blend", "rrf", "dbsf", "dense_only"):
            result = await on.search(QUERY, facts=True, fusion=fusion)
            found = {passage.title: passage for passage in result.passages}
            assert [one.id for one in found["rates"].facts] == [fact]
            assert [one.text for one in found["rates"].facts] == [FACT]
            assert result.degraded == []
        assert result.passages[0].title == "rates"
        assert result.passages[0].similarity is not None
        assert result.passages[0].similarity > (without.passages[0].similarity or 0)

    async def test_the_words_of_facts_take_what_the_passages_leave_of_the_budget(self) -> None:
        on = await funnel()
        long = Book("long", ["allowance in Lisbon " + " ".join(f"word{n}" for n in range(45))])
        await on.add(long)
        await state(on, long, FACT)
        tight = await on.search(QUERY, top_k=1, facts=True, context_tokens=52)
        assert [(one.title, one.facts) for one in tight.passages] == [("long", [])]
        wide = await on.search(QUERY, top_k=1, facts=True, context_tokens=60)
        assert len(wide.passages[0].facts) == 1

    async def test_a_fact_whose_words_were_cut_off_is_not_shown(self) -> None:
        on = await funnel()
        filler = " ".join(f"allowance Lisbon word{n}." for n in range(30))
        long = Book("long", [f"{filler} {' '.join(f'last{n}' for n in range(12))} end."])
        await on.add(long)
        await state(on, long, FACT)
        cut = await on.search(QUERY, top_k=1, facts=True, context_tokens=96)
        assert cut.passages[0].clipped
        assert cut.passages[0].facts == []

    async def test_a_passage_that_is_gone_is_not_brought_back(self) -> None:
        on = await funnel()
        await state(on, RATES, FACT)
        on.ingest.delete_document(RATES.id)
        result = await on.search(QUERY, facts=True)
        assert "rates" not in [passage.title for passage in result.passages]
        assert all(passage.facts == [] for passage in result.passages)

    async def test_a_fact_of_an_earlier_text_brings_in_nothing(self) -> None:
        on = await funnel()
        await state(on, replace(RATES, texts=["another text of before"]), FACT)
        result = await on.search(QUERY, facts=True)
        assert all(passage.facts == [] for passage in result.passages)

    async def test_nobody_finds_by_a_fact_what_they_may_not_see(self) -> None:
        on = await funnel()
        private = replace(RATES, id=new_id(), title="diary", private=True)
        await on.add(private)
        await state(on, private, FACT)
        stranger = Principal(workspace_id="acme", avatar_id="second", scopes=frozenset({"read"}))
        for who in (stranger, caller("other")):
            result = await on.search(QUERY, facts=True, by=who)
            assert "diary" not in [passage.title for passage in result.passages]
            assert all(passage.facts == [] for passage in result.passages)
            assert result.degraded == []
        mine = await on.search(QUERY, facts=True)
        assert "diary" in [passage.title for passage in mine.passages if passage.facts]


class TestWithout:
    async def test_the_flag_nothing_is_looked_up(self) -> None:
        on = await funnel()
        await state(on, RATES, FACT)
        result = await on.search(QUERY)
        assert len(on.index.searches) == 1
        assert all(passage.facts == [] for passage in result.passages)

    async def test_facts_a_search_is_what_it_is(self) -> None:
        on = await funnel()
        plain, asked = await on.search(QUERY), await on.search(QUERY, facts=True)
        assert [one.chunk_id for one in plain.passages] == [one.chunk_id for one in asked.passages]
        assert asked.degraded == []

    async def test_facts_of_the_same_model_they_are_named_as_missing(self) -> None:
        on = await funnel()
        await state(on, RATES, FACT, fingerprint=replace(on.embedder.fingerprint, revision="2"))
        result = await on.search(QUERY, facts=True)
        assert result.degraded == ["facts"]
        assert result.passages

    async def test_the_words_of_facts_they_are_named_as_missing(self) -> None:
        on = await funnel()
        await state(on, RATES, FACT)
        before = on.index.live_version

        async def gone(lane: str) -> None:
            raise Unavailable("qdrant", "It does not answer.")

        await on.search(QUERY)
        on.index.live_version = gone  # type: ignore[method-assign]
        result = await on.search(QUERY, facts=True)
        on.index.live_version = before  # type: ignore[method-assign]
        assert result.degraded == ["facts"]
        assert result.passages
