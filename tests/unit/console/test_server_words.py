"""What the console says in place of the server: each sentence that a page may show is translated."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel, Field, ValidationError

from footnote_agent.console import page_files
from footnote_ingest.parsing.office.review import review_warning
from footnote_shared.kernel.counted import counted
from tests.unit.console.server_texts import texts_of

ROOT = Path(__file__).resolve().parents[3]
WORDS = page_files._FOLDER / "strings" / "de" / "server"
_ENTRY = re.compile(r'^  \["([^"]+)", "([^"]+)"\],$', re.MULTILINE)
_SENTENCE = re.compile(r"[A-Z{][^\n]* [^\n]*(\.|[.:] \{\})")

SERVICES = ("ingest", "agent", "retriever", "resolver")
CODE = [ROOT / "services" / name / f"footnote_{name}" for name in SERVICES] + [
    ROOT / "shared/footnote_shared"
]
SHOWN = (
    *(CODE[0] / room for room in ("connectors", "facts", "lanes", "parsing", "pipeline", "sandbox", "work")),
    CODE[0] / "maintenance",
    CODE[1] / "automations",
    CODE[1] / "turns",
    CODE[3] / "relay",
)
"""Rooms whose sentences come to a page of the console."""

NOT_SHOWN = {
    # Acts in other systems are a model's, and their refusals are told to it.
    "acting.py",
    "github_acts.py",
    "jira_acts.py",
    "slack_acts.py",
    # Texts of documents.
    "github_threads.py",
    "slack_text.py",
    # For a model.
    "reading.py",
    "picture_words.py",
    # For the command line.
    "close_workspace.py",
    "close_avatar.py",
    "deletion_looks.py",
}
NO_PAGE = {
    "A thread in #{}, begun by {}.": "the text of a document",
    "Said in #{} on {} outside of threads.": "the text of a document",
    "In a sheet {} shown as stored.": "put together",
    "Of the archive {} left out whose kind is not read{}.": "put together",
    "Of the archive {} left out with more than {}.": "put together",
    "Of the archive {} left out: the first {} files were taken.": "put together",
    "Of the message {} left out.": "put together",
    "The {} function{} return{} the value 0 if successful; otherwise the value -1 is returned and the global "
    "variable errno is set to indicate the error.": "the text of a document",
    "The {} {} 0 on success, and >0 if an error occurs.": "the text of a document",
    "The archive holds no file of a kind that is read{}.": "put together",
    "Set the clocks of this machine and of the database. Until then nothing old is removed here.": "a log's",
    "Still at it: {}": "put together",
    "The fonts of {} do not say what their letters mean. {}": "put together",
    "{} {} pictures and left out. {}": "put together",
    "{} ({}): {}": "the text of a document",
    "Request body: {}": "the text of a document",
    "{} {} {}.": "put together",
    "{} {} left out: {}.": "put together",
    "The file is called .": "a part of one that is shown",
    "Parsing never reaches the network.": "for a parser",
    "A document cannot go from {} to {}.": "a fault of ours",
    "The lane of facts was just made and is not there.": "a fault of ours",
    "The stream of a turn holds an entry that is not an event.": "a fault of ours",
    "A turn that was ended has no end.": "a fault of ours",
    "A turn of this thread is running. Ask when it has ended, or let this one wait.": "the page has its code",
    "The resolver does not know this thread yet.": "caught, and the resolver is told",
}


def entries(*names: str) -> list[tuple[str, str]]:
    found = [pair for name in names for pair in _ENTRY.findall((WORDS / f"{name}.js").read_text("utf-8"))]
    lines = [line for name in names for line in (WORDS / f"{name}.js").read_text("utf-8").splitlines()]
    assert len(found) == sum(line.startswith("  [") for line in lines), "a line that no test reads"
    return found


def test_every_sentence_that_a_page_may_show_is_translated() -> None:
    translated = {said for said, _ in entries("documents", "connectors", "rest", "composed")}
    for room in SHOWN:
        for path in room.rglob("*.py"):
            if path.name not in NOT_SHOWN:
                said = {text for text in texts_of(path) if _SENTENCE.fullmatch(text)}
                missing = said - translated - set(NO_PAGE)
                assert not missing, f"add to strings/de/server, or to NO_PAGE here: {missing} of {path.name}"


def test_no_sentence_is_translated_that_the_server_does_not_say() -> None:
    said = set().union(*(texts_of(folder) for folder in CODE))
    kept = entries("documents", "connectors", "rest")
    assert {one for one, _ in kept} <= said
    assert len({one for one, _ in entries("documents", "connectors", "rest", "composed")}) == len(
        entries("documents", "connectors", "rest", "composed")
    )


def test_a_translation_holds_every_value() -> None:
    for said, translated in entries("documents", "connectors", "rest", "composed"):
        assert said.count("{}") == translated.count("{}") + translated.count("{=}"), said


def test_why_a_file_is_plain_code_is_translated() -> None:
    translated = {said for said, _ in entries("documents")}
    raised = [
        text
        for path in (CODE[0] / "parsing/records").rglob("*.py")
        for text in re.findall(r'DataBroken\("([^"]+)"\)', path.read_text("utf-8"))
    ]
    assert len(raised) > 4
    assert set(raised) <= translated


class _Bounded(BaseModel):
    few: int = Field(1, ge=1, le=3)
    short: str = Field("a", min_length=1, max_length=3)
    word: str = Field("a", min_length=2)


@pytest.mark.parametrize(
    "given", [{"few": 0}, {"few": 4}, {"few": "x"}, {"short": ""}, {"short": "long"}, {"word": "a"}]
)
def test_what_is_wrong_with_a_field_is_translated(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as refused:
        _Bounded.model_validate(given)
    assert _is_translated(refused.value.errors()[0]["msg"])


def test_sentences_that_are_put_together_are_translated() -> None:
    for what in ("chunk", "document", "file", "folder", "page", "passage"):
        assert _is_translated(counted(1, what))
        assert _is_translated(counted(12, what))
    assert (counted(1, "chunk"), counted(12, "chunk")) == ("1 chunk", "12 chunks")
    assert (review_warning(1, 0), review_warning(0, 2)) == (
        "1 tracked change was read as accepted (FOOTNOTE_PARSE_REVIEW).",
        "2 comments were left out (FOOTNOTE_PARSE_REVIEW).",
    )


def _is_translated(text: str) -> bool:
    known = [re.escape(said).replace(r"\{\}", ".+") for said, _ in entries("documents", "rest", "composed")]
    return any(re.fullmatch(one, text) for one in known)
