"""Who came in, who left at which step and why, and what became of one document that should be found."""

from dataclasses import replace
from typing import Any

from footnote_retriever.funnel.answer import answer
from footnote_retriever.funnel.look import SearchQuery
from footnote_retriever.funnel.plan import BUILT_IN, resolve
from footnote_shared.contracts.documents import DocumentError
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.memory import MEMORY_MARK
from footnote_shared.contracts.search import ExpectedDocument, SearchScope
from footnote_shared.settings.base import Settings
from footnote_shared.settings.flag_values import fallbacks
from footnote_testing.library import Book
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes, caller, dead, short

SAME = "gulls steal bread on the pier"


async def expect(
    on: FunnelOnFakes,
    document_id: str,
    query: str = "gulls",
    scope: SearchScope | None = None,
    by: Principal | None = None,
    **settings: Any,
) -> ExpectedDocument:
    plan = resolve(BUILT_IN["default"], settings, on.funnel.rerankers, fallbacks(Settings()))
    asked = SearchQuery(by or caller(), query, scope, plan, explain=True, expect=document_id)
    result = await answer(on.funnel, asked)
    assert result.expected is not None
    return result.expected


async def test_each_candidate_says_where_it_left_and_why() -> None:
    on = FunnelOnFakes()
    first, copy, other = Book("first", [SAME]), Book("copy", [SAME]), Book("other", ["gulls sleep"])
    await on.add(first, copy, other)
    result = await on.search("gulls steal bread", explain=True, top_k=1)
    fates = {one.title: (one.left_at, one.why) for one in result.candidates or []}
    returned = result.passages[0].title
    assert {returned} <= {"first", "copy"}
    assert fates[returned] == (None, None)
    assert ("diversify", "same_text") in fates.values()
    assert fates["other"] == ("gate", "top_k")
    assert next(one.title for one in result.candidates or []) == returned
    assert (await on.search("gulls")).candidates is None


async def test_the_budget_and_the_gate_are_told_apart() -> None:
    on = FunnelOnFakes()
    await on.add(Book("long", ["gulls " + " ".join(f"word{n}" for n in range(60))]), Book("short", ["gulls"]))
    result = await on.search("gulls", explain=True, context_tokens=50, clip=False)
    fates = {one.title: one.why for one in result.candidates or []}
    assert fates == {"short": None, "long": "context_tokens"}
    result = await on.search("gulls", explain=True, min_similarity=1.0)
    assert "min_similarity" in {one.why for one in result.candidates or []}


async def test_what_is_not_live_is_not_named() -> None:
    on = FunnelOnFakes()
    await on.add(dead(Book("gone", ["gulls are gone"])), Book("here", ["gulls are here"]))
    result = await on.search("gulls", explain=True)
    assert [one.title for one in result.candidates or []] == ["here"]


async def test_a_document_that_is_found_has_its_rank() -> None:
    on = FunnelOnFakes()
    book = Book("gulls", ["gulls steal"])
    await on.add(book)
    found = await expect(on, book.id)
    assert (found.outcome, found.rank) == ("found", 1)


async def test_a_foreign_document_and_one_that_is_nowhere_get_the_same_answer() -> None:
    on = FunnelOnFakes()
    foreign, private = Book("foreign", ["gulls abroad"]), Book("private", ["gulls in secret"], private=True)
    await on.add(foreign, owner=caller("rival"))
    await on.add(private, owner=Principal(workspace_id="acme", avatar_id="somebody", scopes=frozenset()))
    answers = [
        (await expect(on, one)).model_dump(exclude={"document_id"})
        for one in (foreign.id, private.id, "there is no such id")
    ]
    assert answers[0]["outcome"] == "not_visible"
    assert answers[0] == answers[1] == answers[2]


async def test_a_document_that_waits_is_not_indexed_yet() -> None:
    on = FunnelOnFakes()
    await on.add(Book("gulls", ["gulls steal"]))
    on.ingest.put_waiting("acme", "soon")
    found = await expect(on, "soon")
    assert found.outcome == "not_indexed"
    assert "embedding" in found.detail


async def test_the_scope_is_told_apart_from_passages_that_are_nearer() -> None:
    on = FunnelOnFakes()
    wanted = Book("wanted", ["unlike all of the others"])
    await on.add(wanted, *(short("gulls steal", n) for n in range(60)))
    outside = await expect(on, wanted.id, scope=SearchScope(source_types=["email"]))
    assert outside.outcome == "outside_scope"
    assert (await expect(on, wanted.id, scope=SearchScope(document_ids=[]))).outcome == "outside_scope"
    assert (await expect(on, wanted.id, "gulls title:nowhere")).outcome == "outside_scope"
    far = await expect(on, wanted.id, "gulls steal", retrieve_k=10, top_k=5)
    assert far.outcome in ("no_candidate", "not_reached")
    assert far.step in ("search", None)


async def test_a_candidate_that_left_names_the_setting() -> None:
    on = FunnelOnFakes()
    books = [short("gulls steal", n) for n in range(6)]
    await on.add(*books)
    outcomes = [await expect(on, book.id, top_k=3) for book in books]
    assert sorted(one.outcome for one in outcomes) == ["dropped"] * 3 + ["found"] * 3
    assert {(one.step, one.why) for one in outcomes if one.outcome == "dropped"} == {("gate", "top_k")}


async def test_a_phrase_that_a_document_does_not_have_is_named_as_the_cause() -> None:
    on = FunnelOnFakes()
    wanted = Book("wanted", ["gulls steal much bread"])
    await on.add(wanted, Book("other", ["they steal bread"]))
    found = await expect(on, wanted.id, '"steal bread"')
    assert (found.outcome, found.step) == ("dropped", "enrich")
    assert 'do not have the phrase "steal bread"' in found.detail
    found = await expect(on, wanted.id, "steal -much")
    assert (found.outcome, found.step) == ("dropped", "enrich")
    assert 'have "much", left out by the query' in found.detail


async def test_a_version_that_was_replaced_is_told_apart_from_other_words() -> None:
    on = FunnelOnFakes()
    old, new = Book("wanted", ["gulls steal"]), Book("wanted", ["unlike the others"], version=2)
    await on.add(dead(old), replace(new, id=old.id), *(short("gulls steal", n) for n in range(60)))
    found = await expect(on, old.id, "gulls steal", retrieve_k=30, top_k=20)
    assert (found.outcome, found.step) == ("dropped", "enrich")
    assert "replaced" in found.detail


async def test_a_document_that_failed_says_why() -> None:
    on = FunnelOnFakes()
    await on.add(Book("gulls", ["gulls steal"]))
    reason = "The PDF is damaged: it cannot be opened."
    error = DocumentError(stage="extracting", code="corrupt", reason=reason, retryable=False)
    on.ingest.put_waiting("acme", "broken", error)
    found = await expect(on, "broken")
    assert found.outcome == "not_indexed"
    assert found.detail.endswith(f"failed: {reason}")


async def test_what_a_scope_leaves_out_is_said_by_the_part_that_does() -> None:
    on = FunnelOnFakes()
    book = Book("gulls", ["gulls steal"], folder_ids=("pier",))
    await on.add(book, Book("other", ["gulls sleep"], folder_ids=("beach",), source_type="email"))

    async def said(query: str = "gulls", **scope: Any) -> str:
        found = await expect(on, book.id, query, SearchScope(**scope) if scope else None)
        assert (found.outcome, found.step) == ("outside_scope", "search")
        return found.detail

    assert (await said(folder_ids=["beach"])).endswith("request leaves it out: folder_ids.")
    assert (await said(folder_ids=["pier"], source_types=["email"])).endswith(": source_types.")
    assert (await said(kinds=["code"], folder_ids=[])).endswith(": folder_ids, kinds.")
    assert await said("gulls title:other") == "What the query names leaves it out: title:."
    assert "before:" in await said("gulls before:2020")
    assert "nothing but memory" in await said(memory=True)
    assert "session" in await said(session_id="visitor-0123456789abcdef")


async def test_a_document_that_was_moved_out_of_the_folder_says_so_before_its_points_follow() -> None:
    on = FunnelOnFakes()
    book = Book("gulls", ["gulls steal"], folder_ids=("pier",))
    await on.add(book)
    inside = SearchScope(folder_ids=["pier"])
    assert (await expect(on, book.id, scope=inside)).outcome == "found"
    on.ingest.move("acme", book.id, "beach")
    assert (await on.search("gulls", scope=inside)).passages == []
    found = await expect(on, book.id, scope=inside)
    assert (found.outcome, found.step) == ("dropped", "enrich")
    assert "moved" in found.detail
    assert (await expect(on, book.id)).outcome == "found"


async def test_a_memory_that_is_missed_among_memory_is_not_called_unindexed() -> None:
    on = FunnelOnFakes()
    wanted = Book("wanted", ["of something else"], folder_ids=(MEMORY_MARK,))
    others = [replace(short("gulls steal", n), folder_ids=(MEMORY_MARK,)) for n in range(3)]
    await on.add(wanted, *others)
    memory = SearchScope(memory=True)
    found = await expect(on, wanted.id, "gulls steal", memory, retrieve_k=1, top_k=1)
    assert (found.outcome, found.step) == ("no_candidate", "search")
    elsewhere = SearchScope(memory=True, document_ids=[others[0].id])
    found = await expect(on, wanted.id, "gulls steal", elsewhere)
    assert (found.outcome, found.step) == ("outside_scope", "search")
    assert found.detail.endswith("leaves it out: document_ids.")


async def test_what_the_rest_of_a_scope_leaves_out_of_a_session_is_said() -> None:
    on = FunnelOnFakes()
    session = "visitor-0123456789abcdef"
    own = Book("own", ["gulls steal"], session_id=session)
    await on.add(own, Book("other", ["gulls sleep"], session_id=session))
    by = caller().model_copy(update={"session_id": session})
    found = await expect(on, own.id, scope=SearchScope(session_id=session, source_types=["email"]), by=by)
    assert (found.outcome, found.step) == ("outside_scope", "search")
    assert found.detail.endswith("leaves it out: source_types.")
