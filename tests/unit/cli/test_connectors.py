"""`footnote connect` and `footnote connectors`."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from footnote_cli.connector_answers import question
from footnote_shared.contracts.connector_kinds import KIND_FIELDS
from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer, problem

ID = "01a2019d-8c73-73bb-9af3-d3a64e8615d8"
RUN_ID = "01a2019d-9c73-73bb-9af3-d3a64e86aaaa"
CONNECTOR: dict[str, Any] = {
    "id": ID,
    "kind": "web",
    "name": "docs.example [x]",
    "status": "active",
    "documents": {"indexed": 3, "queued": 1},
    "problem": None,
    "webhook_url": f"http://footnote.test/v1/webhooks/{ID}",
    "webhook_secret": "whsec_once",
}
RUN: dict[str, Any] = {
    "id": RUN_ID,
    "status": "running",
    "trigger": "creation",
    "started_at": "2026-11-21T10:00:00Z",
    "seen": 0,
    "new": 0,
    "errors": [],
}
DONE = {
    **RUN,
    "status": "succeeded",
    "seen": 3,
    "new": 2,
    "skipped": 1,
    "errors": [{"item": "x.mp4", "outcome": "skipped", "reason": "It is a film."}],
}
PREVIEW = {
    "items": [
        {"id": "https://docs.example/a", "title": "A [b]", "folder": "guide", "left_out": None},
        {"id": "https://docs.example/s", "title": None, "folder": "", "left_out": "robots.txt"},
    ],
    "more": True,
    "problem": None,
}
MAKE = ("connect", "web", "--set", "url=https://docs.example/", "--set", "max_pages=50", "--yes")


def live(*runs: dict[str, Any]) -> Canned:
    return Canned("".join(f"event: run\ndata: {json.dumps(run)}\n\n" for run in runs))


@pytest.fixture
def ready(server: FakeServer) -> FakeServer:
    server.answers |= {
        "POST /v1/connectors:preview": Canned(PREVIEW),
        "POST /v1/connectors": Canned(CONNECTOR, 201),
        "GET /v1/connectors": Canned({"items": [CONNECTOR]}),
        f"GET /v1/connectors/{ID}/runs": live(RUN, {**RUN, "seen": 2, "new": 2}, DONE),
        f"POST /v1/connectors/{ID}:sync": Canned({"run_id": RUN_ID}, 202),
    }
    return server


class Terminal(io.StringIO):
    """What somebody types at a terminal."""

    def isatty(self) -> bool:
        return True


class TestAsking:
    def test_asks_until_an_answer_fits_and_tells_what_enter_means(
        self, footnote: Footnote, ready: FakeServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        typed = ["https://docs.example/", "many", "50", "perhaps", "", "often", "6h", "y"]
        monkeypatch.setattr("sys.stdin", Terminal("\n".join(typed) + "\n"))
        done = footnote("connect", "web", url=ready.url)
        assert done.status == 0
        (made,) = ready.of("POST /v1/connectors")
        assert made.body == {
            "kind": "web",
            "name": "docs.example",
            "config": {"url": "https://docs.example/", "max_pages": 50},
            "schedule": "6h",
        }
        for told in ("Enter: 500", "yes or no", "Enter: no)", "valid integer", "no time such as 15m"):
            assert told in done.err, told

    def test_what_does_not_work_is_asked_for_again_and_the_rest_is_kept(
        self, footnote: Footnote, ready: FakeServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An address with a wrong letter costs none of the other answers, nor a secret."""
        wrong = [{"field": "config.url", "message": "is no address"}]
        replies = iter(
            [
                Canned({"status": 422, "detail": "Not valid: config.url.", "errors": wrong}, 422),
                Canned({"items": [], "more": False, "problem": "The site answers 403."}),
                Canned(PREVIEW),
            ]
        )
        ready.answers["POST /v1/connectors:preview"] = lambda asked: next(replies)
        typed = ["https://dosc.example/", "50", "", "6h"]
        typed += ["y", "https://docs.example/"]
        typed += ["y", "", "60", "", "y"]
        monkeypatch.setattr("sys.stdin", Terminal("\n".join(typed) + "\n"))
        done = footnote("connect", "web", url=ready.url)
        assert done.status == 0, done.err
        (made,) = ready.of("POST /v1/connectors")
        assert made.body == {
            "kind": "web",
            "name": "docs.example",
            "config": {"url": "https://docs.example/", "max_pages": 60},
            "schedule": "6h",
        }
        for told in ("config.url is no address", "answers 403", "Enter: as before", "[50]"):
            assert told in done.err, told

    def test_who_does_not_answer_again_makes_nothing(
        self, footnote: Footnote, ready: FakeServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ready.answers["POST /v1/connectors:preview"] = Canned({"items": [], "problem": "Make another token."})
        monkeypatch.setattr("sys.stdin", Terminal("https://docs.example/\n\n\n\nn\n"))
        assert footnote("connect", "web", url=ready.url).status == 1
        assert ready.of("POST /v1/connectors") == []

    def test_a_field_with_choices_names_them(self) -> None:
        models = {kind: KIND_FIELDS[kind][0].model_fields for kind in ("github", "slack")}
        parts = question("parts", models["github"]["parts"])
        assert parts.endswith("files, issues, pulls, divided by commas; Enter: files, issues, pulls)")
        assert question("branch", models["github"]["branch"]) == (
            "branch (Enter: the branch that GitHub shows first)"
        )
        channels = question("channels", models["slack"]["channels"])
        assert channels == (
            "channels (Names or ids of channels, divided by commas; Enter: all that the app is in)"
        )


class TestConnect:
    def test_shows_the_first_items_then_makes_it_and_follows_its_sync(
        self, footnote: Footnote, ready: FakeServer
    ) -> None:
        done = footnote(*MAKE, "--schedule", "1d", url=ready.url)
        assert done.status == 0
        asked = {"url": "https://docs.example/", "max_pages": 50}
        body = {"kind": "web", "name": "docs.example", "config": asked, "schedule": "1d"}
        (made,) = ready.of("POST /v1/connectors")
        assert made.body == ready.of("POST /v1/connectors:preview")[0].body == body
        assert "https://docs.example/a  guide   A [b]" in done.out
        assert "and more" in done.out
        assert "running, 2 seen, 2 new" in done.err
        assert "succeeded, 3 seen, 2 new, 1 skipped" in done.out
        assert "skipped: x.mp4: It is a film." in done.out
        assert "whsec_once" in done.out

    def test_makes_nothing_of_what_does_not_work(self, footnote: Footnote, ready: FakeServer) -> None:
        ready.answers["POST /v1/connectors:preview"] = Canned({"items": [], "problem": "Make another token."})
        done = footnote(*MAKE, url=ready.url)
        assert (done.status, "Make another token." in done.err) == (1, True)
        assert ready.of("POST /v1/connectors") == []

    def test_takes_a_secret_from_a_file(self, footnote: Footnote, ready: FakeServer, tmp_path: Path) -> None:
        (tmp_path / "token").write_text("t0ken\n")
        words = ("connect", "github", "--set", "repository=team/wiki", "--set", "parts=files,issues")
        footnote(*words, "--credential", "token=@token", "--yes", url=ready.url)
        (made,) = ready.of("POST /v1/connectors")
        assert made.body["credentials"] == {"token": "t0ken"}
        assert made.body["config"]["parts"] == ["files", "issues"]
        assert made.body["name"] == "team/wiki"

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("connect",), "slack, notion, confluence, jira, imap, objects, google_drive, push"),
            (("connect", "sharepoint"), "There is no kind"),
            (("connect", "web", "--yes"), "--set url=VALUE"),
            (("connect", "web", "--set", "adress=x"), "url, max_pages, follow_links"),
            (("connect", "web", "--set", "url=https://x.example", "--set", "max_pages=many"), "max_pages"),
            (("connect", "rss", "--set", "url=https://x.example"), "--yes"),
            (("connect", "slack", "--yes"), "--credential token=VALUE"),
        ],
    )
    def test_says_what_is_missing_where_nobody_can_be_asked(
        self, footnote: Footnote, ready: FakeServer, words: tuple[str, ...], said: str
    ) -> None:
        done = footnote(*words, url=ready.url)
        assert done.status == 2
        assert said in done.err
        assert ready.of("POST /v1/connectors") == []

    def test_the_token_of_its_system_is_printed_once(self, footnote: Footnote, ready: FakeServer) -> None:
        taken = {"verification_token": "secret_x[y]", "offered_at": "2026-11-21T10:00:00Z"}
        ready.answers[f"POST /v1/connectors/{ID}:handshake"] = Canned(taken)
        done = footnote("connectors", "handshake", "docs.example [x]", url=ready.url)
        assert (done.status, "secret_x[y]" in done.out) == (0, True)

    def test_a_first_sync_that_fails_is_1(self, footnote: Footnote, ready: FakeServer) -> None:
        failed = {**RUN, "status": "failed", "reason": "There is no feed at this address."}
        ready.answers[f"GET /v1/connectors/{ID}/runs"] = live(RUN, failed)
        done = footnote(*MAKE, url=ready.url)
        assert done.status == 1
        assert "failed: There is no feed at this address." in done.out


class TestConnectors:
    def test_are_listed_with_what_their_owners_have_to_do(
        self, footnote: Footnote, ready: FakeServer
    ) -> None:
        failing = {**CONNECTOR, "status": "failing", "problem": "Make another token."}
        ready.answers["GET /v1/connectors"] = Canned({"items": [failing]})
        lines = footnote("connectors", url=ready.url).out.splitlines()
        assert lines[-1].split() == [
            "4e8615d8",
            "web",
            "failing",
            "4",
            "docs.example",
            "[x]",
            "Make",
            "another",
            "token.",
        ]

    def test_one_runs_by_its_name_and_is_followed(self, footnote: Footnote, ready: FakeServer) -> None:
        done = footnote("connectors", "run", "docs.example [x]", url=ready.url)
        assert done.status == 0
        assert ready.of(f"POST /v1/connectors/{ID}:sync")[0].body == {}
        assert "succeeded, 3 seen" in done.out

    def test_what_was_held_is_confirmed_by_its_run(self, footnote: Footnote, ready: FakeServer) -> None:
        def runs(asked: Any) -> Canned:
            held = {**DONE, "status": "held", "reason": "9 of 9 documents are gone."}
            return live(held) if "event-stream" in str(asked.headers) else Canned({"items": [held]})

        ready.answers[f"GET /v1/connectors/{ID}/runs"] = runs
        done = footnote("connectors", "run", "4e8615d8", "--confirm", "4e86aaaa", url=ready.url)
        assert ready.of(f"POST /v1/connectors/{ID}:sync")[0].body == {"confirm_deletions_of": RUN_ID}
        assert done.status == 1
        assert f"--confirm {RUN_ID}" in done.out

    def test_one_is_shown_with_its_last_reports(self, footnote: Footnote, ready: FakeServer) -> None:
        ready.answers[f"GET /v1/connectors/{ID}/runs"] = Canned({"items": [DONE]})
        done = footnote("connectors", "show", "4e8615d8", url=ready.url)
        assert "succeeded, 3 seen, 2 new, 1 skipped" in done.out

    def test_one_is_paused_goes_on_and_is_deleted(self, footnote: Footnote, ready: FakeServer) -> None:
        ready.answers[f"PATCH /v1/connectors/{ID}"] = Canned(CONNECTOR)
        ready.answers[f"DELETE /v1/connectors/{ID}"] = Canned(
            {**CONNECTOR, "documents": {"deleting": 4}}, 202
        )
        footnote("connectors", "pause", "4e8615d8", url=ready.url)
        footnote("connectors", "resume", "4e8615d8", url=ready.url)
        paused = [asked.body for asked in ready.of(f"PATCH /v1/connectors/{ID}")]
        assert paused == [{"paused": True}, {"paused": False}]
        asked = footnote("connectors", "delete", "4e8615d8", url=ready.url)
        assert (asked.status, "its 4 documents" in asked.err) == (2, True)
        done = footnote("connectors", "delete", "4e8615d8", "--yes", url=ready.url)
        assert "with 4 documents" in done.out

    def test_one_that_is_not_there_is_2(self, footnote: Footnote, ready: FakeServer) -> None:
        assert footnote("connectors", "run", "Handbook", url=ready.url).status == 2
        ready.answers["GET /v1/connectors"] = problem(403, "Not with this key.")
        assert footnote("connectors", url=ready.url).status == 1


def test_an_empty_list_says_how_to_make_one(server: FakeServer, footnote: Footnote) -> None:
    server.answers["GET /v1/connectors"] = Canned({"items": []})
    done = footnote("connectors", url=server.url)
    assert done.status == 0
    assert "footnote connect" in done.out
