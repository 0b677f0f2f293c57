"""`footnote flags`: what a workspace sets for itself, as its admin sees it."""

import json
from typing import Any

import pytest

from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer


def card(name: str, value: Any, source: str = "default", **more: Any) -> dict[str, Any]:
    fallback = {"value": value, "source": "default"}
    return {
        "name": name,
        "value": value,
        "source": source,
        "description": "What it does.",
        "accepts": "some values",
        "fallback": fallback,
        "choices": [],
        **more,
    }


CARDS = [
    card(
        "fusion",
        "rrf",
        "workspace",
        choices=["rrf", "dbsf"],
        fallback={"value": "weighted_blend", "source": "environment"},
    ),
    card("alpha", 0.5),
    card("rrf_k", 60),
    card("hybrid", True),
    card("verification", "report", choices=["report", "off"]),
]


@pytest.fixture
def flagged(server: FakeServer) -> FakeServer:
    server.answers["GET /v1/flags"] = Canned({"version": 3, "items": CARDS})
    for one in CARDS:
        for method in ("PUT", "DELETE"):
            server.answers[f"{method} /v1/flags/{one['name']}"] = Canned({"version": 4, "items": CARDS})
    return server


def test_each_value_is_listed_with_who_decided_it(footnote: Footnote, flagged: FakeServer) -> None:
    done = footnote("flags", url=flagged.url)
    assert done.status == 0
    (line,) = [line for line in done.out.splitlines() if "fusion" in line]
    assert [word for word in line.split() if word.isidentifier()][:3] == ["fusion", "rrf", "workspace"]
    assert "weighted_blend (environment)" in line
    assert "version 3" in done.out


@pytest.mark.parametrize(
    ("name", "typed", "sent"),
    [
        ("fusion", "dbsf", "dbsf"),
        ("alpha", "0.3", 0.3),
        ("alpha", "much", "much"),
        ("alpha", "1e999", "1e999"),
        ("rrf_k", "20", 20),
        ("hybrid", "off", False),
        ("hybrid", "True", True),
        ("hybrid", "perhaps", "perhaps"),
        ("verification", "off", "off"),
    ],
)
def test_a_value_is_sent_in_the_type_of_its_flag(
    footnote: Footnote, flagged: FakeServer, name: str, typed: str, sent: object
) -> None:
    assert footnote("flags", "set", name, typed, "--version", "3", url=flagged.url).status == 0
    (asked,) = flagged.of(f"PUT /v1/flags/{name}")
    assert asked.body == {"value": sent, "version": 3}


def test_a_flag_is_cleared(footnote: Footnote, flagged: FakeServer) -> None:
    done = footnote("flags", "clear", "fusion", "--json", url=flagged.url)
    assert json.loads(done.out)["version"] == 4
    assert [asked.query for asked in flagged.of("DELETE /v1/flags/fusion")] == [""]
    footnote("flags", "clear", "fusion", "--version", "4", url=flagged.url)
    assert flagged.of("DELETE /v1/flags/fusion")[-1].query == "version=4"


def test_a_misspelt_flag_is_told_the_nearest(footnote: Footnote, flagged: FakeServer) -> None:
    done = footnote("flags", "set", "fussion", "rrf", url=flagged.url)
    assert done.status != 0
    assert "Did you mean fusion?" in done.err


def test_the_log_says_who_changed_what(footnote: Footnote, server: FakeServer) -> None:
    entry = {
        "id": "e1",
        "at": "2026-11-22T10:00:00.000Z",
        "avatar_id": "anna",
        "action": "flag.set",
        "subject": "hybrid",
        "before": None,
        "after": False,
    }
    server.answers["GET /v1/audit"] = Canned({"items": [entry], "next_cursor": None})
    done = footnote("flags", "log", "--limit", "5", url=server.url)
    assert done.status == 0
    for told in ("2026-11-22T10:00:00.000Z", "anna", "flag.set hybrid", "false"):
        assert told in done.out
    server.answers["GET /v1/audit"] = Canned({"items": [entry | {"avatar": "Anna Meyer"}]})
    assert "Anna Meyer" in footnote("flags", "log", url=server.url).out
    assert server.of("GET /v1/audit")[0].query.startswith("limit=5&action=flag.set")
    server.answers["GET /v1/audit"] = Canned({"items": []})
    assert "Nothing was changed yet." in footnote("flags", "log", url=server.url).out


def test_why_a_value_is_refused_is_said_once(footnote: Footnote, flagged: FakeServer) -> None:
    said = "The flag alpha takes auto or a number from 0 to 1."
    wrong = [{"field": "value", "message": said}, {"field": "version", "message": "is too old"}]
    problem = {"status": 422, "detail": f"Not valid: value. {said}", "errors": wrong}
    flagged.answers["PUT /v1/flags/alpha"] = Canned(problem, 422)
    done = footnote("flags", "set", "alpha", "2", url=flagged.url)
    assert done.status == 2
    assert done.err.count(said) == 1
    assert "version: is too old" in done.err
