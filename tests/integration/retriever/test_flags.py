"""A search goes by the flags of its workspace, and says who decided what."""

from footnote_shared.contracts.flags import FlagName, FlagValue
from footnote_shared.db.flag_overrides import change_flag
from footnote_testing.eventually import eventually
from tests.integration.retriever.conftest import Stack, User


def change(stack: Stack, user: User, name: FlagName, value: FlagValue | None) -> None:
    with stack.database.write() as session:
        change_flag(session, user.principal, name, value)


def test_a_running_retriever_follows_a_change_made_elsewhere(stack: Stack, user: User) -> None:
    assert user.search("gulls")["flags"]["fusion"] == {"value": "weighted_blend", "source": "default"}
    change(stack, user, "fusion", "rrf")
    change(stack, user, "rrf_k", 7)
    eventually(lambda: user.search("gulls")["settings"]["fusion"] == "rrf", "the fusion of the workspace")
    found = user.search("gulls")
    assert found["settings"]["rrf_k"] == 7
    assert found["flags"]["rrf_k"] == {"value": 7, "source": "workspace"}
    assert found["flags"]["hybrid"] == {"value": True, "source": "default"}
    change(stack, user, "fusion", None)
    eventually(
        lambda: user.search("gulls")["settings"]["fusion"] == "weighted_blend", "the operator's fusion"
    )


def test_a_request_and_a_preset_stand_over_a_flag(stack: Stack, user: User) -> None:
    change(stack, user, "hybrid", False)
    eventually(lambda: user.search("gulls")["settings"]["fusion"] == "dense_only", "one leg alone")
    assert user.search("gulls", preset="fast")["flags"]["fusion"] == {"value": "dbsf", "source": "preset"}
    by_request = user.search("gulls", settings={"fusion": "rrf"})["flags"]
    assert by_request["fusion"] == {"value": "rrf", "source": "request"}
    assert by_request["hybrid"] == {"value": True, "source": "request"}
    stranger = stack.user()
    assert stranger.search("gulls")["flags"]["hybrid"] == {"value": True, "source": "default"}
    stranger.http.close()


def test_queries_are_handed_on_where_the_workspace_allows_it(stack: Stack, user: User) -> None:
    def recorded(by: User) -> list[str]:
        return [text for where, text in stack.ingest.recorded if where == by.principal.workspace_id]

    stranger = stack.user()
    change(stack, user, "record_queries", True)
    eventually(lambda: user.search("gulls") and recorded(user), "a query was handed on")
    stranger.search("terns")
    assert set(recorded(user)) == {"gulls"}
    assert recorded(stranger) == []
    stranger.http.close()
