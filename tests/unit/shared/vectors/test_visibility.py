"""What a caller may see, as a filter."""

from datetime import UTC, datetime

import pytest

from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.memory import MEMORY_MARK
from footnote_shared.contracts.search import SearchScope
from footnote_shared.vectors.filters import matches
from footnote_shared.vectors.visibility import corpus_of, groups_of, visible_to

ME = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}), groups=("legal",))
CHUNK: dict[str, object] = {
    "workspace_id": "w1",
    "avatar_id": "a2",
    "document_id": "d1",
    "folder_ids": ["root", "deep"],
    "connector_id": "imap",
    "source_type": "email",
    "kind": "table",
    "document_type": "pdf",
    "created_at": "2026-03-01T00:00:00.000Z",
    "is_public": False,
    "groups": [],
}


def sees(scope: SearchScope | None = None, who: Principal = ME, **fields: object) -> bool:
    return matches(visible_to(who, scope), {**CHUNK, **fields})


def test_a_caller_sees_the_workspace_and_no_other() -> None:
    assert sees()
    assert not sees(workspace_id="w2")
    assert not sees(workspace_id="w2", is_public=True, avatar_id="a1", groups=["legal"])


def test_an_administrator_of_one_workspace_is_a_stranger_in_another() -> None:
    admin = Principal(workspace_id="w2", avatar_id="a1", scopes=frozenset({"admin"}))
    assert not sees(who=admin)


def test_memory_is_in_no_scope_but_its_own() -> None:
    assert not sees(folder_ids=["root", MEMORY_MARK])
    assert not sees(SearchScope(folder_ids=[MEMORY_MARK]), folder_ids=["root", MEMORY_MARK])
    assert not sees(SearchScope(document_ids=["d1"]), folder_ids=["root", MEMORY_MARK], avatar_id="a1")
    assert sees(SearchScope(memory=True), folder_ids=["root", MEMORY_MARK])
    assert not sees(SearchScope(memory=True), folder_ids=["root"])
    assert not matches(corpus_of(ME), {**CHUNK, "folder_ids": [MEMORY_MARK]})
    assert matches(corpus_of(ME, SearchScope(memory=True)), {**CHUNK, "folder_ids": [MEMORY_MARK]})


def test_no_scope_can_widen_the_workspace() -> None:
    everything = SearchScope(document_ids=["d1"], session_id="s1")
    assert not sees(everything, workspace_id="w2", session_id="s1")


@pytest.mark.parametrize(
    "key", ["document_ids", "folder_ids", "connector_ids", "source_types", "kinds", "document_types"]
)
def test_an_empty_list_matches_nothing_and_an_absent_key_restricts_nothing(key: str) -> None:
    assert not sees(SearchScope.model_validate({key: []}))
    assert sees(SearchScope.model_validate({key: None}))
    assert not sees(SearchScope.model_validate({key: ["other"]}))


@pytest.mark.parametrize(
    "scope",
    [
        {"document_ids": ["d0", "d1"]},
        {"folder_ids": ["root"]},
        {"folder_ids": ["deep"]},
        {"connector_ids": ["imap"]},
        {"source_types": ["email"]},
        {"kinds": ["table"]},
        {"document_types": ["pdf"]},
        {"created_from": "2026-03-01T00:00:00Z", "created_to": "2026-03-01T00:00:00Z"},
        {"document_ids": ["d1"], "kinds": ["table", "prose"], "created_to": "2026-12-01T00:00:00Z"},
    ],
)
def test_a_scope_keeps_what_it_names(scope: dict[str, object]) -> None:
    assert sees(SearchScope.model_validate(scope))


def test_a_range_of_dates_is_closed_at_both_ends() -> None:
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    assert sees(SearchScope(created_from=moment))
    assert sees(SearchScope(created_to=moment))
    assert not sees(SearchScope(created_from=moment.replace(second=1)))
    assert not sees(SearchScope(created_to=moment.replace(year=2025)))


def test_chunks_of_an_anonymous_session_need_its_id() -> None:
    assert not sees(session_id="s1")
    assert sees(SearchScope(session_id="s1"), session_id="s1")
    assert not sees(SearchScope(session_id="s2"), session_id="s1")
    assert not sees(SearchScope(session_id="s1"))
    assert not sees(SearchScope(session_id=""))


def test_chunks_shared_with_groups_need_one_of_them() -> None:
    assert sees(groups=["legal", "board"])
    assert not sees(groups=["board"])
    assert sees(groups=["board"], is_public=True)
    assert sees(groups=["board"], avatar_id="a1")


def test_a_private_document_is_its_owners_alone() -> None:
    groups = list(groups_of("private", "a2"))
    assert not sees(groups=groups)
    assert sees(groups=groups, avatar_id="a1")
    assert not sees(groups=groups, avatar_id="a1", workspace_id="w2")
    assert list(groups_of("workspace", "a2")) == []
    claims_to_be = Principal(
        workspace_id="w1", avatar_id="a3", scopes=frozenset({"read"}), groups=tuple(groups)
    )
    assert not sees(who=claims_to_be, groups=groups)


def test_words_are_weighed_by_what_the_caller_may_see() -> None:
    assert matches(corpus_of(ME), CHUNK)
    private = {**CHUNK, "groups": list(groups_of("private", "a2"))}
    assert matches(corpus_of(ME), {**private, "avatar_id": ME.avatar_id})
    for hidden in (
        {**CHUNK, "workspace_id": "w2"},
        {**CHUNK, "session_id": "s"},
        {**private, "avatar_id": "a2"},
    ):
        assert not matches(corpus_of(ME), hidden)


def test_a_scope_changes_no_weight_of_a_word() -> None:
    scope = SearchScope(
        document_ids=["another"], kinds=["table"], created_to=datetime(2000, 1, 1, tzinfo=UTC)
    )
    assert corpus_of(ME, scope) == corpus_of(ME)


def test_a_session_weighs_words_by_its_own_chunks() -> None:
    corpus = corpus_of(ME, SearchScope(session_id="s"))
    assert matches(corpus, {**CHUNK, "session_id": "s"})
    assert not matches(corpus, CHUNK)
    assert not matches(corpus, {**CHUNK, "session_id": "another"})
