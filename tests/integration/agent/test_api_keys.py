"""`/v1/keys`: made, shown once, listed, revoked, and nobody else's."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlmodel import col, select
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import Stage, built_stage

from footnote_agent.store.workspace_keys import id_of_key, renew_in_workspace, revoke_in_workspace
from footnote_shared.contracts.identity import Scope
from footnote_shared.db.engine import Database
from footnote_shared.db.tables import ApiKeyRow, AuditRow, IdempotencyRow
from footnote_shared.kernel.errors import NotFound, Unauthenticated
from footnote_shared.security.api_keys import hash_of, make_key
from footnote_testing.workspace import make_caller


@pytest.fixture(scope="module")
def shared_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with built_stage(tmp_path_factory.mktemp("keys")) as stage:
        yield stage


@pytest.fixture(scope="module")
def url(shared_stage: Stage) -> str:
    with shared_stage.agent() as agent:
        return str(agent.base_url)


@pytest.fixture
def admin(shared_stage: Stage, url: str) -> Iterator[AgentClient]:
    """The admin of a workspace of its own."""
    with AgentClient(url, make_caller(shared_stage.database)[1]) as client:
        yield client


def test_a_key_is_made_works_and_is_revoked(shared_stage: Stage, url: str, admin: AgentClient) -> None:
    made = admin.post("/v1/keys", json={"name": "import", "scopes": ["read"], "new_avatar": "robot"})
    assert made.status_code == 201
    with AgentClient(url, made.json()["key"]) as robot:
        assert robot.get("/v1/threads").status_code == 200
        assert robot.get("/v1/keys").status_code == 403
        mine, theirs = admin.get("/v1/keys:mine").json(), robot.get("/v1/keys:mine").json()
        assert (theirs["avatar_id"], theirs["scopes"]) == (made.json()["avatar_id"], ["read"])
        assert mine["avatar_id"] != theirs["avatar_id"]
        assert mine["workspace_id"] == theirs["workspace_id"]
        assert theirs["key_id"] == made.json()["id"]
        listed = admin.get("/v1/keys").json()["items"]
        assert [(one["name"], one["avatar"], one["current"]) for one in listed][:1] == [
            ("import", "robot", False)
        ]
        assert [one["current"] for one in listed].count(True) == 1
        assert made.json()["key"] not in admin.get("/v1/keys").text
        assert listed[0]["hint"] == made.json()["key"][:7]
        for _ in range(2):
            revoked = admin.delete(f"/v1/keys/{listed[0]['id']}")
            assert revoked.status_code == 200
            assert revoked.json()["revoked_at"]
        assert robot.get("/v1/threads").status_code == 401
        assert robot.get("/v1/keys:mine").status_code == 401
    noted = admin.get("/v1/audit", params={"subject": listed[0]["id"]}).json()["items"]
    assert [one["action"] for one in noted] == ["key.revoked", "key.made"]
    assert {one["avatar_id"] for one in noted} != {"operator"}


def test_a_renewed_key_is_another_one_and_the_former_opens_nothing(url: str, admin: AgentClient) -> None:
    made = admin.post("/v1/keys", json={"name": "link", "scopes": ["admin"]}).json()
    robot = admin.post("/v1/keys", json={"name": "import", "new_avatar": "robot"}).json()
    with AgentClient(url, made["key"]) as link:
        renewed = link.post(f"/v1/keys/{made['id']}:renew").json()
        assert link.get("/v1/keys:mine").status_code == 401
        assert link.post(f"/v1/keys/{made['id']}:renew").status_code == 401
    assert (renewed["id"], renewed["scopes"], renewed["key"] != made["key"]) == (made["id"], ["admin"], True)
    with AgentClient(url, renewed["key"]) as browser:
        assert browser.get("/v1/keys:mine").json() == {
            **admin.get("/v1/keys:mine").json(),
            "key_id": made["id"],
        }
    # A key of another avatar would open what is private to them.
    assert admin.post(f"/v1/keys/{robot['id']}:renew").status_code == 404
    assert admin.delete(f"/v1/keys/{made['id']}").status_code == 200
    assert admin.post(f"/v1/keys/{made['id']}:renew").status_code == 409
    noted = admin.get("/v1/audit", params={"subject": made["id"]}).json()["items"]
    assert [one["action"] for one in noted] == ["key.revoked", "key.renewed", "key.made"]
    assert renewed["key"] not in str(noted)


def test_of_requests_that_renew_one_key_at_once_one_is_answered(
    database: Database, shared_stage: Stage, url: str
) -> None:
    caller, key = make_caller(database)
    with database.read() as session:
        key_id = id_of_key(session, hash_of(key))
    assert key_id is not None
    together = Barrier(4)

    def renewed(_: int) -> bool:
        """All have been let in by the key as it was."""
        together.wait()
        try:
            with database.write() as session:
                renew_in_workspace(session, caller, key_id, hash_of(key))
        except Unauthenticated:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(renewed, range(4))) == [False, False, False, True]
    with AgentClient(url, make_caller(shared_stage.database)[1]) as link, ThreadPoolExecutor(4) as pool:
        address = f"/v1/keys/{link.get('/v1/keys:mine').json()['key_id']}:renew"
        answers = pool.map(lambda _: link.post(address).status_code, range(4))
        assert sorted(answers) == [200, 401, 401, 401]


@pytest.mark.parametrize("scope", ["read", "write"])
def test_a_key_of_any_scope_renews_and_revokes_itself_and_no_other(
    shared_stage: Stage, url: str, scope: Scope
) -> None:
    """As in a link that is good once. Else it would be good for ever."""
    owner, of_admin = make_caller(shared_stage.database)
    with shared_stage.database.write() as session:
        first, beside = (make_key(session, owner, name, [scope]) for name in ("link", "beside"))
    with AgentClient(url, first) as link, AgentClient(url, beside) as other:
        address = f"/v1/keys/{link.get('/v1/keys:mine').json()['key_id']}"
        # Whether a key is there is not told to whoever may not ask for it.
        for theirs in (address, "/v1/keys/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/v1/keys/odd"):
            assert other.post(f"{theirs}:renew").status_code == 403
            assert other.delete(theirs).status_code == 403
        renewed = link.post(f"{address}:renew").json()
        assert link.get("/v1/keys:mine").status_code == 401
    assert renewed["scopes"] == [scope]
    with AgentClient(url, renewed["key"]) as browser, AgentClient(url, of_admin) as admin:
        assert browser.get("/v1/keys:mine").json()["scopes"] == [scope]
        assert browser.delete(address).status_code == 200
        assert browser.get("/v1/keys:mine").status_code == 401
        assert admin.post(f"{address}:renew").status_code == 409


def test_nobody_gets_into_groups_by_renewing_a_key(shared_stage: Stage, url: str) -> None:
    owner, without = make_caller(shared_stage.database)
    with shared_stage.database.write() as session:
        inside = make_key(session, owner, "of the board", ["admin"], ["board"])
    with AgentClient(url, without) as admin, AgentClient(url, inside) as member:
        address = f"/v1/keys/{member.get('/v1/keys:mine').json()['key_id']}:renew"
        assert admin.post(address).status_code == 403
        assert member.post(address).status_code == 200


def test_a_key_is_kept_nowhere(shared_stage: Stage, admin: AgentClient) -> None:
    headers = {"Idempotency-Key": "once"}
    made = admin.post("/v1/keys", json={"name": "import"}, headers=headers)
    again = admin.post("/v1/keys", json={"name": "import"}, headers=headers)
    assert again.status_code == 409
    assert made.json()["id"] in again.json()["detail"]
    key = made.json()["key"]
    with shared_stage.database.read() as session:
        rows = [
            *session.exec(select(ApiKeyRow)).all(),
            *session.exec(select(IdempotencyRow)).all(),
            *session.exec(select(AuditRow)).all(),
        ]
    assert not any(key in row.model_dump_json() for row in rows)


def test_nobody_gets_a_key_for_somebody_else(shared_stage: Stage, admin: AgentClient) -> None:
    """An avatar of the same name is another avatar, and there is no field for one that is there."""
    names = [admin.post("/v1/keys", json={"name": "k", "new_avatar": "anna"}).json() for _ in range(2)]
    assert names[0]["avatar_id"] != names[1]["avatar_id"]
    taken = {"name": "k", "avatar_id": names[0]["avatar_id"]}
    assert admin.post("/v1/keys", json=taken).status_code == 422
    assert admin.post("/v1/keys", json={"name": "k"}).json()["avatar_id"] not in {
        one["avatar_id"] for one in names
    }


@pytest.mark.parametrize(
    "body",
    [{"name": ""}, {"name": "k", "scopes": []}, {"name": "k", "scopes": ["root"]}, {"name": "k" * 201}],
)
def test_what_is_no_key_is_refused(admin: AgentClient, body: dict[str, object]) -> None:
    assert admin.post("/v1/keys", json=body).status_code == 422


def test_keys_of_another_workspace_are_not_there(shared_stage: Stage, url: str, admin: AgentClient) -> None:
    principal, theirs = make_caller(shared_stage.database)
    with shared_stage.database.write() as session:
        writer = make_key(session, principal, "writer", ["write"])
    with shared_stage.database.read() as session:
        query = select(ApiKeyRow.id).where(col(ApiKeyRow.workspace_id) == principal.workspace_id)
        ids = list(session.exec(query).all())
    assert len(ids) == 2
    for key_id in ids:
        assert admin.delete(f"/v1/keys/{key_id}").status_code == 404
    assert not {one["id"] for one in admin.get("/v1/keys").json()["items"]} & set(ids)
    with AgentClient(url, theirs) as client:
        pages = client.get("/v1/keys", params={"limit": 1}).json()
        rest = client.get("/v1/keys", params={"cursor": pages["next_cursor"]}).json()
        assert {one["id"] for one in pages["items"] + rest["items"]} == set(ids)
    with AgentClient(url, writer) as client:
        assert client.post("/v1/keys", json={"name": "more"}).status_code == 403


@pytest.mark.parametrize("odd", ["a\0b", "a\nb", "\x1b[2J", "\x7f"])
@pytest.mark.parametrize("field", ["name", "new_avatar"])
def test_a_name_holds_no_controls(admin: AgentClient, field: str, odd: str) -> None:
    refused = admin.post("/v1/keys", json={"name": "import", field: odd})
    assert refused.status_code == 422


@pytest.mark.parametrize("odd", ["\0", "x" * 40, "01A2"])
def test_what_is_no_id_is_no_key(database: Database, odd: str) -> None:
    caller = make_caller(database)[0]
    with database.write() as session, pytest.raises(NotFound):
        revoke_in_workspace(session, caller, odd, None)
