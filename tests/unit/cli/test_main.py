"""`footnote` finds its commands, explains them, and says by its exit status who must act."""

import json

import pytest

from footnote_cli.commands_list import COMMANDS
from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer, problem

GROUPS = {
    "docs": ["show", "delete", "receipt", "hold", "retry"],
    "connectors": ["show", "run", "pause", "resume", "delete"],
    "automations": ["make", "show", "change", "run", "pause", "resume", "delete"],
    "keys": ["make", "list", "revoke"],
    "eval": ["citations"],
}
NOBODY = "http://127.0.0.1:9"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_an_example(footnote: Footnote, name: str) -> None:
    done = footnote(name, "--help")
    assert done.status == 0
    assert f"Example: footnote {name}" in done.out
    assert done.out == footnote(name, "-h").out


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "eval"])
def test_every_command_says_what_its_exit_status_means(footnote: Footnote, name: str) -> None:
    assert "Exit status: 0 " in footnote(name, "--help").out


@pytest.mark.parametrize(("name", "inner"), [(name, inner) for name in GROUPS for inner in GROUPS[name]])
def test_commands_within_a_command_explain_themselves(footnote: Footnote, name: str, inner: str) -> None:
    done = footnote(name, inner, "--help")
    assert done.status == 0
    assert f"footnote {name} {inner}" in done.out


def test_the_list_names_every_command(footnote: Footnote) -> None:
    done = footnote("--help")
    assert done.status == 0
    assert all(f"  {name} " in done.out for name in COMMANDS)
    assert footnote("help").out == done.out
    assert footnote().status == 2


def test_the_version_is_named(footnote: Footnote) -> None:
    done = footnote("--version")
    assert done.status == 0
    assert done.out.startswith("footnote 0.")


def test_a_misspelt_command_is_answered_with_the_nearest(footnote: Footnote) -> None:
    done = footnote("serach", "gulls")
    assert done.status == 2
    assert "Did you mean `footnote search`?" in done.err


def test_wrong_use_is_2(footnote: Footnote) -> None:
    assert footnote("search").status == 2
    assert footnote("search", "gulls", "--top-k", "101").status == 2
    assert footnote("keys", "make", "x", "--scope", "root").status == 2
    assert footnote("serve", "everything").status == 2
    assert footnote("bench", "search", "--sizes", "many").status == 2


def test_a_setting_that_is_none_is_2_and_named(footnote: Footnote) -> None:
    done = footnote("search", "gulls", chunk_token="1")
    assert done.status == 2
    assert "FOOTNOTE_CHUNK_TOKENS" in done.err


def test_no_key_is_2_and_says_where_one_is_looked_for(footnote: Footnote) -> None:
    done = footnote("search", "gulls", api_key="")
    assert done.status == 2
    assert "FOOTNOTE_API_KEY" in done.err


@pytest.mark.parametrize("words", [("search", "gulls"), ("ask", "gulls?"), ("docs",), ("status",)])
def test_a_server_that_is_not_there_is_3(footnote: Footnote, words: tuple[str, ...]) -> None:
    done = footnote(*words, url=NOBODY)
    assert done.status == 3
    assert "Start it with `footnote up`" in done.err


def test_what_reads_json_gets_a_document_where_no_server_answers(footnote: Footnote) -> None:
    done = footnote("docs", "--json", url=NOBODY)
    assert done.status == 3
    assert "Start it with `footnote up`" in json.loads(done.out)["detail"]
    assert footnote("docs", url=NOBODY).out == ""


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (problem(404, "There is nothing here."), 1),
        (problem(401, "The key is not valid."), 1),
        (problem(503, "The vector store cannot be reached.", Retry_After="1"), 1),
        (problem(500, "Something is broken here."), 1),
    ],
)
def test_what_the_server_refuses_is_named(
    footnote: Footnote, server: FakeServer, answer: Canned, status: int
) -> None:
    server.answers["POST /v1/search"] = answer
    done = footnote("search", "gulls", url=server.url)
    assert done.status == status
    assert "footnote: " in done.err


def test_fields_that_are_wrong_are_named(footnote: Footnote, server: FakeServer) -> None:
    fields = [{"field": "settings.top", "message": "is not a setting"}]
    server.answers["POST /v1/search"] = Canned(
        {"title": "Wrong", "status": 422, "detail": "The request is wrong.", "errors": fields}, 422
    )
    done = footnote("search", "gulls", url=server.url)
    assert done.status == 2
    assert "settings.top: is not a setting" in done.err
