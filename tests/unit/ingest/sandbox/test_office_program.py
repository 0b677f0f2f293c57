"""Files of Office before 2007 are read through LibreOffice, which is confined as its child is."""

import io
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest

from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.formats import OLE
from footnote_ingest.sandbox import seccomp
from footnote_ingest.sandbox.sandbox import Sandbox, office_program
from tests.unit.ingest.defaults import parse_limits
from tests.unit.ingest.parsing.here import parsed_here

INSTALLED = office_program()
OLD_WORD = OLE + bytes(1024) + "WordDocument\x00".encode("utf-16-le") + bytes(1024)


def word() -> bytes:
    file = io.BytesIO()
    document = docx.Document()
    document.add_paragraph("The harbour opens at six.")
    document.save(file)
    return file.getvalue()


def workbook() -> bytes:
    file = io.BytesIO()
    book = openpyxl.Workbook()
    book.create_sheet("Tides", 0).append(["harbour", 6])
    book.save(file)
    return file.getvalue()


def slides() -> bytes:
    file = io.BytesIO()
    deck = pptx.Presentation()
    title = deck.slides.add_slide(deck.slide_layouts[0]).shapes.title
    assert title is not None
    title.text = "The harbour"
    deck.save(file)
    return file.getvalue()


def program(folder: Path, script: str) -> str:
    """A program in place of LibreOffice. Its last argument is the file, and `$out` the folder to write to."""
    path = folder / "soffice"
    find = 'while [ $# -gt 1 ]; do [ "$1" = --outdir ] && out=$2; shift; done\nmkdir -p "$out"\n'
    path.write_text(f"#!/bin/sh\n{find}{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A sandbox whose program makes nothing of a file that says so, and a newer file of every other."""
    folder = tmp_path_factory.mktemp("office")
    (folder / "newer.docx").write_bytes(word())
    # Like LibreOffice, the program only makes its profile when it is started for the first time.
    script = (
        'grep -q "makes nothing" "$1" && exit 1\n'
        f'[ -e "$out/../seen" ] || {{ touch "$out/../seen"; exit 81; }}\n'
        f'grep -q DisableMacrosExecution "$out/../profile/user/registrymodifications.xcu" || exit 1\n'
        f'[ "$(basename "$1")" = given.doc ] && cp {folder}/newer.docx "$out/given.docx"'
    )
    with closing(Sandbox(parse_limits(), confinement="off", office=program(folder, script))) as made:
        yield made


def test_the_newer_file_is_read_under_the_old_type(box: Sandbox) -> None:
    extracted = box.parse(OLD_WORD, "a.doc")
    assert (extracted.text, extracted.mime, extracted.family) == (
        "The harbour opens at six.",
        "application/msword",
        "docx",
    )


def test_a_file_of_which_the_program_makes_nothing_says_so(box: Sandbox) -> None:
    with pytest.raises(ParseFailed, match="could not read this doc file") as caught:
        box.parse(OLD_WORD + b"makes nothing", "a.doc")
    assert caught.value.code == "corrupt"


@pytest.mark.parametrize(
    ("stream", "newer"), [("WordDocument", "docx"), ("Workbook", "xlsx"), ("PowerPoint Document", "pptx")]
)
def test_without_the_program_a_person_learns_what_to_install(stream: str, newer: str) -> None:
    old = OLE + bytes(1024) + f"{stream}\x00".encode("utf-16-le")
    with pytest.raises(ParseFailed, match=rf"libreoffice-writer-nogui.* save the file as {newer}") as caught:
        parsed_here(old, "a.bin")
    assert caught.value.code == "unsupported"


@pytest.mark.skipif(not seccomp.supported(), reason="This kernel filters no system calls.")
def test_libreoffice_may_start_threads_but_no_process_and_reach_nobody() -> None:
    tries = """
import os, socket, threading
from footnote_ingest.sandbox import privileges, seccomp
from footnote_ingest.sandbox.denied_calls import OFFICE_CALLS
privileges.give_up_privileges()
seccomp.deny(but=OFFICE_CALLS)
def refused(call, *given):
    try:
        call(*given)
    except PermissionError:
        return True
    return False
worker = threading.Thread(target=lambda: print("thread"))
worker.start()
worker.join()
ours = socket.socket(socket.AF_UNIX)
print(refused(os.fork), refused(socket.socket, socket.AF_INET), refused(ours.connect, "/tmp/x"))
print(os.access(".", os.R_OK), os.access(".", os.W_OK))
"""
    paths = [path for path in sys.path if path]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\nsys.path[:] = {paths!r}\n{tries}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n")[:3] == ["thread", "True True True", "True False"]


@pytest.mark.skipif(INSTALLED is None, reason="LibreOffice is not installed here.")
def test_libreoffice_itself_reads_doc_xls_and_ppt(tmp_path: Path) -> None:
    for name, data in (("a.docx", word()), ("a.xlsx", workbook()), ("a.pptx", slides())):
        (tmp_path / name).write_bytes(data)
        older = name[2:5]
        command = [
            str(INSTALLED),
            f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}",
            "--headless",
            "--convert-to",
            older,
            "--outdir",
            str(tmp_path),
            str(tmp_path / name),
        ]
        # Where it has no profile yet, it may only make that.
        for _ in range(2):
            if not (tmp_path / f"a.{older}").exists():
                subprocess.run(command, capture_output=True, check=False)
    with closing(Sandbox(parse_limits())) as box:
        for name, text in (
            ("a.doc", "harbour opens"),
            ("a.xls", "harbour"),
            ("a.ppt", "The harbour"),
        ):
            assert text in box.parse((tmp_path / name).read_bytes(), name).text
