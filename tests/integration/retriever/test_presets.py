"""Presets over HTTP, and their rows on both databases."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlmodel import col, select

from footnote_retriever.store.presets import MAX_PRESETS, find_preset, list_presets, put_preset
from footnote_retriever.store.tables import PresetRow
from footnote_shared.contracts.search import Preset
from footnote_shared.db.engine import Database
from footnote_shared.db.tables import AuditRow
from footnote_shared.kernel.errors import Conflict
from footnote_shared.security.api_keys import make_key
from footnote_testing.library import Book
from footnote_testing.workspace import make_caller
from tests.integration.retriever.conftest import Stack, User

BUILT_IN = ["default", "fast", "high_recall", "precise"]


def names(user: User) -> list[str]:
    return [preset["name"] for preset in user.http.get("/v1/presets").json()["items"]]


def test_a_preset_is_made_used_replaced_and_removed(stack: Stack, user: User) -> None:
    stack.add(user.principal, *(Book(f"tea {n}", [f"Tea number {n}."]) for n in range(5)))
    assert names(user) == BUILT_IN
    made = user.http.put("/v1/presets/mine", json={"settings": {"top_k": 2, "fusion": "dbsf"}})
    assert (made.status_code, made.json()) == (
        200,
        {"name": "mine", "settings": {"top_k": 2, "fusion": "dbsf"}, "built_in": False},
    )
    assert names(user) == [*BUILT_IN, "mine"]
    result = user.search("tea", preset="mine")
    assert (len(result["passages"]), result["preset"], result["settings"]["fusion"]) == (2, "mine", "dbsf")
    assert user.search("tea", preset="mine", settings={"top_k": 3})["settings"]["top_k"] == 3
    user.http.put("/v1/presets/mine", json={"settings": {"top_k": 1}})
    assert user.http.get("/v1/presets/mine").json()["settings"] == {"top_k": 1}
    assert len(user.search("tea", preset="mine")["passages"]) == 1
    assert user.http.delete("/v1/presets/mine").status_code == 204
    assert user.http.delete("/v1/presets/mine").status_code == 404
    assert user.http.get("/v1/presets/mine").status_code == 404
    assert user.http.post("/v1/search", json={"query": "tea", "preset": "mine"}).status_code == 422


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_presets_can_be_used_and_not_changed(user: User, name: str) -> None:
    assert user.search("tea", preset=name)["preset"] == name
    assert user.http.get(f"/v1/presets/{name}").json()["built_in"] is True
    assert user.http.put(f"/v1/presets/{name}", json={"settings": {}}).status_code == 409
    assert user.http.delete(f"/v1/presets/{name}").status_code == 409


def test_settings_that_are_not_valid_are_not_stored(user: User) -> None:
    response = user.http.put("/v1/presets/mine", json={"settings": {"topk": 2}})
    assert response.status_code == 422
    assert response.json()["errors"][0]["field"] == "settings.topk"
    assert names(user) == BUILT_IN


def test_a_preset_may_say_what_happens_to_an_answer(stack: Stack, user: User) -> None:
    stack.add(user.principal, Book("tea", ["Tea."]))
    settings = {"top_k": 2, "verification": "drop", "injection": "always"}
    assert user.http.put("/v1/presets/strict", json={"settings": settings}).json()["settings"] == settings
    assert user.search("tea", preset="strict")["settings"]["top_k"] == 2
    refused = user.http.put("/v1/presets/strict", json={"settings": {"verification": "shred"}})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "settings.verification")
    assert user.http.get("/v1/presets/strict").json()["settings"] == settings
    assert (
        user.http.post("/v1/search", json={"query": "tea", "settings": {"verification": "drop"}}).status_code
        == 422
    )


@pytest.mark.parametrize("name", ["Mine", "1st", "a b", "x" * 64, "%00", "../default", "%F0%9F%8D%B7"])
def test_names_are_plain(user: User, name: str) -> None:
    assert user.http.put(f"/v1/presets/{name}", json={"settings": {}}).status_code in (404, 405, 409, 422)
    assert user.http.get(f"/v1/presets/{name}").status_code in (404, 200)
    assert names(user) == BUILT_IN


def test_presets_belong_to_a_workspace(stack: Stack, user: User) -> None:
    user.http.put("/v1/presets/mine", json={"settings": {"top_k": 2}})
    stranger = stack.user()
    assert stranger.http.get("/v1/presets/mine").status_code == 404
    assert stranger.http.delete("/v1/presets/mine").status_code == 404
    assert stranger.http.post("/v1/search", json={"query": "x", "preset": "mine"}).status_code == 422
    assert names(user) == [*BUILT_IN, "mine"]


def test_a_key_that_only_reads_changes_no_preset(stack: Stack, user: User) -> None:
    with stack.database.write() as session:
        key = make_key(session, user.principal, "reader", ["read"])
    headers = {"Authorization": f"Bearer {key}"}
    assert user.http.get("/v1/presets", headers=headers).status_code == 200
    assert user.http.put("/v1/presets/mine", json={"settings": {}}, headers=headers).status_code == 403
    assert user.http.delete("/v1/presets/mine", headers=headers).status_code == 403


def test_twins_that_make_the_same_preset_make_one(database: Database) -> None:
    owner, _ = make_caller(database)

    def make(number: int) -> Preset:
        with database.write() as session:
            return put_preset(session, owner, "mine", {"top_k": number + 1})

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(make, range(8)))
    with database.read() as session:
        assert find_preset(session, owner, "mine") in made
        assert len(session.exec(select(PresetRow)).all()) == 1


def test_a_workspace_has_a_bounded_number_of_presets(database: Database) -> None:
    owner, _ = make_caller(database)
    with database.write() as session:
        for number in range(MAX_PRESETS):
            put_preset(session, owner, f"p{number}", {})
    with pytest.raises(Conflict), database.write() as session:
        put_preset(session, owner, "one-more", {})
    with database.write() as session:
        put_preset(session, owner, "p0", {"top_k": 1})
    with database.read() as session:
        assert len(list_presets(session, owner)) == MAX_PRESETS


def test_what_a_preset_was_and_became_is_in_the_audit_log(stack: Stack, user: User) -> None:
    for top_k in (2, 3):
        assert user.http.put("/v1/presets/noted", json={"settings": {"top_k": top_k}}).is_success
    assert user.http.delete("/v1/presets/noted").is_success
    with stack.database.read() as session:
        rows = session.exec(
            select(AuditRow).where(AuditRow.subject == "noted").order_by(col(AuditRow.id))
        ).all()
    assert [(row.action, row.before, row.after) for row in rows] == [
        ("preset.set", None, {"top_k": 2}),
        ("preset.set", {"top_k": 2}, {"top_k": 3}),
        ("preset.deleted", {"top_k": 3}, None),
    ]
