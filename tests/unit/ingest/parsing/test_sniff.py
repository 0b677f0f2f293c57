"""The type comes from the bytes; the name only chooses among kinds of text."""

from collections.abc import Callable

import pytest

from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.formats import EPUB, MAN, supported_mimes
from footnote_ingest.parsing.sniff import HEAD_BYTES, sniff
from tests.unit.ingest.parsing import sample_files

XHTML_PART = (
    b'<?xml version="1.0"?>\n<!DOCTYPE head PUBLIC "-//W3C//%s//EN" "a.dtd"><head/><div><p>Sail.</p></div>'
)

SAMPLES: dict[str, Callable[[], bytes]] = {
    "word.docx": sample_files.word,
    "plan.pptx": sample_files.slides,
    "list.xlsx": sample_files.workbook,
    "book.epub": sample_files.book,
    "terms.odt": sample_files.open_document,
    "prices.ods": sample_files.open_sheets,
    "plan.odp": sample_files.open_slides,
    "mail.eml": sample_files.mail,
    "news.msg": sample_files.outlook_message,
    "report.pdf": lambda: sample_files.pdf([[(11, "x")]]),
}


class TestType:
    @pytest.mark.parametrize("name", SAMPLES)
    def test_is_found_without_a_name_and_from_the_first_bytes(self, name: str) -> None:
        data = SAMPLES[name]()
        found = sniff(data)
        assert found.mime in supported_mimes()
        assert sniff(data, name) == found
        assert sniff(data[:HEAD_BYTES], name, complete=False).mime == found.mime

    def test_a_wrong_name_does_not_matter(self) -> None:
        assert sniff(sample_files.book(), "novel.txt").mime == EPUB
        assert sniff(b"plain words", "report.pdf").mime == "text/plain"

    @pytest.mark.parametrize(
        ("name", "data", "mime"),
        [
            ("a.md", b"# T", "text/markdown"),
            ("", b"[Script Info]\nTitle: x\n", "text/x-ssa"),
            ("a.txt", b"[Script]\nTitle: x\n", "text/plain"),
            ("", b"<!doctype html><p>x", "text/html"),
            ("a.txt", b"\n <html><body>x</body></html>", "text/html"),
            ("", b'{"a": 1}', "application/json"),
            ("a", b"{not json", "text/plain"),
            ("a.csv", b"a,b\n1,2\n", "text/csv"),
            ("a.html", b"no tags at all", "text/plain"),
            ("a.html", XHTML_PART % b"DTD XHTML 1.0", "application/xhtml+xml"),
            ("a.xml", XHTML_PART % b"DTD Tides 1.0", "application/xml"),
            ("", b"#!/usr/bin/env python3\nprint(1)\n", "text/x-source-code"),
            ("x.rs", b"fn main() {}", "text/x-source-code"),
            ("index.rst.txt", b"Piers\n=====\n\n.. toctree::\n\n   north\n", "text/x-rst"),
            ("index.md.txt", b"Piers\n", "text/markdown"),
            ("rst.txt", b"Piers\n", "text/plain"),
            ("notes.txt", b"From: the start\nit was plain text\n", "text/plain"),
        ],
    )
    def test_of_text(self, name: str, data: bytes, mime: str) -> None:
        assert sniff(data, name).mime == mime

    def test_declared_type_decides_where_name_and_bytes_do_not(self) -> None:
        assert sniff(b"# T", "upload", "text/markdown; charset=utf-8").mime == "text/markdown"

    @pytest.mark.parametrize(("before", "mime"), [(8189, "text/html"), (8190, "text/plain")])
    def test_is_looked_for_in_the_first_8192_bytes(self, before: int, mime: str) -> None:
        assert sniff(b"x" * before + b"<p> and so on", "a.html").mime == mime

    @pytest.mark.parametrize(("size", "mime"), [(5_000_000, "text/plain"), (5_000_001, "application/json")])
    def test_of_a_large_file_that_begins_like_json_is_json(self, size: int, mime: str) -> None:
        assert sniff(b"{" + b"x" * (size - 1)).mime == mime

    @pytest.mark.parametrize(
        ("headers", "name", "mime"),
        [
            (b"From: a@x.org\nTo: b@x.org\nSubject: x", "", "message/rfc822"),
            (b"From: a@x.org\nTo: b@x.org", "", "text/plain"),
            (b"Hello\nTo: b@x.org\nSubject: x", "a.eml", "message/rfc822"),
            (b"Hello\nTo: b@x.org", "a.eml", "text/plain"),
        ],
    )
    def test_of_a_mail_needs_three_headers_or_two_and_a_name(
        self, headers: bytes, name: str, mime: str
    ) -> None:
        assert sniff(headers + b"\n\nWords.", name).mime == mime


class TestRefusal:
    @pytest.mark.parametrize(
        ("name", "data", "code", "words"),
        [
            ("a.txt", b"", "empty", "empty"),
            ("a.txt", b" \n\t\r\n", "empty", "empty"),
            ("a.txt", bytes(range(256)) * 20, "not_text", "called .txt"),
            ("a.docx", bytes(range(256)) * 20, "corrupt", "called .docx but does not begin like one"),
            ("a.bin", bytes(range(256)) * 20, "unsupported", "Supported: txt"),
            ("a.txt", b"\x7fELF\x02\x01\x01" + bytes(64) + b"\x03" * 200, "not_text", "called .txt"),
            ("song.mid", b"MThd\x00\x00\x00\x06" + b"\x00\xff\xfb" * 50, "unsupported", "Supported: txt"),
            ("a.docx", sample_files.zipped({"a.txt": "x"}), "unsupported", "zip archive"),
            ("a.jar", sample_files.zipped({"META-INF/MANIFEST.MF": "x"}), "unsupported", "another program"),
            ("a.odg", sample_files.zipped({"mimetype": "application/x"}), "unsupported", "another program"),
            ("a.docx", sample_files.word()[:-500], "corrupt", "damaged"),
            ("a.mpp", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "unsupported", "holds neither"),
            (
                "a.docx",
                b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
                "encrypted",
                "password",
            ),
        ],
    )
    def test_says_why(self, name: str, data: bytes, code: str, words: str) -> None:
        with pytest.raises(ParseFailed) as refused:
            sniff(data, name)
        assert refused.value.code == code
        assert words in refused.value.reason


class TestEncoding:
    @pytest.mark.parametrize(
        ("encoding", "text"),
        [
            ("utf-8", "Grüße aus Köln – schön"),
            ("utf-8-sig", "Grüße"),
            ("utf-16", "Grüße aus Köln"),
            ("utf-32", "Grüße aus Köln"),
            ("utf-16-le", "plain words without a mark at the front"),
            ("utf-16-be", "plain words without a mark at the front"),
            (
                "cp1252",
                "Die Straße führt über die Brücke – „schön“ sagte Jörg, und ging durch den grünen Wald.",
            ),
            (
                "cp1251",
                "Съешь ещё этих мягких французских булок, да выпей же чаю. Вот так и живём мы уже давно.",
            ),
            (
                "shift_jis",
                "これは日本語の文章です。文字コードを正しく判定する必要があります。よろしくお願いします。",
            ),
        ],
    )
    def test_is_found(self, encoding: str, text: str) -> None:
        assert decode(text.encode(encoding)).text == text

    def test_broken_utf8_is_repaired_and_named(self) -> None:
        decoded = decode("Grüße, schöne Größe, äöü. ".encode() * 5 + b"\xff end")
        assert decoded.encoding == "utf-8 (repaired)"
        assert decoded.text.startswith("Grüße, schöne Größe")
        assert decoded.text.endswith("\ufffd end")
        assert decoded.warning is not None

    def test_a_declared_charset_counts(self) -> None:
        data = '<html><head><meta charset="iso-8859-2"></head><body>Łódź</body></html>'.encode("iso-8859-2")
        assert "Łódź" in decode(data).text

    def test_a_head_may_end_within_a_character(self) -> None:
        assert sniff("grüß".encode()[:-1], "a.txt", complete=False).encoding == "utf-8"


@pytest.mark.parametrize(
    "begins", ["<!DOCTYPE html>", "<!-- a page -->\n<html>", '<?xml version="1.0"?>\n<html>']
)
def test_a_page_that_carries_a_manual_page_in_a_comment_is_a_page(begins: str) -> None:
    page = (
        f"{begins}<body><h1>Impress</h1>\n<!--man\n.TH IMPRESS 1\n.SH NAME\nimpress\n-->\n<p>Text.</p></body>"
    )
    assert sniff(page.encode(), "impress.html").family == "web"
    assert sniff(b".TH IMPRESS 1\n.SH NAME\nimpress\n", "impress.html").mime == MAN


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("src/CMakeLists.txt", "cmake"),
        ("Makefile.am", "makefile"),
        ("configure.ac", "m4"),
        ("Rakefile", "ruby"),
        ("SConstruct", "python"),
        ("Containerfile", "dockerfile"),
    ],
)
def test_a_program_is_told_by_its_whole_name(name: str, language: str) -> None:
    sniffed = sniff(b"set (ports kiel)\n# They open at six.\n", name)
    assert (sniffed.family, sniffed.language) == ("code", language)
    assert sniff(b"They open at six.\n", "kiel-lists.txt").family != "code"


@pytest.mark.parametrize("version", ["0900040000001000", "0902060000001000", "0904060000001000"])
def test_a_sheet_from_before_there_were_workbooks_is_one(version: str) -> None:
    assert sniff(bytes.fromhex(version) + bytes(2000), "areas.xls").mime == "application/vnd.ms-excel"


def test_an_old_page_of_tcl_is_a_manual_page() -> None:
    page = b'\'\\" .HS name section\n.de HS\n.TH "\\\\$1" n\n..\n.HS menu iwid\n.SH NAME\nmenu\n'
    assert sniff(page, "optionmenu.3iwidget").mime == MAN
