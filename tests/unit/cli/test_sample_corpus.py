"""The sample documents as they are shipped, and what is said of them."""

import json
import zipfile
from pathlib import Path, PurePosixPath

import openpyxl
import pytest
from deploy import make_samples

from footnote_cli.sample_corpus import ExpectedSource, corpus_of, sample_path
from footnote_shared.kernel.errors import InvalidRequest

SAMPLES = Path(__file__).parents[3] / "services/agent/footnote_agent/console/samples"
GIVEN = json.loads((SAMPLES / "corpus.json").read_text("utf-8"))
CORPUS = corpus_of(GIVEN)
MOST_BYTES = 300_000
EXPECTED = [source for one in CORPUS.questions for source in one.sources]


def test_every_file_is_listed_and_there() -> None:
    there = {path.relative_to(SAMPLES / "files") for path in (SAMPLES / "files").rglob("*") if path.is_file()}
    assert {path.as_posix() for path in there} == set(CORPUS.files)
    assert len(CORPUS.files) >= 30
    assert len({path.suffix for path in there}) >= 20
    assert sum(path.stat().st_size for path in SAMPLES.rglob("*") if path.is_file()) < MOST_BYTES


@pytest.mark.parametrize("source", [s for s in EXPECTED if s.line], ids=lambda source: source.path)
def test_what_has_to_be_cited_stands_on_its_line(source: ExpectedSource) -> None:
    assert source.line is not None
    assert source.words in (SAMPLES / "files" / source.path).read_text("utf-8").splitlines()[source.line - 1]


def test_the_file_that_changes_says_something_else_before() -> None:
    change = CORPUS.change
    for path, question in ((change.earlier, change.before), (f"files/{change.path}", change.after)):
        (source,) = question.sources
        assert source.line is not None
        assert source.words in (SAMPLES / path).read_text("utf-8").splitlines()[source.line - 1]


def test_what_is_no_text_says_what_its_script_says() -> None:
    def inside(path: str, part: str) -> str:
        with zipfile.ZipFile(SAMPLES / "files" / path) as package:
            return package.read(part).decode()

    word = inside("operations/safety-drill.docx", "word/document.xml")
    assert all(heading in word and text in word for heading, text in make_samples.DRILL)
    (sheet,) = openpyxl.load_workbook(SAMPLES / "files/operations/berths.xlsx").worksheets
    assert tuple(sheet.values) == make_samples.BERTHS
    for number, (heading, lines) in enumerate(make_samples.NEW_FERRY, 1):
        slide = inside("meetings/new-ferry.pptx", f"ppt/slides/slide{number}.xml")
        assert all(line in slide for line in (heading, *lines))
    assert (SAMPLES / "files/operations/engine-manual.pdf").read_bytes() == make_samples.pdf(
        make_samples.ENGINE
    )


def test_a_document_is_a_sample_by_its_path_alone() -> None:
    def path(folder: str, filename: str) -> str | None:
        return sample_path(CORPUS, {"folder": folder, "filename": filename})

    assert path(f"{CORPUS.folder}/handbook", "fares.md") == "handbook/fares.md"
    assert path(f"{CORPUS.folder}/handbook", "mine.md") is None
    assert path("/handbook", "fares.md") is None
    assert str(PurePosixPath("handbook/fares.md")) in CORPUS.files


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "", "a\\..\\x", "./a", "a//b"])
def test_a_server_cannot_have_files_written_elsewhere(path: str) -> None:
    with pytest.raises(InvalidRequest, match="cannot be one"):
        corpus_of({**GIVEN, "files": [path]})
    with pytest.raises(InvalidRequest, match="cannot be one"):
        corpus_of({**GIVEN, "change": {**GIVEN["change"], "path": path}})
