"""A document may fail, hang or ask for too much: it fails alone, with its reason."""

import multiprocessing
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.parse_limits import MIB
from footnote_ingest.parsing.parser_input import GivenFile
from footnote_ingest.sandbox.sandbox import Sandbox
from footnote_testing.eventually import LIMIT_S, eventually
from tests.unit.ingest.defaults import parse_limits
from tests.unit.ingest.parsing import sample_files

LONG = ("# Title\n\nSome words *here* and [there](http://x.org).\n\n- a\n- b\n\n" * 60_000).encode()


@contextmanager
def box_of(tesseract: Path | None = None, **limits: Any) -> Iterator[Sandbox]:
    """A sandbox with these limits changed, and with this OCR program.

    The program is a script, which only a shell can run, so that a sandbox with one is not confined.
    """
    box = (
        Sandbox(parse_limits(**limits))
        if tesseract is None
        else Sandbox(parse_limits(**limits), confinement="off", tesseract=str(tesseract))
    )
    with closing(box):
        yield box


class LightSandbox(Sandbox):
    """Without parsers: it reads plain text alone."""

    template = "tests.unit.ingest.sandbox.light_template"


def endless_program(folder: Path) -> Path:
    """An OCR program that never ends; it leaves the number of its process in the file `pid`."""
    program = folder / "tesseract"
    program.write_text(f"#!/bin/sh\necho $$ > {folder}/pid\nexec tail -f /dev/null\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def failure(sandbox: Sandbox, data: bytes, name: str) -> ParseFailed:
    with pytest.raises(ParseFailed) as caught:
        sandbox.parse(data, name)
    assert caught.value.reason.endswith(".")
    return caught.value


def alive(sandbox: Sandbox) -> None:
    assert sandbox.parse(b"still here", "a.txt").text == "still here"


def bomb() -> bytes:
    return sample_files.rezipped(sample_files.word(), {"word/media/big.xml": bytes(64 * MIB)})


def many_sizes_lie() -> bytes:
    """A container whose directory says that its parts are tiny."""
    data = bytearray(sample_files.rezipped(sample_files.word(), {"word/document.xml": b" " * 30 * MIB}))
    real, lie = (30 * MIB).to_bytes(4, "little"), (100).to_bytes(4, "little")
    return bytes(data.replace(real, lie))


class TestBadFiles:
    @pytest.mark.parametrize(
        ("name", "data", "code", "words"),
        [
            ("empty.txt", b"", "empty", "empty"),
            ("blank.md", b"\n\n  \n", "empty", "empty"),
            ("tagsonly.html", b"<html><body><div></div></body></html>", "empty", "No text"),
            ("none.pdf", sample_files.blank_pdf(0), "empty", "no pages"),
            ("pictures.pdf", sample_files.blank_pdf(2), "no_text", "OCR"),
            ("locked.pdf", sample_files.encrypted_pdf(), "encrypted", "password"),
            ("cut.pdf", sample_files.pdf([[(11, "x")]])[:40], "corrupt", "damaged"),
            ("cut.docx", sample_files.word()[:4000], "corrupt", "damaged"),
            (
                "broken.docx",
                sample_files.rezipped(sample_files.word(), {"word/document.xml": b"<w:document><w:body>"}),
                "corrupt",
                "Word",
            ),
            ("hollow.docx", sample_files.zipped({"word/document.xml": b"<x/>"}), "corrupt", "Word"),
            (
                "broken.pptx",
                sample_files.rezipped(sample_files.slides(), {"ppt/presentation.xml": b"<p"}),
                "corrupt",
                "presentation",
            ),
            (
                "broken.xlsx",
                sample_files.rezipped(sample_files.workbook(), {"xl/worksheets/sheet1.xml": b"<w"}),
                "corrupt",
                "workbook",
            ),
            (
                "broken.epub",
                sample_files.zipped({"mimetype": "application/epub+zip", "META-INF/container.xml": "<c"}),
                "corrupt",
                "book",
            ),
            (
                "locked.odt",
                sample_files.rezipped(
                    sample_files.open_document(), {"META-INF/manifest.xml": b"<m><encryption-data/></m>"}
                ),
                "encrypted",
                "password",
            ),
            ("bomb.docx", bomb, "bomb", "bomb"),
            ("liar.docx", many_sizes_lie, "corrupt", "damaged"),
            ("binary.txt", bytes(range(256)) * 40, "not_text", "called .txt"),
            ("photo.png", b"\x89PNG\r\n\x1a\n" + bytes(100), "unsupported", "OCR"),
        ],
    )
    def test_fail_with_their_reason(
        self, sandbox: Sandbox, name: str, data: bytes | Callable[[], bytes], code: str, words: str
    ) -> None:
        """What takes long to make is made for its test alone, and not wherever tests are collected."""
        failed = failure(sandbox, data if isinstance(data, bytes) else data(), name)
        assert (failed.code, words in failed.reason) == (code, True), failed.reason
        alive(sandbox)

    @pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
    @pytest.mark.parametrize(
        "name",
        [
            "word",
            "slides",
            "workbook",
            "book",
            "open_document",
            "open_sheets",
            "open_slides",
            "outlook_message",
        ],
    )
    def test_cut_off_formats_are_refused_as_damaged(self, sandbox: Sandbox, name: str, part: float) -> None:
        data: bytes = getattr(sample_files, name)()
        assert failure(sandbox, data[: int(len(data) * part)], "file").code in ("corrupt", "unsupported")

    def test_utf16_and_broken_utf8_are_read(self, sandbox: Sandbox) -> None:
        assert sandbox.parse("Größe".encode("utf-16"), "a.txt").text == "Größe"
        repaired = sandbox.parse("Größe schöne äöü ".encode() * 3 + b"\xff", "a.txt")
        assert repaired.metadata["encoding"] == "utf-8 (repaired)"
        assert repaired.warnings


class TestParseLimits:
    def test_of_time_and_a_program_started_for_the_document_ends_with_it(self, tmp_path: Path) -> None:
        with box_of(endless_program(tmp_path), wall=4) as hasty:
            assert failure(hasty, sample_files.blank_pdf(1), "scan.pdf").code == "timeout"
            written = tmp_path / "pid"
            # A busy machine may leave no time to start the program.
            if pid := int(written.read_text() or 0) if written.exists() else 0:
                eventually(lambda: not psutil.pid_exists(pid), "the program ended")
            alive(hasty)

    def test_of_processor_time(self) -> None:
        with box_of(cpu=1) as hasty:
            assert failure(hasty, LONG * 2, "long.md").code == "timeout"

    def test_of_processor_time_of_all_programs_together(self, tmp_path: Path) -> None:
        busy = endless_program(tmp_path)
        busy.write_text("#!/bin/sh\ni=0\nwhile [ $i -lt 150000 ]; do i=$((i+1)); done\necho word\n")
        with box_of(busy, cpu=1) as hasty:
            failed = failure(hasty, sample_files.blank_pdf(60), "scan.pdf")
            assert "processor time" in failed.reason
            alive(hasty)

    def test_of_memory(self) -> None:
        with box_of(memory=48 * MIB) as poor:
            failed = failure(poor, LONG, "long.md")
            assert failed.code == "memory", failed.reason
            alive(poor)

    def test_of_size_text_pages_and_parts(self) -> None:
        with box_of(size=20_000, text=1000, pages=2, elements=5) as narrow:
            assert failure(narrow, b"x" * 20_001, "big.txt").code == "too_large"
            assert templates(narrow) == [], "the size is checked before anything starts"
            alive(narrow)
            assert failure(narrow, b"x " * 1000, "a.txt").code == "too_large"
            assert failure(narrow, sample_files.pdf([[(11, "x")]] * 3), "a.pdf").code == "too_large"
            assert failure(narrow, b"a\n\n" * 10, "a.txt").code == "too_large"


class TestFilesReadTogether:
    def test_each_has_its_own_outcome(self, sandbox: Sandbox) -> None:
        given = [
            GivenFile(b"One.", "a.txt", ""),
            GivenFile(b"", "empty.txt", ""),
            GivenFile(b"# Two", "b.md", ""),
        ]
        first, second, third = sandbox.parse_together(given)
        assert (texts_of([first, third]), getattr(second, "code", None)) == (["One.", "# Two"], "empty")

    def test_one_of_a_format_that_is_read_by_itself_ends_the_child(self, sandbox: Sandbox) -> None:
        page = GivenFile(b"<!doctype html><html><body><p>A page.</p></body></html>", "page", "")
        given = [GivenFile(b"One.", "a.txt", ""), page, GivenFile(b"Two.", "b.txt", "")]
        assert texts_of(sandbox.parse_together(given)) == ["One."]

    def test_what_ends_the_child_takes_back_nothing_that_was_read_before(self) -> None:
        with box_of(memory=48 * MIB) as poor:
            given = [GivenFile(b"One.", "a.txt", ""), GivenFile(LONG, "long.md", "")]
            assert texts_of(poor.parse_together(given)) == ["One."]
            alive(poor)


def nested_pdf(deep: int) -> bytes:
    """A PDF of one page whose drawing holds another one twice, and that another one twice, so deep."""
    font = "/Font << /P 5 0 R >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        f"/Resources << /XObject << /F 6 0 R >> {font} >> >>",
        "<< /Length 5 >>\nstream\n/F Do\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    drawn = "BT /P 10 Tf 50 700 Td (ferry) Tj ET /F Do /F Do"
    for inner in range(7, 7 + deep):
        held = f"/XObject << /F {inner} 0 R >>" if inner < 6 + deep else ""
        objects.append(
            f"<< /Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << {held} {font} >> "
            f"/Length {len(drawn)} >>\nstream\n{drawn}\nendstream"
        )
    return sample_files.pdf_file(objects)


def test_a_file_that_makes_a_parser_give_up_is_said_to_be_damaged_or_to_hold_far_more() -> None:
    with box_of(memory=64 * MIB) as box:
        with pytest.raises(ParseFailed, match="is damaged, or holds far more than it shows") as failed:
            box.parse(nested_pdf(20), "a.pdf")
        assert failed.value.code == "crashed"
        alive(box)


def texts_of(outcomes: list[Extracted | ParseFailed]) -> list[str]:
    return [outcome.text for outcome in outcomes if isinstance(outcome, Extracted)]


class TestProcesses:
    def test_threads_parse_side_by_side(self, sandbox: Sandbox) -> None:
        texts = [f"text number {n}" for n in range(40)]
        with ThreadPoolExecutor(8) as pool:
            assert [e.text for e in pool.map(lambda t: sandbox.parse(t.encode(), "a.txt"), texts)] == texts

    def test_a_template_that_was_killed_or_closed_is_replaced(self) -> None:
        with closing(LightSandbox(parse_limits())) as box:
            alive(box)
            (killed,) = templates(box)
            os.kill(killed, signal.SIGKILL)
            eventually(lambda: psutil.Process(killed).status() == psutil.STATUS_ZOMBIE, "it has ended")
            alive(box)
            (closed,) = templates(box)
            box.close()
            assert not psutil.pid_exists(closed)
            alive(box)

    def test_a_template_ends_without_work_and_not_during_it(self) -> None:
        with (
            closing(LightSandbox(parse_limits(), idle_s=0.0)) as box,
            ThreadPoolExecutor(3) as pool,
        ):
            texts = [f"text number {n}" for n in range(3)]
            assert [e.text for e in pool.map(lambda t: box.parse(t.encode(), "a.txt"), texts)] == texts
            eventually(lambda: not templates(box), "the template has ended")
            alive(box)
        eventually(lambda: not box._watched, "nobody watches a box that was closed")

    def test_works_in_a_daemonic_pool_process_and_after_a_fork(self, sandbox: Sandbox) -> None:
        alive(sandbox)
        context = multiprocessing.get_context("fork")
        answers = context.Queue()
        process = context.Process(target=_parse_into, args=(sandbox, answers), daemon=True)
        process.start()
        assert answers.get(timeout=LIMIT_S) == "from a child"
        process.join(LIMIT_S)
        alive(sandbox)

    def test_a_killed_worker_leaves_no_processes_behind(self, tmp_path: Path) -> None:
        (tmp_path / "long.md").write_bytes(LONG)
        code = (
            "import sys\nfrom pathlib import Path\n"
            "from footnote_ingest.parsing.parse_limits import ParseLimits\n"
            "from footnote_ingest.sandbox.sandbox import Sandbox\n"
            "from footnote_shared.settings.base import Settings\n"
            "box = Sandbox(ParseLimits.from_settings(Settings()))\nbox.parse(b'x', 'a.txt')\n"
            "print('ready', flush=True)\nbox.parse(Path(sys.argv[1]).read_bytes(), 'long.md')\n"
        )
        environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        worker = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "long.md")], stdout=subprocess.PIPE, env=environment
        )
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"ready\n"
        process = psutil.Process(worker.pid)
        eventually(lambda: len(process.children(recursive=True)) >= 2, "the template has a child that parses")
        family = process.children(recursive=True)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        worker.stdout.close()
        gone, left = psutil.wait_procs(family, timeout=LIMIT_S)
        assert (len(gone), left) == (len(family), [])

    def test_scanned_pages_are_read_by_the_ocr_program(self, tmp_path: Path) -> None:
        program = tmp_path / "tesseract"
        program.write_text("#!/bin/sh\ncat > /dev/null\nprintf 'first words\\n\\nmore words\\n\\f'\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        with box_of(program) as box:
            extracted = box.parse(sample_files.blank_pdf(1), "scan.pdf")
        assert [(e.kind, e.text, e.page) for e in extracted.elements] == [
            ("ocr_text", "first words", 1),
            ("ocr_text", "more words", 1),
        ]

    def test_the_network_is_out_of_reach(self, tmp_path: Path) -> None:
        code = (
            "import sys, socket\nfrom footnote_ingest.sandbox import child\n"
            "sys.addaudithook(child._deny_network)\n"
            "socket.socketpair()\n"
            "open_socket = lambda: socket.socket(socket.AF_INET)\n"
            "look_up = lambda: socket.getaddrinfo('example.org', 80)\n"
            "for attempt in (open_socket, look_up):\n"
            "    try:\n        attempt()\n    except PermissionError:\n        continue\n    sys.exit(1)\n"
        )
        environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "DO_NOT_TRACK": "true"}
        assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0


def templates(box: Sandbox) -> list[int]:
    process = box._process
    return [process.pid] if process is not None else []


def _parse_into(box: Sandbox, answers: "multiprocessing.Queue[str]") -> None:
    answers.put(box.parse(b"from a child", "a.txt").text)
    box.close()
