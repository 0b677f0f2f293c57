"""A person names the server and the key once, in a file of their own."""

from pathlib import Path

import pytest

from footnote_cli.own_server import own_file
from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer

EMPTY = Canned({"items": [], "next_cursor": None})


def write(text: str) -> Path:
    file = own_file()
    file.parent.mkdir(parents=True)
    file.write_text(text)
    return file


def test_url_and_key_are_taken_from_the_file(
    footnote: Footnote, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FOOTNOTE_API_KEY")
    server.answers["GET /v1/documents"] = EMPTY
    write(f'url = "{server.url}"\napi_key = "fn_own"\n')
    assert footnote("docs").status == 0
    assert server.asked[-1].headers["Authorization"] == "Bearer fn_own"


def test_the_environment_comes_first(footnote: Footnote, server: FakeServer) -> None:
    server.answers["GET /v1/documents"] = EMPTY
    write('url = "http://127.0.0.1:9"\napi_key = "fn_own"\n')
    assert footnote("docs", url=server.url).status == 0
    assert server.asked[-1].headers["Authorization"] == "Bearer fn_test"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('ulr = "http://x"\n', "ulr is no setting of the command line. Did you mean url?"),
        ("url = 5\n", "url: Input should be a valid string"),
        ("url = \n", "cannot be read"),
    ],
)
def test_a_file_that_is_wrong_is_2_and_named(footnote: Footnote, text: str, said: str) -> None:
    file = write(text)
    done = footnote("docs")
    assert done.status == 2
    assert str(file) in done.err
    assert said in done.err


def test_the_help_says_where_the_file_is(footnote: Footnote) -> None:
    assert str(own_file()) in footnote("--help").out


def test_the_doctor_says_what_comes_from_the_file(footnote: Footnote) -> None:
    file = write('url = "http://127.0.0.1:9"\n')
    out = footnote("doctor", "--json").out
    assert f'"source": "{file}"' in out
