"""The reference pages say what the code says."""

import re
from pathlib import Path
from typing import get_args

import pytest

from footnote_cli.reference.__main__ import client_files, filled, tables
from footnote_cli.reference.markdown import anchor
from footnote_ingest.parsing.errors import FailureCode
from tests.applications import applications

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
ERRORS = ROOT / "docs/reference/errors.md"


@pytest.fixture(scope="module")
def blocks() -> dict[str, str]:
    return tables(ROOT, applications())


def test_the_pages_are_as_the_code_is(blocks: dict[str, str]) -> None:
    stale = [
        page.name for page in PAGES if page.read_text("utf-8") != filled(page.read_text("utf-8"), blocks)
    ]
    assert not stale, "run `make reference`"


def test_the_python_client_is_as_the_api_is() -> None:
    files = client_files(ROOT, applications())
    stale = [str(path) for path, code in files.items() if (ROOT / path).read_text("utf-8") != code]
    assert not stale, "run `make reference`"
    folders = {path.parent for path in files}
    lying = {path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).glob("*.py")}
    assert lying == files.keys(), "a file that nobody writes any more"


def test_no_type_of_a_setting_and_no_scope_is_cut_short(blocks: dict[str, str]) -> None:
    """Each row has its type in words: an alternative that could not be told stands as nothing."""
    rows = re.findall(
        r"^\| `\w+`(?: or `\w+`)? \| (.*?) \| ", blocks["settings"] + blocks["request-settings"], re.MULTILINE
    )
    assert len(rows) > 150
    assert not [
        told for told in rows if not told or told.startswith("or") or told.endswith("or") or "``" in told
    ]
    assert "Scope: ." not in blocks["routes"]


def test_every_block_of_tables_is_on_a_page(blocks: dict[str, str]) -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    assert set(re.findall(r"<!-- tables: ([\w-]+) -->", text)) == blocks.keys()


def test_every_code_that_a_client_may_get_is_explained() -> None:
    """Codes of documents and turns that no class of errors names, too."""
    explained = set(re.findall(r"`(\w+)`", ERRORS.read_text("utf-8")))
    sources = [
        path.read_text("utf-8") for root in ("services", "shared") for path in (ROOT / root).rglob("*.py")
    ]
    named = {
        code for text in sources for code in re.findall(r'(?:\bcode = |\bproblem\(|_problem\()"(\w+)"', text)
    }
    missing = {*named, *get_args(FailureCode)} - explained
    assert not missing


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("`POST /v1/documents/{document_id}:retry`", "post-v1documentsdocument_idretry"),
        ("Page of Document", "page-of-document"),
        ("1.6 Vector schema", "16-vector-schema"),
    ],
)
def test_anchors_are_those_of_github(heading: str, expected: str) -> None:
    assert anchor(heading) == expected
