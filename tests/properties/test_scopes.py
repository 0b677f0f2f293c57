"""The algebra of scopes, against a filter over documents that is written out plainly."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.store.folders import ancestors
from footnote_retriever.funnel.search import Population, is_empty
from footnote_shared.contracts.documents import Visibility
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import SearchScope
from footnote_shared.embedding import sparse
from footnote_shared.vectors.protocol import HybridQuery, PointPayload, VectorPoint
from footnote_shared.vectors.visibility import groups_of, is_for_all
from footnote_testing.memory_vectors import MemoryVectorIndex
from tests.contract.vector_samples import DIMENSION, FINGERPRINT

LANE = "scopes"
DAY = datetime(2026, 1, 1, tzinfo=UTC)
FOLDERS = ["/", "/a", "/a/b", "/a/b/c", "/ab", "/d/b"]
CHOICES = {
    "connector_ids": ["c1", "c2"],
    "source_types": ["upload", "web"],
    "kinds": ["table", "paragraph"],
    "document_types": ["text/plain", "application/pdf"],
}
QUERY = "tea milk"


@dataclass(frozen=True)
class Doc:
    """A document of one chunk. `readers` are the groups that may read it, None for everybody."""

    number: int
    workspace: str
    owner: str
    visibility: Visibility
    readers: tuple[str, ...] | None
    public: bool
    folder: str
    connector: str | None
    source_type: str
    kind: str
    document_type: str
    made: datetime
    session: str | None
    words: str

    @property
    def id(self) -> str:
        return f"00000000-0000-0000-0000-{self.number:012}"


def found_by(doc: Doc, who: Principal, scope: SearchScope) -> bool:
    """What the specification says (4.1), one sentence after the other."""
    if doc.workspace != who.workspace_id:
        return False
    if doc.session != scope.session_id:
        return False
    mine = doc.owner == who.avatar_id
    everybody = doc.visibility == "workspace" and doc.readers is None
    in_group = doc.visibility == "workspace" and bool(set(doc.readers or ()) & set(who.groups))
    public = doc.visibility == "workspace" and doc.public
    if not (mine or public or everybody or in_group):
        return False
    return restricted_to(doc, scope)


def restricted_to(doc: Doc, scope: SearchScope) -> bool:
    if scope.document_ids is not None and doc.id not in scope.document_ids:
        return False
    if scope.folder_ids is not None and not any(below(doc.folder, one) for one in scope.folder_ids):
        return False
    if scope.connector_ids is not None and doc.connector not in scope.connector_ids:
        return False
    if scope.source_types is not None and doc.source_type not in scope.source_types:
        return False
    if scope.kinds is not None and doc.kind not in scope.kinds:
        return False
    if scope.document_types is not None and doc.document_type not in scope.document_types:
        return False
    if scope.created_from is not None and doc.made < scope.created_from:
        return False
    return scope.created_to is None or doc.made <= scope.created_to


def below(folder: str, top: str) -> bool:
    """Whether a folder is the other one or lies in it. Here a folder's id is its path."""
    return folder == top or folder.startswith(f"{top}/")


MOMENTS = st.integers(-2, 2).map(lambda days: DAY + timedelta(days=days))
GROUPS = st.lists(st.sampled_from(["legal", "ops"]), unique=True, max_size=2).map(tuple)
WHO = st.builds(
    Principal,
    workspace_id=st.sampled_from(["w1", "w2"]),
    avatar_id=st.sampled_from(["a1", "a2"]),
    scopes=st.sampled_from([frozenset({"read"}), frozenset({"admin"})]),
    groups=GROUPS,
)
DOCS = st.lists(
    st.builds(
        Doc,
        number=st.integers(1, 9),
        workspace=st.sampled_from(["w1", "w1", "w2"]),
        owner=st.sampled_from(["a1", "a2"]),
        visibility=st.sampled_from(["workspace", "workspace", "private"]),
        readers=st.none() | GROUPS,
        public=st.sampled_from([False, False, True]),
        folder=st.sampled_from(FOLDERS),
        connector=st.none() | st.sampled_from(CHOICES["connector_ids"]),
        source_type=st.sampled_from(CHOICES["source_types"]),
        kind=st.sampled_from(CHOICES["kinds"]),
        document_type=st.sampled_from(CHOICES["document_types"]),
        made=MOMENTS,
        session=st.sampled_from([None, None, None, "s1"]),
        words=st.sampled_from(["tea", "milk", "tea with milk and more milk", "ships"]),
    ),
    min_size=1,
    max_size=9,
    unique_by=lambda doc: doc.number,
)


def some(values: Sequence[str]) -> st.SearchStrategy[list[str] | None]:
    """A list of a scope: mostly absent, sometimes empty."""
    return st.none() | st.none() | st.lists(st.sampled_from([*values, "other"]), max_size=3)


SCOPES = st.builds(
    SearchScope,
    document_ids=some([f"00000000-0000-0000-0000-{number:012}" for number in range(1, 10)]),
    folder_ids=some(FOLDERS[1:]),
    session_id=st.sampled_from([None, None, None, "s1", "s2"]),
    created_from=st.none() | st.none() | MOMENTS,
    created_to=st.none() | st.none() | MOMENTS,
    **{name: some(values) for name, values in CHOICES.items()},
)


def point_of(doc: Doc) -> VectorPoint:
    """The document as ingest writes it."""
    dense = np.zeros(DIMENSION, np.float32)
    dense[doc.number % DIMENSION] = 1.0
    return VectorPoint(
        doc.id,
        dense,
        sparse.embed_document(doc.words),
        PointPayload(
            workspace_id=doc.workspace,
            avatar_id=doc.owner,
            document_id=doc.id,
            chunk_id=doc.id,
            folder_ids=tuple(ancestors(doc.folder)),
            connector_id=doc.connector,
            source_type=doc.source_type,
            kind=doc.kind,
            document_type=doc.document_type,
            ordinal=0,
            created_at=doc.made,
            is_public=is_for_all(doc.visibility, doc.public),
            groups=groups_of(doc.visibility, doc.owner, None if doc.readers is None else list(doc.readers)),
            session_id=doc.session,
            version=1,
        ),
    )


class Shelf:
    """Documents in an index, and what a search finds there: the ids with both scores."""

    def __init__(self, docs: Sequence[Doc]) -> None:
        self.index = MemoryVectorIndex()
        asyncio.run(self._fill(docs))

    async def _fill(self, docs: Sequence[Doc]) -> None:
        await self.index.open_lane(LANE, FINGERPRINT)
        await self.index.upsert(LANE, [point_of(doc) for doc in docs])

    def search(
        self, who: Principal, scope: SearchScope | None, named: SearchScope | None = None
    ) -> dict[str, tuple[float, float]]:
        population = Population.of(who, scope, named)
        dense = np.ones(DIMENSION, np.float32)
        query = HybridQuery(
            dense, sparse.embed_query(QUERY), 100, population.visible, population.corpus, complete=True
        )
        hits = asyncio.run(self.index.search(LANE, query))
        weights = {hit.id: round(hit.score, 9) for hit in hits.sparse}
        return {hit.id: (round(hit.score, 9), weights[hit.id]) for hit in hits.dense}


@given(DOCS, WHO, SCOPES)
def test_a_search_finds_what_the_plain_filter_finds(
    docs: list[Doc], who: Principal, scope: SearchScope
) -> None:
    expected = {doc.id for doc in docs if found_by(doc, who, scope)}
    assert set(Shelf(docs).search(who, scope)) == expected
    if is_empty(scope):
        assert not expected


@given(DOCS, WHO)
def test_no_scope_and_an_empty_one_are_the_same(docs: list[Doc], who: Principal) -> None:
    shelf = Shelf(docs)
    assert shelf.search(who, None) == shelf.search(who, SearchScope())


@given(DOCS, WHO, SCOPES, SCOPES)
def test_what_the_query_names_holds_beside_the_scope(
    docs: list[Doc], who: Principal, scope: SearchScope, named: SearchScope
) -> None:
    expected = {doc.id for doc in docs if found_by(doc, who, scope) and restricted_to(doc, named)}
    assert set(Shelf(docs).search(who, scope, named)) == expected


@given(DOCS, st.lists(st.tuples(WHO, st.none() | SCOPES), min_size=2, max_size=5))
def test_no_scope_sticks_to_a_later_search(
    docs: list[Doc], searches: list[tuple[Principal, SearchScope | None]]
) -> None:
    shared = Shelf(docs)
    for who, scope in [*searches, *reversed(searches)]:
        assert shared.search(who, scope) == Shelf(docs).search(who, scope)


@given(DOCS, WHO, SCOPES)
def test_no_score_depends_on_what_the_caller_may_not_see(
    docs: list[Doc], who: Principal, scope: SearchScope
) -> None:
    everything = SearchScope(session_id=scope.session_id)
    seen = [doc for doc in docs if found_by(doc, who, everything)]
    if seen:
        assert Shelf(docs).search(who, scope) == Shelf(seen).search(who, scope)


@given(DOCS, WHO, SCOPES, st.sampled_from([*CHOICES, "document_ids", "folder_ids"]))
def test_a_narrower_scope_finds_less_and_an_empty_list_nothing(
    docs: list[Doc], who: Principal, scope: SearchScope, field: str
) -> None:
    shelf = Shelf(docs)
    wider = scope.model_copy(update={field: None})
    assert set(shelf.search(who, scope)) <= set(shelf.search(who, wider))
    assert not shelf.search(who, scope.model_copy(update={field: []}))
