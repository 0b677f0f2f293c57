"""`footnote openapi` describes the API where nothing runs."""

import json
from pathlib import Path

from tests.unit.cli.conftest import Footnote


def test_the_document_of_all_four_is_written(footnote: Footnote, tmp_path: Path) -> None:
    # A setting that no service would start with describes the same API.
    done = footnote("openapi", "--output", "api.json", parse_workers="many", url="http://127.0.0.1:9")
    assert done.status == 0, done.err
    assert done.out == ""
    document = json.loads((tmp_path / "api.json").read_text("utf-8"))
    of_four = {"/v1/documents", "/v1/search", "/v1/threads", "/v1/streams/{turn_id}"}
    assert of_four <= set(document["paths"])
    assert "/healthz" not in document["paths"]
    tags = {tag["name"]: tag["description"] for tag in document["tags"]}
    assert "retriever" in tags["search"]
    operations = [one for item in document["paths"].values() for one in item.values()]
    schemes = {name for one in operations for rule in one.get("security", ()) for name in rule}
    assert set(tags) == {tag for one in operations for tag in one["tags"]}
    assert schemes == set(document["components"]["securitySchemes"])


def test_that_of_one_service_goes_to_standard_output(footnote: Footnote) -> None:
    done = footnote("openapi", "--service", "retriever")
    document = json.loads(done.out)
    assert "/v1/search" in document["paths"]
    assert "/healthz" in document["paths"]
    assert "/v1/documents" not in document["paths"]


def test_what_cannot_be_written_is_said(footnote: Footnote) -> None:
    done = footnote("openapi", "--output", "no/such/folder/api.json")
    assert done.status == 2
    assert "cannot be written" in done.err
    assert footnote("openapi", "--service", "gateway").status == 2
