"""Bad files of every kind, in the real parse child: each is read, or fails with a reason for people.

`python -m tests.fuzz.bad_files` does the same with large files.
"""

import re

import pytest

from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.sandbox.sandbox import Sandbox
from tests.unit.ingest.sandbox import bad_files

REASON = re.compile(r"[A-Z][^\n]{5,600}\.")
PROGRAM_WORDS = ("Error", "Exception", "Traceback", "0x", "None", "<class", "codec")
NEEDS_A_PROGRAM = {"png", "jpg", "tiff", "doc"}


def answer(box: Sandbox, name: str, data: bytes) -> str:
    """The code of the failure, or `read`. A failure has a sentence that a person understands."""
    reason, code = "It is read.", "read"
    try:
        box.parse(data, name)
    except ParseFailed as failed:
        reason, code = failed.reason, failed.code
    assert REASON.fullmatch(reason), (name, reason)
    assert not any(word in reason for word in PROGRAM_WORDS), (name, reason)
    return code


def answers(box: Sandbox, files: dict[str, bytes]) -> dict[str, str]:
    return {ending: answer(box, f"a.{ending}", data) for ending, data in files.items()}


def test_the_good_files_are_read(sandbox: Sandbox) -> None:
    said = answers(sandbox, {k: v for k, v in bad_files.good_files().items() if k not in NEEDS_A_PROGRAM})
    assert set(said.values()) == {"read"}, said


@pytest.mark.parametrize("damage", bad_files.DAMAGES)
def test_a_damaged_file_is_read_or_fails_with_a_reason(sandbox: Sandbox, damage: str) -> None:
    damaged = {
        ending: bad_files.DAMAGES[damage](data)
        for ending, data in bad_files.good_files().items()
        if ending != "doc"
    }
    said = answers(sandbox, damaged)
    assert set(said.values()) <= {"read", "corrupt", "unsupported", "not_text", "empty", "bomb"}, said
    if damage in ("only zeros", "empty"):
        assert set(said.values()) == {"empty"}, said
    if damage == "cut in the middle":
        containers = ("docx", "pptx", "xlsx", "odt", "ods", "odp", "epub", "pdf", "msg")
        assert {said[kind] for kind in containers} == {"corrupt"}


def test_the_bytes_decide_and_not_the_name(sandbox: Sandbox) -> None:
    files = bad_files.good_files()
    containers = ("pdf", "docx", "pptx", "xlsx", "odt", "ods", "odp", "epub", "rtf", "msg")
    for ending, wrong in zip(containers, (*containers[1:], "txt"), strict=True):
        right = sandbox.parse(files[ending], f"a.{ending}")
        assert sandbox.parse(files[ending], f"a.{wrong}").text == right.text, (ending, wrong)
        assert sandbox.parse(files[ending], "no name").text == right.text, ending


def test_an_encrypted_file_says_so(sandbox: Sandbox) -> None:
    said = answers(sandbox, dict(bad_files.encrypted_files()))
    assert set(said.values()) == {"encrypted"}, said


def test_deep_nesting_is_read_or_refused(sandbox: Sandbox) -> None:
    said = answers(sandbox, dict(bad_files.deep_files(3_000)))
    assert set(said.values()) <= {"read", "corrupt", "empty", "too_large"}, said


def test_a_file_of_one_long_line_is_read(sandbox: Sandbox) -> None:
    said = answers(sandbox, dict(bad_files.long_lines(200_000)))
    assert set(said.values()) == {"read"}, said


def test_a_table_of_many_cells_is_read(sandbox: Sandbox) -> None:
    said = answers(sandbox, dict(bad_files.many_cells(50, 50)))
    assert set(said.values()) == {"read"}, said


@pytest.mark.parametrize("script", bad_files.SCRIPTS)
def test_text_of_every_script_is_read_in_every_encoding_of_unicode(sandbox: Sandbox, script: str) -> None:
    text = bad_files.SCRIPTS[script] * 20
    for encoding in bad_files.UNICODE:
        if (script, encoding) in (("Emoji", "utf-16-le"), ("Emoji", "utf-16-be")):
            # Symbols alone do not show that bytes without a mark are text.
            continue
        read = sandbox.parse(text.encode(encoding), f"{script} {text[:8]}.txt")
        assert read.text.strip() == text.strip(), encoding


@pytest.mark.parametrize("script", bad_files.ENCODINGS)
def test_text_in_an_older_encoding_is_read(sandbox: Sandbox, script: str) -> None:
    text = bad_files.SCRIPTS[script] * 20
    for encoding in bad_files.ENCODINGS[script]:
        assert sandbox.parse(text.encode(encoding), "a.txt").text.strip() == text.strip(), encoding


@pytest.mark.parametrize(
    "name",
    [
        "отчёт.txt",
        "報告.txt",
        "تقرير.txt",
        "⚓🚢.txt",
        "e\u0301te\u0301.txt",
        "a\u202etxt.exe",
        "line\nbreak\t.txt",
        "../../etc/passwd",
        "C:\\harbour\\a.txt",
        "x" * 5_000 + ".txt",
        ".",
        " ",
        "\x00.txt",
        "a.txt.txt.",
    ],
)
def test_a_file_may_have_any_name(sandbox: Sandbox, name: str) -> None:
    assert sandbox.parse(b"The harbour opens at six.", name).text == "The harbour opens at six."
