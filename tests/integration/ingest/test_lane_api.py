"""Who may see and change lanes over HTTP: the operator of the deployment, and nobody else."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from fastapi.testclient import TestClient

from footnote_ingest.app import create_app
from footnote_ingest.hints.queues import Task
from footnote_shared.security.api_keys import make_key
from footnote_testing.workspace import make_caller
from tests.integration.ingest.avatars import Avatar
from tests.integration.ingest.reading_facts import OTHER, RATES, Facts
from tests.integration.ingest.served import Served
from tests.integration.ingest.workshop import paragraphs

ACTS = ("reembed", "switch", "rollback", "cancel", "retire")


@contextmanager
def run_by(served: Served, workspace_id: str) -> Iterator[TestClient]:
    """The application of an operator who has named this workspace, with the key of `served`."""
    settings = served.settings.model_copy(update={"operator_workspace": workspace_id})
    with TestClient(create_app(settings), headers=dict(served.http.headers)) as client:
        yield client


@pytest.fixture
def operator(served: Served) -> Iterator[TestClient]:
    served.upload("tea.txt", paragraphs("green tea").encode())
    served.work()
    with run_by(served, served.principal.workspace_id) as client:
        yield client


def test_the_operator_builds_follows_and_gives_up_a_version(served: Served, operator: TestClient) -> None:
    (lane,) = operator.get("/v1/lanes").json()["items"]
    assert (lane["name"], lane["live"], lane["models"]) == ("document", 1, ["all-MiniLM-L6-v2"])
    refused = operator.post("/v1/lanes/document:reembed", json={"model": "/etc"})
    assert refused.status_code == 422
    begun = operator.post("/v1/lanes/document:reembed", json={"model": "all-MiniLM-L6-v2"})
    assert begun.status_code == 202, begun.text
    assert operator.post("/v1/lanes/document:reembed", json={}).status_code == 409
    version = operator.get("/v1/lanes/document").json()["versions"][0]
    assert (version["number"], version["status"], version["chunks"]) == (2, "building", 0)
    cancelled = operator.post("/v1/lanes/document:cancel")
    assert cancelled.json()["versions"][0]["status"] == "cancelled"
    assert operator.post("/v1/lanes/document:rollback").status_code == 409
    assert operator.get("/v1/lanes/another").status_code == 404
    assert operator.post("/v1/lanes/another:reembed", json={}).status_code == 404


def test_another_workspace_neither_sees_nor_touches_it(served: Served, operator: TestClient) -> None:
    _, key = make_caller(served.workshop.database, "tenant")
    theirs = {"Authorization": f"Bearer {key}"}
    assert operator.get("/v1/lanes", headers=theirs).status_code == 403
    for name in ("document", "another"):
        assert operator.get(f"/v1/lanes/{name}", headers=theirs).status_code == 403
        for act in ACTS:
            answer = operator.post(f"/v1/lanes/{name}:{act}", headers=theirs, json={})
            assert answer.status_code == 403, act
    assert len(operator.get("/v1/lanes/document").json()["versions"]) == 1


def test_a_key_of_the_workspace_needs_to_be_an_administrators(
    served: Served, operator: TestClient, other: Avatar
) -> None:
    theirs = {"Authorization": other.http.headers["Authorization"]}
    assert operator.get("/v1/lanes", headers=theirs).status_code == 403
    assert operator.post("/v1/lanes/document:reembed", headers=theirs, json={}).status_code == 403
    with served.workshop.database.write() as session:
        key = make_key(session, other.principal, "reader", ["read"])
    answer = operator.post("/v1/lanes/document:cancel", headers={"Authorization": f"Bearer {key}"})
    assert answer.status_code == 403


def test_of_several_workspaces_none_may_until_the_operator_names_one(served: Served) -> None:
    make_caller(served.workshop.database, "tenant")
    with run_by(served, "") as client:
        refused = client.get("/v1/lanes")
    assert refused.status_code == 403
    assert "FOOTNOTE_OPERATOR_WORKSPACE" in refused.json()["detail"]


def test_the_request_is_bounded(served: Served, operator: TestClient) -> None:
    for body in (
        {"queries": [{"query": "x"}] * 201},
        {"queries": [{"query": ""}]},
        {"queries": [{"query": "x" * 2001}]},
        {"min_overlap": 1.5},
        {"folder": "/etc"},
        {"model": "x" * 301},
    ):
        assert operator.post("/v1/lanes/document:reembed", json=body).status_code == 422, body
    assert not [task for task, _ in served.workshop.celery.sent if task is Task.LANE]


def test_the_lane_of_facts_is_shown_and_follows_by_itself(served: Served, facts: Facts) -> None:
    document = facts.add("a.txt", RATES)
    facts.add("b.txt", OTHER)
    with run_by(served, served.principal.workspace_id) as operator:

        def version() -> dict[str, Any]:
            (lane,) = [one for one in operator.get("/v1/lanes").json()["items"] if one["name"] == "fact"]
            assert operator.get("/v1/lanes/fact").json() == lane
            assert (lane["follows"], lane["live"]) == ("document", 1)
            (found,) = lane["versions"]
            shown: dict[str, Any] = found
            return shown

        there = version()
        assert (there["status"], there["documents"], there["chunks"]) == ("live", 2, 2)
        assert there.get("reason") is None
        facts.put(document.id, lane_digest="that of the former model")
        behind = version()
        assert (behind["status"], behind["documents_total"], behind["chunks_total"]) == ("building", 2, 2)
        assert behind["reason"] == "1 of 2 documents are read, with 1 facts."
        facts.read()
        assert version() == there
        for act in ACTS:
            refused = operator.post(f"/v1/lanes/fact:{act}", json={})
            assert (refused.status_code, "by itself" in refused.json()["detail"]) == (409, True)
        assert served.as_stranger().get("/v1/lanes/fact").status_code == 403
