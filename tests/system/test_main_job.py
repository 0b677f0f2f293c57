"""The main job through the real command line: a folder goes in, passages and cited answers come out."""

import json
import subprocess
from pathlib import Path

import pytest

from footnote_testing.child_process import run_to_its_end
from tests.system.files import docx_bytes, pdf_bytes
from tests.system.stacks import FOOTNOTE, EmbeddedStack

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of each common format, each with a fact of its own."""
    root = tmp_path_factory.mktemp("files") / "handbook"
    (root / "sub").mkdir(parents=True)
    (root / "launch.md").write_text(
        "# Launch\n\n## Date\n\nWe agreed to push the launch of Merlin to March 10.\n\n"
        "## Marketing\n\nMarketing will be told next week.\n"
    )
    (root / "cellar.txt").write_text(
        "The wine cellar of the head office is kept at 12 degrees Celsius all year.\n"
    )
    (root / "sub" / "travel.html").write_text(
        "<html><head><title>Travel policy</title></head><body><h1>Travel</h1><h2>Hotels</h2>"
        "<p>Hotel rooms may cost at most 140 euros per night in Lisbon.</p></body></html>"
    )
    (root / "insurance.docx").write_bytes(
        docx_bytes(
            "Insurance",
            {
                "Coverage": ["The policy covers laptops up to 2,500 euros."],
                "Exclusions": ["Phones are not covered."],
            },
        )
    )
    pages = [
        ["Annual report", "Revenue grew by nine percent."],
        ["Outlook", "The Osaka plant opens in October 2027."],
    ]
    (root / "sub" / "report.pdf").write_bytes(pdf_bytes(pages))
    return root


def footnote(stack: EmbeddedStack, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"FOOTNOTE_URL": stack.url, "FOOTNOTE_DATA": str(stack.data)}
    return run_to_its_end([*FOOTNOTE, *arguments], environment)


@pytest.fixture(scope="module")
def ingested(embedded: EmbeddedStack, folder: Path) -> Path:
    result = footnote(embedded, "ingest", str(folder))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "5 of 5 documents in" in result.stdout
    return folder


def test_a_second_run_uploads_nothing(embedded: EmbeddedStack, ingested: Path) -> None:
    result = footnote(embedded, "ingest", str(ingested))
    assert result.returncode == 0
    assert "5 unchanged" in result.stdout


@pytest.mark.parametrize(
    ("question", "title", "place"),
    [
        ("When is the launch of Merlin?", "launch", "Launch > Date"),
        ("How warm is the wine cellar?", "cellar", ""),
        ("What may a hotel in Lisbon cost?", "travel", "Hotels"),
        ("Up to how much are laptops covered?", "insurance", "Coverage"),
        ("When does the Osaka plant open?", "report", "p. 2"),
    ],
)
def test_search_finds_each_format_with_its_place(
    embedded: EmbeddedStack, ingested: Path, question: str, title: str, place: str
) -> None:
    result = footnote(embedded, "search", question, "--top-k", "1")
    assert result.returncode == 0, result.stderr
    assert title in result.stdout.lower()
    assert place in result.stdout


def test_ask_streams_progress_and_an_answer_with_numbered_sources(
    embedded: EmbeddedStack, ingested: Path
) -> None:
    result = footnote(embedded, "ask", "When does the Osaka plant open?")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "·" in result.stderr
    answer, _, sources = result.stdout.partition("Sources")
    assert "October 2027" in answer
    assert "[1]" in answer
    assert "[1]" in sources
    assert "p. 2" in sources
    assert "“" in sources


def test_json_prints_the_apis_own_bodies(embedded: EmbeddedStack, ingested: Path) -> None:
    found = json.loads(footnote(embedded, "search", "Osaka plant", "--json").stdout)
    assert {"retrieval_id", "passages", "sufficient", "degraded", "settings", "timings_ms"} <= found.keys()
    places = {(one["source"], one["page_start"], one["page_end"]) for one in found["passages"]}
    assert ("report.pdf", 2, 2) in places
    asked = json.loads(footnote(embedded, "ask", "When does the Osaka plant open?", "--json").stdout)
    assert asked["status"] == "completed"
    assert asked["message"]["citations"][0]["n"] == 1
    assert asked["message"]["citations"][0]["display"]["page_start"] == 2
    assert "[citation:1]" in asked["message"]["text"]


def test_an_unknown_topic_is_answered_without_a_citation(embedded: EmbeddedStack, ingested: Path) -> None:
    asked = json.loads(footnote(embedded, "ask", "zxqv blorptang wuggle", "--json").stdout)
    assert asked["status"] == "completed"
    assert asked["message"]["citations"] == []


def test_a_failed_file_is_named_with_its_reason_and_the_exit_status_is_1(
    embedded: EmbeddedStack, tmp_path: Path
) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "good.txt").write_text("A good file about alpacas.")
    (folder / "bad.pdf").write_bytes(b"%PDF-1.4 this is no more than a beginning")
    (folder / "program.txt").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 40)
    result = footnote(embedded, "ingest", str(folder))
    assert result.returncode == 1
    assert "bad.pdf" in result.stderr
    assert "program.txt" in result.stderr
    assert "1 of 3 documents in" in result.stdout


def test_a_folder_stays_in_step_with_its_documents(embedded: EmbeddedStack, tmp_path: Path) -> None:
    folder = tmp_path / "allotment"
    (folder / "node_modules").mkdir(parents=True)
    for name, text in {
        "beans.md": "# Beans\n\nThe runner beans of plot nine climb on hazel poles.",
        "compost.txt": "The compost of plot nine is turned each Thursday.",
        "shed.txt": "The shed of plot nine has a green door.",
        "node_modules/readme.md": "Packages.",
    }.items():
        (folder / name).write_text(text)

    def ingest(*options: str) -> subprocess.CompletedProcess[str]:
        result = footnote(embedded, "ingest", str(folder), *options)
        assert result.returncode == 0, result.stdout + result.stderr
        return result

    def documents() -> dict[str, str]:
        listed = footnote(embedded, "docs", "--folder", "/allotment", "--json")
        return {document["filename"]: document["id"] for document in json.loads(listed.stdout)["items"]}

    assert "3 of 3 documents in" in ingest().stdout
    before = documents()
    (folder / "beans.md").rename(folder / "runner-beans.md")
    (folder / "compost.txt").unlink()
    second = ingest()
    assert "1 moved" in second.stdout
    assert "1 file is gone; --sync removes it:\n  /allotment/compost.txt" in second.stderr
    assert "1 removed" in ingest("--sync", "--yes").stdout
    assert documents() == {"runner-beans.md": before["beans.md"], "shed.txt": before["shed.txt"]}
    found = footnote(embedded, "search", "When is the compost of plot nine turned?", "--json")
    sources = [passage["source"] for passage in json.loads(found.stdout)["passages"]]
    assert "compost.txt" not in sources
    assert "runner-beans.md" in sources


def test_wrong_use_exits_2_and_an_unreachable_server_3(embedded: EmbeddedStack) -> None:
    assert footnote(embedded, "search").returncode == 2
    environment = {"FOOTNOTE_URL": "http://127.0.0.1:9", "FOOTNOTE_DATA": str(embedded.data)}
    result = run_to_its_end([*FOOTNOTE, "search", "x"], environment)
    assert result.returncode == 3
    assert "footnote up" in result.stderr


def test_an_unknown_setting_in_the_environment_is_named(embedded: EmbeddedStack) -> None:
    result = run_to_its_end([*FOOTNOTE, "status"], {"FOOTNOTE_CHUNK_TOKEN": "100"})
    assert result.returncode == 2
    assert "FOOTNOTE_CHUNK_TOKENS" in result.stderr


def test_status_and_doctor_say_what_there_is(embedded: EmbeddedStack, ingested: Path) -> None:
    status = footnote(embedded, "status")
    assert status.returncode == 0, status.stdout + status.stderr
    assert "indexed" in status.stdout
    doctor = footnote(embedded, "doctor")
    assert "FOOTNOTE_CHUNK_TOKENS" in doctor.stdout


def test_a_second_start_on_the_same_folder_is_refused(embedded: EmbeddedStack) -> None:
    result = footnote(embedded, "up", "--no-browser", "--port", "1", "--data", str(embedded.data))
    assert result.returncode == 2
    assert "running on" in result.stderr
