"""A person is deleted: nobody comes in as them, nothing of theirs is left, and nobody else loses anything."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
from sqlalchemy import insert, update
from sqlmodel import col

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.maintenance import erased_rows
from footnote_ingest.maintenance.close_avatar import close_avatar
from footnote_ingest.maintenance.erase_avatar import STAYS, sweep_avatars
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.store.workspace_rows import rows_of_avatar
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict, Unauthenticated
from footnote_shared.kernel.ids import new_id
from footnote_shared.redis import keys
from footnote_shared.redis.connection import connect
from footnote_shared.security.api_keys import make_key
from footnote_shared.security.avatars import avatar_id_of, avatar_of_subject
from footnote_testing.redis_process import RedisProcess
from tests.integration.ingest.parting import Parting
from tests.integration.ingest.served import Served
from tests.integration.ingest.whole_database import DEPLOYMENT, naming, tables, texts

on_one_database = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
"""What does not depend on the database."""

OF_WORKSPACE = frozenset(
    {
        "avatar_deletions",
        "flag_overrides",
        "folders",
        "index_generations",
        "lane_queries",
        "presets",
        "rechunk_requests",
        "recorded_queries",
        "tool_servers",
        "tool_switches",
        "workspace_keys",
    }
)
"""Tables of a workspace that say of no row whose it is. Whoever adds one says so."""

TOLD = ("audit_log", "avatar_deletions", "avatars", "index_generations")


@pytest.fixture
def parting(served: Served, redis_server: RedisProcess) -> Iterator[Parting]:
    found = Parting.of(served, connect(redis_server.url))
    for of in (found.leaves, found.stays, found.elsewhere):
        found.add(f"own-{of.avatar_id[-4:]}.txt", of)
        found.add(f"shared-{of.avatar_id[-4:]}.txt", of, "workspace")
    served.work()
    yield found
    found.redis.close()


def test_nothing_of_the_person_is_left_and_nobody_else_loses_anything(parting: Parting) -> None:
    database, leaves = parting.workshop.database, parting.leaves
    with database.read() as session:
        connection = session.connection()
        found = {table.name for table in rows_of_avatar(connection, leaves.avatar_id, STAYS, {})}
        # A new table without a column `avatar_id` has to hang on one that has it, or be named above.
        every = {table.name for table in tables(connection)}
        assert found | STAYS | OF_WORKSPACE | DEPLOYMENT | {"avatars"} == every
    parting.plant(parting.elsewhere, 2)
    parting.plant(parting.stays, 2)
    parting.plant(leaves, 2, first=2)
    with database.write() as session:
        # What the resolver keeps of a turn names the conversation, without a key of the database.
        conversations = naming_conversations(session.connection(), leaves.avatar_id)
        turn_streams = next(one for one in tables(session.connection()) if one.name == "turn_streams")
        session.connection().execute(
            insert(turn_streams),
            [
                {
                    "turn_id": new_id(),
                    "workspace_id": leaves.workspace_id,
                    "conversation_id": one,
                    "status": "completed",
                    "started_at": now(),
                }
                for one in conversations
            ],
        )
    turns = [row.split("'")[1] for row in texts(database)["turns"] if leaves.avatar_id in row]
    for turn in turns:
        parting.redis.set(keys.turn_events(turn), "kept")
    parting.redis.set(keys.rate("avatar", leaves.avatar_id), "1")
    own = [row for row in texts(database)["documents"] if leaves.avatar_id in row]
    (kept,) = [row.split("'")[1] for row in own if "shared-" in row]
    before = texts(database, *TOLD)
    points = parting.workshop.lane.count_workspace(leaves.workspace_id)
    blobs = {entry.key for entry in parting.workshop.blobs.list("")}

    asked = parting.delete()
    assert asked.status_code == 202, asked.text
    assert parting.as_whom(parting.leaves_key) == 401, "the key opens nothing from the answer on"
    receipt = parting.to_its_end()

    audited = naming(database, leaves.avatar_id)
    assert audited.keys() == {"avatar_deletions", "audit_log"}
    assert not naming(database, "'anna'"), "the name goes with the person"
    after = texts(database, *TOLD)
    whose = {leaves.avatar_id, *conversations, *turns, *(row.split("'")[1] for row in own)}
    for name, rows in before.items():
        lost = set(rows) - set(after[name])
        others = (parting.stays.avatar_id, parting.elsewhere.workspace_id)
        assert not [row for row in lost if any(one in row for one in others)], name
        if name in OF_WORKSPACE - {"recorded_queries"}:
            assert not lost, name
    # Of these nobody can tell who asked them.
    assert {row for row in before["recorded_queries"] if parting.elsewhere.workspace_id in row} == set(
        after["recorded_queries"]
    )
    assert not [row for row in after["turn_streams"] if any(one in row for one in conversations)]
    assert not [
        row for name in ("chunks", "facts", "turns") for row in after[name] if leaves.avatar_id in row
    ]
    (still,) = [row for row in after["documents"] if kept in row]
    assert leaves.avatar_id not in still
    assert receipt.kept == 1
    assert receipt.removed.rows["documents"] == len(own) - 1
    assert receipt.removed.rows["avatars"] >= 1
    assert receipt.removed.vectors > 0
    assert parting.workshop.lane.count_workspace(leaves.workspace_id) == points - receipt.removed.vectors
    gone = blobs - {entry.key for entry in parting.workshop.blobs.list("")}
    assert len(gone) == receipt.removed.blobs + receipt.removed.originals
    assert not [key for key in gone if parting.elsewhere.workspace_id in key]
    assert not [name for name in parting.redis.scan_iter() if any(one in str(name) for one in whose)]
    assert parting.titles(parting.stays_key) >= {f"shared-{leaves.avatar_id[-4:]}.txt"}
    assert parting.as_whom(parting.stays_key) == 200
    assert len([row for row in texts(database)["audit_log"] if "avatar.deleted" in row]) == 1
    again = parting.delete().json()
    assert (again["asked_at"], bool(again["gone_at"])) == (asked.json()["asked_at"], True)


def naming_conversations(connection: Any, avatar_id: str) -> list[str]:
    table = next(one for one in tables(connection) if one.name == "conversations")
    return [row.id for row in connection.execute(table.select().where(table.c.avatar_id == avatar_id))]


@on_one_database
def test_only_an_admin_may_by_the_name_and_not_themselves_nor_what_is_held(parting: Parting) -> None:
    listed = {one["name"]: one for one in parting.admin.get("/v1/avatars").json()["items"]}
    assert listed.keys() == {"admin", "anna", "bert"}
    assert (listed["anna"]["keys"], listed["anna"]["connectors"]) == (1, 0)
    for method, path in (
        ("GET", "/v1/avatars"),
        ("DELETE", parting.path),
        ("GET", f"{parting.path}/receipt"),
    ):
        headers = {"Authorization": f"Bearer {parting.stays_key}"}
        answer = parting.admin.request(method, path, params={"name": "anna"}, headers=headers)
        assert answer.status_code == 403, path
    stranger = parting.served.as_stranger()
    assert stranger.delete(parting.path, params={"name": "anna"}).status_code == 404
    own = f"/v1/avatars/{parting.served.principal.avatar_id}"
    assert parting.admin.delete(own, params={"name": "admin"}).status_code == 409
    assert parting.delete("Anna").status_code == 422
    assert parting.admin.delete(parting.path).status_code == 422
    assert parting.delete(shared="perhaps").status_code == 422
    for nobodys in (new_id(), "%00"):
        assert parting.admin.delete(f"/v1/avatars/{nobodys}", params={"name": "x"}).status_code == 404
    assert parting.admin.get(f"{parting.path}/receipt").status_code == 404

    with parting.workshop.database.write() as session:
        own_key = make_key(session, parting.leaves, "own", ["admin"])
    mine = {"Authorization": f"Bearer {own_key}"}
    found = parting.admin.get("/v1/documents", params={"mine": "true"}, headers=mine).json()["items"]
    by_name = {one["filename"].partition("-")[0]: f"/v1/documents/{one['id']}" for one in found}

    def hold(which: str, *, held: bool) -> None:
        answer = parting.admin.patch(by_name[which], json={"legal_hold": held}, headers=mine)
        assert answer.status_code == 200, answer.text

    for which, shared in (("own", "keep"), ("shared", "delete")):
        hold(which, held=True)
        answer = parting.delete(shared=shared)
        assert (answer.status_code, answer.json()["code"]) == (409, "legal_hold")
        assert parting.as_whom(parting.leaves_key) == 200, "nothing was done"
        hold(which, held=False)
    hold("shared", held=True)
    assert parting.delete().status_code == 202, "what is held stays anyway"
    listed = {one["name"]: one for one in parting.admin.get("/v1/avatars").json()["items"]}
    assert listed["anna"]["deletion_asked_at"]
    assert listed["anna"]["keys"] == 0
    assert stranger.get(f"{parting.path}/receipt").status_code == 404
    with parting.workshop.database.write() as session, pytest.raises(Conflict):
        make_key(session, parting.leaves, "too late", ["read"])


@pytest.mark.parametrize("last", [False, True])
def test_of_two_admins_who_delete_one_another_at_once_one_stays(parting: Parting, last: bool) -> None:
    workshop = parting.workshop
    rights = frozenset({"admin"})
    pair = [one.model_copy(update={"scopes": rights}) for one in (parting.leaves, parting.stays)]

    def ask(caller: Principal, other: Principal, name: str) -> str:
        # The key was good when the request came, as it is when both come at once.
        try:
            with workshop.database.write() as session:
                dispatcher = Dispatcher(workshop.celery)
                close_avatar(session, dispatcher, workshop.policy, caller, other.avatar_id, name, "keep")
        except Unauthenticated:
            return "refused"
        return "asked"

    asks = [(pair[0], pair[1], "bert"), (pair[1], pair[0], "anna")]
    with ThreadPoolExecutor(2) as both:
        found = list(both.map(lambda one: ask(*one), reversed(asks) if last else asks))
    assert sorted(found) == ["asked", "refused"]
    assert sorted(parting.as_whom(key) for key in (parting.leaves_key, parting.stays_key)) == [200, 401]


@on_one_database
def test_connectors_go_with_what_they_brought_and_shared_documents_if_asked(parting: Parting) -> None:
    database, leaves, stays = parting.workshop.database, parting.leaves, parting.stays
    ids = {}
    for of in (leaves, stays):
        row = ConnectorRow(
            workspace_id=of.workspace_id,
            avatar_id=of.avatar_id,
            kind="push",
            name=f"wiki of {of.avatar_id[-4:]}",
            folder="/wiki",
            config={},
            credentials="sealed",
            hook_secret="sealed",
        )
        ids[of.avatar_id] = row.id
        with database.write() as session:
            session.add(row)
        brought = parting.add(f"brought-{of.avatar_id[-4:]}.txt", of, "workspace")
        with database.write() as session:
            mine = col(DocumentRow.id) == brought
            session.exec(update(DocumentRow).where(mine).values(connector_id=row.id))
    parting.served.work()
    end = leaves.avatar_id[-4:]
    seen = parting.titles(parting.stays_key)
    assert {f"shared-{end}.txt", f"brought-{end}.txt"} <= seen

    assert parting.delete(shared="delete").status_code == 202
    assert parting.titles(parting.stays_key) == seen - {f"shared-{end}.txt", f"brought-{end}.txt"}
    with database.read() as session:
        closed = session.get(ConnectorRow, ids[leaves.avatar_id])
        assert closed is not None
        assert (closed.credentials, closed.hook_secret) == (None, "")
        live = session.get(ConnectorRow, ids[stays.avatar_id])
        assert live is not None
        assert live.credentials == "sealed"
    receipt = parting.to_its_end()
    assert (receipt.shared, receipt.kept) == ("delete", 0)
    assert receipt.removed.rows["connectors"] == 1
    assert receipt.removed.rows["documents"] == 3
    assert naming(database, leaves.avatar_id).keys() == {"avatar_deletions", "audit_log"}


@on_one_database
def test_a_dead_worker_is_followed_by_another_and_what_comes_late_goes_too(
    parting: Parting, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, leaves = parting.workshop.database, parting.leaves
    parting.plant(leaves, 5)
    monkeypatch.setattr(erased_rows, "AT_ONCE", 2)
    expected = sum(leaves.avatar_id in row for row in texts(database)["messages"])
    parting.delete()
    parting.settle()
    for dies_at in (2, 3, 5, 8):
        moments = count()

        def clock(last: int = dies_at, moments: Iterator[int] = moments) -> float:
            if next(moments) == last:
                raise KeyboardInterrupt
            return 0.0

        parting.as_if_later()
        with pytest.raises(KeyboardInterrupt):
            parting.erase(clock=clock)
        assert not parting.erase(), "the lease of the dead one holds"
    parting.as_if_later()
    parting.workshop.lose_messages()
    work = parting.workshop.work()
    assert sweep_avatars(work.database, Dispatcher(parting.workshop.celery), work.policy) == 1
    assert parting.workshop.celery.sent == [(Task.ERASE_AVATAR, leaves.avatar_id)]
    parting.as_if_later()
    ends = count()
    while parting.erase(slice_s=0.0, clock=lambda: float(next(ends))):
        # Each portion is a slice of its own.
        assert next(ends) < 10_000
        if parting.receipt().removed.rows.get("avatars"):
            break
    assert parting.receipt().removed.rows["messages"] == expected

    late = parting.add("late.txt", leaves)
    receipt = parting.to_its_end()
    assert naming(database, leaves.avatar_id).keys() == {"avatar_deletions", "audit_log"}
    assert not [row for row in texts(database)["documents"] if late in row]
    assert receipt.removed.rows["messages"] == expected, "nothing is counted twice"
    parting.as_if_later()
    parting.erase()
    parting.as_if_later()
    assert not parting.erase(), "the last look was taken"


@on_one_database
def test_a_person_of_an_issuer_comes_in_again_as_somebody_new_when_all_is_gone(
    parting: Parting,
) -> None:
    database, workspace_id = parting.workshop.database, parting.leaves.workspace_id

    async def come_in() -> Principal:
        return await avatar_of_subject(
            database,
            workspace_id=workspace_id,
            issuer="https://issuer.example",
            subject="carla",
            scopes=frozenset({"read", "write"}),
            groups=(),
        )

    def again() -> Principal:
        assert parting.admin.portal is not None
        return parting.admin.portal.call(come_in)

    parting.leaves = again()
    assert parting.leaves.avatar_id == avatar_id_of(workspace_id, "https://issuer.example", "carla")
    first = parting.add("first.txt", parting.leaves)
    parting.served.work()
    for round_number in range(2):
        asked = parting.delete("carla")
        assert asked.status_code == 202, asked.text
        with pytest.raises(Unauthenticated):
            again()
        receipt = parting.to_its_end()
        assert receipt.removed.rows.get("documents", 0) == (1 if round_number == 0 else 0)
        with pytest.raises(Unauthenticated):
            again()
        parting.as_if_later()
        parting.erase()
        assert again() == parting.leaves
        assert not [row for row in texts(database)["documents"] if first in row]
