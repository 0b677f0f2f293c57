"""What commands say about documents fits a terminal of 80 columns, in every script."""

import unicodedata

import pytest

from footnote_cli.render import console
from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer

ID = "01a2019d-8c73-73bb-9af3-d3a64e8615d8"
NAMES = {
    "latin": "the_annual_report_of_the_harbour_" * 6,
    "chinese": "港口年度報告" * 25,
    "thai": "รายงานประจำปีของท่าเรือ" * 8,
    "arabic": "التقرير السنوي للميناء " * 8,
    "hindi": "बंदरगाह की वार्षिक रिपोर्ट " * 7,
    "emoji": "⛴️🚢⚓" * 30,
}


def columns(line: str) -> int:
    """How many columns a terminal needs for the line (Unicode TR11), where a mark takes none."""
    return sum(
        0
        if unicodedata.category(char) in ("Mn", "Mc", "Me", "Cf")
        else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in line
    )


def document(name: str) -> dict[str, object]:
    return {
        "id": ID,
        "status": "failed",
        "chunks": 12345,
        "language": "zh",
        "folder": f"/{name}",
        "filename": f"{name}.pdf",
        "title": name,
        "error": {"reason": f"The file is damaged: {name}"},
    }


def passage(name: str) -> dict[str, object]:
    return {
        "title": name,
        "source": f"{name}.pdf",
        "heading_path": [name, name],
        "page_start": 3,
        "text": f"{name}\n\n{name}",
        "similarity": 0.5,
    }


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "width", 80)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("script", NAMES)
def test_a_listing_a_document_and_a_search_fit(footnote: Footnote, server: FakeServer, script: str) -> None:
    one = document(NAMES[script])
    event = {"at": "2026-11-21T10:00:00Z", "version": 1, "status": "failed", "detail": NAMES[script]}
    found = {
        "passages": [passage(NAMES[script])],
        "degraded": [],
        "sufficient": True,
        "missing": [],
        "preset": "default",
    }
    server.answers["GET /v1/documents"] = Canned({"items": [one], "next_cursor": None})
    server.answers[f"GET /v1/documents/{ID}"] = Canned(one)
    server.answers[f"GET /v1/documents/{ID}/events"] = Canned({"items": [event]})
    server.answers["POST /v1/search"] = Canned(
        {**found, "settings": {"fusion": "rrf"}, "timings_ms": {"total": 1.0}}
    )
    for words in (("docs",), ("docs", "show", ID), ("search", "gulls")):
        done = footnote(*words, url=server.url)
        assert done.status == 0
        assert [line for line in done.out.splitlines() if columns(line) > 80] == []
        shown = "".join(done.out.split())
        assert NAMES[script][:4] in shown


def test_in_a_pipe_no_line_is_broken(footnote: Footnote, server: FakeServer) -> None:
    found = {
        "passages": [passage(NAMES["latin"])],
        "degraded": [],
        "sufficient": True,
        "missing": [],
        "preset": "default",
    }
    server.answers["POST /v1/search"] = Canned(
        {**found, "settings": {"fusion": "rrf"}, "timings_ms": {"total": 1.0}}
    )
    lines = footnote("search", "gulls", url=server.url).out.splitlines()
    assert lines[0] == f"1. {NAMES['latin']}  {NAMES['latin']}.pdf  similarity 0.50"
    assert lines[2].startswith(f"   {NAMES['latin']}")
