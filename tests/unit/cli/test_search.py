"""`footnote search` as a reader sees it."""

import json
from pathlib import Path
from typing import Any

from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer

PASSAGE = {
    "title": "Gulls [of the sea]",
    "source": "gulls.pdf",
    "heading_path": ["Gulls", "Food"],
    "page_start": 3,
    "page_end": 4,
    "text": "They steal [bread]. " * 40,
    "similarity": 0.873,
}


def found(
    *passages: dict[str, Any],
    degraded: list[str] | None = None,
    flags: dict[str, Any] | None = None,
    **more: Any,
) -> Canned:
    return Canned(
        {
            "passages": list(passages),
            "degraded": degraded or [],
            "sufficient": True,
            "missing": [],
            "flags": flags or {},
            "preset": "default",
            "settings": {"fusion": "rrf"},
            "timings_ms": {"total": 12.34},
            "explanation": [
                {"stage": "fuse", "taken": 70, "given": 40, "ms": 0.5, "notes": {"method": "rrf"}}
            ],
            **more,
        }
    )


def test_a_passage_is_shown_with_its_place(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/search"] = found(PASSAGE)
    server.answers["GET /v1/documents"] = Canned({"items": [{"id": "a gull's id that ends in f00d"}]})
    done = footnote("search", "gulls", "--top-k", "3", "--preset", "fast", "--doc", "f00d", url=server.url)
    assert done.status == 0
    lines = done.out.splitlines()
    assert lines[0] == "1. Gulls [of the sea]  gulls.pdf  similarity 0.87"
    assert lines[1] == "   Gulls > Food, pp. 3-4"
    assert lines[2].startswith("   They steal [bread].")
    assert lines[2].endswith("…")
    assert 290 <= len(lines[2].strip()) <= 300
    assert lines[-1] == "12.3 ms, preset default, fusion rrf"
    assert server.asked[1].body == {
        "query": "gulls",
        "explain": False,
        "settings": {"top_k": 3},
        "preset": "fast",
        "scope": {"document_ids": ["a gull's id that ends in f00d"]},
    }


def test_the_kind_of_what_is_no_prose_is_named(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/search"] = found(PASSAGE | {"kind": "table"}, PASSAGE | {"kind": "paragraph"})
    lines = footnote("search", "gulls", url=server.url).out.splitlines()
    assert [line for line in lines if "Gulls > Food" in line] == [
        "   Gulls > Food, pp. 3-4, table",
        "   Gulls > Food, pp. 3-4",
    ]


def test_code_and_tables_keep_their_lines(footnote: Footnote, server: FakeServer) -> None:
    code = "def gull():\n    if hungry:\n        steal()\n" + "    pass\n" * 20
    server.answers["POST /v1/search"] = found({**PASSAGE, "text": code, "kind": "code"})
    lines = footnote("search", "gulls", url=server.url).out.splitlines()
    assert lines[2:6] == ["   ```", "   def gull():", "       if hungry:", "           steal()"]
    assert lines[2 + 13 : 2 + 15] == ["   …", "   ```"]


def test_a_fence_names_the_language_of_code_and_is_longer_than_any_in_it(
    footnote: Footnote, server: FakeServer
) -> None:
    known = {**PASSAGE, "text": "x = '```'", "kind": "code", "code_language": "python"}
    server.answers["POST /v1/search"] = found(known)
    lines = footnote("search", "gulls", url=server.url).out.splitlines()
    assert lines[2:5] == ["   ````python", "   x = '```'", "   ````"]


def test_code_of_markdown_keeps_its_own_fence(footnote: Footnote, server: FakeServer) -> None:
    known = {**PASSAGE, "text": "```py\nx = 1\n```", "kind": "code", "code_language": "python"}
    server.answers["POST /v1/search"] = found(known)
    lines = footnote("search", "gulls", url=server.url).out.splitlines()
    assert lines[2:5] == ["   ```py", "   x = 1", "   ```"]


def test_prose_keeps_its_line_breaks(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/search"] = found({**PASSAGE, "text": "Gulls steal.\n\nTerns do not."})
    lines = footnote("search", "gulls", url=server.url).out.splitlines()
    assert [line.strip() for line in lines[2:5]] == ["Gulls steal.", "", "Terns do not."]


def test_nothing_found_is_no_failure(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/search"] = found()
    done = footnote("search", "gulls", url=server.url)
    assert done.status == 0
    assert "Nothing found." in done.out


def test_thin_evidence_is_called_so(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/search"] = found(PASSAGE, sufficient=False, missing=["quarks", "\x1b[31mcharm"])
    done = footnote("search", "gulls", url=server.url)
    assert "thin evidence: the passages say nothing of quarks, " in done.out
    assert "\x1b[31m" not in done.out
    server.answers["POST /v1/search"] = found(PASSAGE, sufficient=False)
    assert "could not find enough" in footnote("search", "gulls", url=server.url).out
    server.answers["POST /v1/search"] = found(PASSAGE)
    assert "thin" not in footnote("search", "gulls", url=server.url).out


def test_what_is_missing_from_a_result_is_said(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/search"] = found(PASSAGE, degraded=["dense"])
    assert "Degraded: dense" in footnote("search", "gulls", url=server.url).err


def test_the_steps_are_explained(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/search"] = found(PASSAGE)
    done = footnote("search", "gulls", "--explain", url=server.url)
    assert server.asked[0].body["explain"] is True
    (line,) = [line for line in done.out.splitlines() if line.startswith("fuse")]
    assert line.split() == ["fuse", "70", "40", "0.50", "method=rrf"]


def test_json_is_the_api_s_own(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/search"] = answer = found(PASSAGE)
    done = footnote("search", "gulls", "--json", url=server.url)
    assert json.loads(done.out) == answer.body


def test_an_explanation_says_who_decided_the_settings(footnote: Footnote, server: FakeServer) -> None:
    flags = {"fusion": {"value": "rrf", "source": "workspace"}, "alpha": {"value": 0.5, "source": "default"}}
    server.answers["POST /v1/search"] = found(PASSAGE, flags=flags)
    done = footnote("search", "gulls", "--explain", url=server.url)
    assert done.status == 0
    (line,) = [line for line in done.out.splitlines() if "workspace" in line]
    assert [word for word in line.split() if word.isidentifier()] == ["fusion", "rrf", "workspace"]


CANDIDATES = [
    {"title": "Gulls [sea]", "similarity": 0.9, "ranks": {"dense": 2, "sparse": 1, "fused": 1}},
    {
        "title": "Terns<script>\u202e",
        "similarity": None,
        "ranks": {"dense": 1, "fused": 2},
        "left_at": "gate",
        "why": "top_k",
    },
]
DROPPED = {
    "document_id": "d",
    "outcome": "dropped",
    "step": "gate",
    "why": "top_k",
    "rank": 2,
    "similarity": 0.4,
    "detail": "It was a candidate with fused rank 2, and left at gate.",
}


def test_each_candidate_says_where_it_left(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/search"] = found(PASSAGE, candidates=CANDIDATES)
    done = footnote("search", "gulls", "--explain", url=server.url)
    listed = done.out.partition("where they left")[2].splitlines()
    gulls, terns = (line for line in listed if "Gulls" in line or "Terns" in line)
    assert gulls.split() == ["1", "Gulls", "[sea]", "2", "1", "1", "0.900"]
    assert "gate" in terns
    assert "enough passages came before it (top_k)" in terns
    assert "\u202e" not in done.out


def test_why_a_document_is_not_found_is_said(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/search"] = found(PASSAGE, expected=DROPPED)
    server.answers["GET /v1/documents"] = Canned({"items": [{"id": "an id that ends in f00d"}]})
    done = footnote("search", "gulls", "--expect", "f00d", url=server.url)
    assert server.asked[1].body["expect"] == "an id that ends in f00d"
    said = "dropped: enough passages came before it (top_k), similarity 0.40. It was a candidate"
    assert said in " ".join(done.out.split())


def test_the_page_of_a_search_holds_no_markup_from_outside(
    footnote: Footnote, server: FakeServer, tmp_path: Path
) -> None:
    expected = {**DROPPED, "detail": "<b>it</b>"}
    server.answers["POST /v1/search"] = found(PASSAGE, candidates=CANDIDATES, expected=expected)
    done = footnote("search", "<img src=x onerror=alert(1)>", "--html", "it.html", url=server.url)
    assert done.status == 0
    assert server.asked[0].body["explain"] is True
    page = (tmp_path / "it.html").read_text()
    assert "Terns&lt;script&gt;" in page
    assert "<svg" in page
    assert not any(sign in page for sign in ("<script", "<img", "<b>it", "\u202e"))
    assert footnote("search", "gulls", "--html", "no/such/it.html", url=server.url).status == 2
