"""A small good file of each kind that is read, and the ways in which files are bad, at any size."""

import bz2
import gzip
import io
import json
import lzma
import random
import tarfile
from collections.abc import Callable, Mapping
from email.message import EmailMessage

import openpyxl
from PIL import Image

from footnote_ingest.parsing.formats import OLE
from tests.unit.ingest.parsing import sample_files

Bad = tuple[str, bytes]
"""The name of a file and its content."""


def good_files() -> Mapping[str, bytes]:
    """A file of each kind, by its ending."""
    words = "The harbour opens at six. " * 40
    pictures = {name: _picture(kind) for name, kind in (("png", "PNG"), ("jpg", "JPEG"), ("tiff", "TIFF"))}
    texts = {
        "txt": words,
        "md": f"# Harbour\n\n{words}\n\n```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "html": f"<!doctype html><html><body><h1>Harbour</h1><p>{words}</p></body></html>",
        "xhtml": f"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><body>{words}</body></html>",
        "xml": f"<?xml version='1.0'?><a><title>Harbour</title><p>{words}</p></a>",
        "json": json.dumps({"harbour": {"opens": [6, words]}}),
        "jsonl": '{"harbour": 1}\n{"harbour": 2}\n',
        "yaml": f"harbour:\n  opens: 6\n  words: {words}\n",
        "py": f"def harbour():\n    '''{words}'''\n    return 6\n",
        "1": f".TH HARBOUR 1\n.SH NAME\nharbour\n.SH DESCRIPTION\n{words}\n",
        "ipynb": json.dumps(
            {
                "nbformat": 4,
                "metadata": {},
                "cells": [{"cell_type": "markdown", "metadata": {}, "source": [words]}],
            }
        ),
        "csv": "harbour,opens\n" + "Kiel,6\n" * 100,
        "tsv": "harbour\topens\n" + "Kiel\t6\n" * 100,
        "rtf": r"{\rtf1\ansi {\b Harbour}\par " + words + r"\par}",
        **_markups(words),
        **_records(words),
    }
    return {
        **{name: text.encode() for name, text in texts.items()},
        **pictures,
        "eml": sample_files.mail(html=True),
        "msg": sample_files.outlook_message(),
        "pdf": sample_files.pdf([[(11, "The harbour opens at six.")]]),
        "docx": sample_files.word(),
        "pptx": sample_files.slides(),
        "xlsx": sample_files.workbook(),
        "odt": sample_files.open_document(),
        "ods": sample_files.open_sheets(),
        "odp": sample_files.open_slides(),
        "epub": sample_files.book(),
        "zip": sample_files.zipped({"a.txt": words}),
        "txt.gz": gzip.compress(words.encode()),
        "txt.bz2": bz2.compress(words.encode()),
        "txt.xz": lzma.compress(words.encode()),
        "tar": _tarred(words),
        "mbox": b"From a@b.example Tue Nov 17 19:02:38 2009\n" + sample_files.mail(html=True),
        "doc": OLE + bytes(1024) + "WordDocument\x00".encode("utf-16-le") + bytes(1024),
    }


def _markups(words: str) -> dict[str, str]:
    return {
        "rst": f"Harbour\n=======\n\n{words}\n\n.. code-block:: py\n\n    x = 1\n\n"
        "=== ===\na   b\n=== ===\n1   2\n=== ===\n",
        "org": f"#+title: Harbour\n* Harbour\n{words}\n#+begin_src py\nx = 1\n#+end_src\n| a | b |\n",
        "adoc": f"= Harbour\n\n== Times\n\n{words}\n\n----\nx = 1\n----\n\n|===\n|a |b\n|===\n",
        "tex": f"\\documentclass{{article}}\\begin{{document}}\\section{{Harbour}}{words}\\end{{document}}",
        "texi": f"\\input texinfo\n@chapter Harbour\n@table @code\n@item six\n{words}\n@end table\n@bye\n",
        "nxml": "<article><front><article-meta><title-group><article-title>Harbour</article-title>"
        f"</title-group></article-meta></front><body><sec><title>Times</title><p>{words}</p></sec></body>"
        "</article>",
        "docbook": f"<book><title>Harbour</title><chapter><title>Six</title><para>{words}</para></chapter>"
        "</book>",
    }


def _records(words: str) -> dict[str, str]:
    return {
        "log": "".join(f"2026-11-22 06:00:{second:02} ferry sails\n" for second in range(60)),
        "srt": f"1\n00:00:01,000 --> 00:00:02,000\n{words}\n",
        "ass": f"[Script Info]\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{words}\n",
        "vtt": f"WEBVTT\n\n00:01.000 --> 00:02.000\n{words}\n",
        "ics": f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Ferry\nDESCRIPTION:{words}\nEND:VEVENT\n"
        "END:VCALENDAR\n",
        "vcf": "BEGIN:VCARD\nVERSION:4.0\nFN:Ann Doe\nEND:VCARD\n",
        "rss": f"<rss><channel><title>Harbour</title><item><title>Six</title><description>{words}"
        "</description></item></channel></rss>",
        "atom": "<feed xmlns='http://www.w3.org/2005/Atom'><title>Harbour</title><entry><title>Six</title>"
        f"<content>{words}</content></entry></feed>",
    }


def _tarred(words: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo("a.txt")
        member.size = len(words)
        archive.addfile(member, io.BytesIO(words.encode()))
    return out.getvalue()


def _picture(kind: str) -> bytes:
    out = io.BytesIO()
    Image.new("L", (40, 40)).save(out, kind)
    return out.getvalue()


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _without_its_beginning(data: bytes) -> bytes:
    return data[len(data) // 2 :]


def _scratched(data: bytes) -> bytes:
    """The file with one byte in a hundred changed, in the same places each time."""
    places = random.Random(len(data))
    scratched = bytearray(data)
    for _ in range(max(3, len(data) // 100)):
        scratched[places.randrange(16, max(17, len(data)))] = places.randrange(256)
    return bytes(scratched)


def _twice(data: bytes) -> bytes:
    return data + data


def _behind_junk(data: bytes) -> bytes:
    return b"\x00\xff junk \xfe" * 20 + data


DAMAGES: Mapping[str, Callable[[bytes], bytes]] = {
    "cut in the middle": _cut,
    "without its beginning": _without_its_beginning,
    "scratched": _scratched,
    "twice in one file": _twice,
    "behind junk": _behind_junk,
    "only zeros": lambda data: bytes(len(data)),
    "empty": lambda data: b"",
}


def deep_files(depth: int) -> Mapping[str, bytes]:
    """Files whose parts are in each other so many times."""
    tables = "<w:p><w:r><w:t>harbour</w:t></w:r></w:p>"
    cell = "<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"
    xml = {
        "docx": (
            sample_files.word(),
            "word/document.xml",
            "<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'><w:body>",
            (cell[0] * depth) + tables + (cell[1] * depth) + "</w:body></w:document>",
        ),
        "odt": (
            sample_files.open_document(),
            "content.xml",
            f"<office:document-content {sample_files.ODT_NAMES}><office:body><office:text>",
            "<text:list><text:list-item>" * depth
            + "<text:p>harbour</text:p>"
            + "</text:list-item></text:list>" * depth
            + "</office:text></office:body></office:document-content>",
        ),
        "ods": (
            sample_files.open_sheets(),
            "content.xml",
            f"<office:document-content {sample_files.ODT_NAMES}><office:body><office:spreadsheet>",
            "<table:table><table:table-row><table:table-cell>" * depth
            + "<text:p>harbour</text:p>"
            + "</table:table-cell></table:table-row></table:table>" * depth
            + "</office:spreadsheet></office:body></office:document-content>",
        ),
        "odp": (
            sample_files.open_slides(),
            "content.xml",
            f"<office:document-content {sample_files.ODT_NAMES}"
            " xmlns:draw='urn:oasis:names:tc:opendocument:xmlns:drawing:1.0'><office:body>"
            "<office:presentation><draw:page>",
            "<draw:g>" * depth
            + "<text:p>harbour</text:p>"
            + "</draw:g>" * depth
            + "</draw:page></office:presentation></office:body></office:document-content>",
        ),
    }
    texts = {
        "json": "[" * depth + "1" + "]" * depth,
        "yaml": "[" * depth + "1" + "]" * depth,
        "xml": "<?xml version='1.0'?>" + "<a>" * depth + "harbour" + "</a>" * depth,
        "html": "<html><body>" + "<div>" * depth + "harbour" + "</div>" * depth,
        "table.html": "<html><body>" + "<table><tr><td>" * depth + "harbour",
        "md": ">" * depth + " harbour",
        "list.md": "\n".join(f"{'  ' * n}- harbour" for n in range(min(depth, 300))),
        "rtf": r"{\rtf1 " + "{" * depth + "harbour" + "}" * depth + "}",
        "py": "(" * depth + "1" + ")" * depth,
        "1": ".TH A 1\n.SH NAME\n" + ".RS\n" * depth + "harbour\n",
        "rst": "\n\n".join(f"{' ' * n}* harbour" for n in range(min(depth, 300))),
        "quote.rst": "> " * depth + "harbour",
        "org": "*" * depth + " harbour\n" + "- [[" * depth + "harbour",
        "adoc": "*" * depth + " harbour\n\n" + "====\n" * depth + "harbour",
        "tex": "\\documentclass{a}\\begin{document}" + r"\begin{itemize}\item \emph{" * depth + "harbour",
        "macros.tex": "\\documentclass{a}\\newcommand{\\q}[1]{\\q{#1#1}}"
        + "\\q{" * depth
        + "harbour"
        + "}" * depth,
        "texi": "\\input texinfo\n" + "@itemize\n@item\n" * depth + "@b{@ref{" * depth + "harbour",
        "nxml": "<article><body>" + "<sec><title>six</title><p>" * depth + "harbour",
        "rss": "<rss><channel><item>" + "<description>" * depth + "harbour",
        "ics": "BEGIN:VCALENDAR\n" + "BEGIN:VEVENT\n" * depth + "SUMMARY:harbour\n",
        "vcf": "BEGIN:VCARD\n" * depth + "FN:harbour\n",
        "ass": "[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,," + "{\\p1" * depth + "harbour\n",
        "srt": "1\n00:00:01,000 --> 00:00:02,000\n" + "<i>" * depth + "harbour\n",
        "ipynb": '{"nbformat":4,"cells":' + "[" * depth + "]" * depth + "}",
        "eml": "".join(
            f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(min(depth, 20_000))
        ),
    }
    return {
        **{name: text.encode() for name, text in texts.items()},
        **{
            name: sample_files.rezipped(file, {part: (head + body).encode()})
            for name, (file, part, head, body) in xml.items()
        },
    }


def long_lines(length: int) -> Mapping[str, bytes]:
    """Files of one line of so many bytes."""
    words = ("harbour opens at six, " * (length // 22)).encode()
    unbroken = b"x" * length
    return {
        "txt": words,
        "unbroken.txt": unbroken,
        "md": b"**" + words,
        "stars.md": b"*a " * (length // 3),
        "brackets.md": b"[" * min(length, 200_000),
        "html": b"<html><body><p>" + words,
        "open.html": b"<" * length,
        "xml": b"<?xml version='1.0'?><a>" + words + b"</a>",
        "json": b'["' + words + b'"]',
        "numbers.json": b"[" + b"1," * (length // 2) + b"1]",
        "yaml": b"a: " + words,
        "csv": b"harbour," * (length // 8),
        "quote.csv": b'"' + unbroken,
        "py": b"x = '" + words + b"'",
        "c": b"/*" + unbroken,
        "1": b".TH A 1\n.SH NAME\n" + words,
        "rst": b"*" + words,
        "ticks.rst": b"Harbour\n\n" + b"`a " * (length // 3),
        "org": b"* " + words,
        "cells.org": b"harbour\n|" + b"a|" * (length // 2),
        "adoc": b"= Harbour\n\n" + words,
        "tex": b"\\documentclass{a}" + words,
        "dollars.tex": b"\\documentclass{a} harbour " + b"$x " * (length // 3),
        "macros.tex": b"\\documentclass{a}\\newcommand{\\q}{harbour}" + b"\\q " * (length // 3),
        "texi": b"\\input texinfo\n" + words,
        "braces.texi": b"\\input texinfo\nharbour " + b"@ref{a," * (length // 7),
        "log": b"2026-11-22 06:00:00 a\n" * 9 + b"2026-11-22 06:00:00 " + words,
        "ass": b"[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,," + words,
        "braces.ass": b"[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,a" + b"{\\p1" * (length // 4),
        "srt": b"1\n00:00:01,000 --> 00:00:02,000\n" + words,
        "ics": b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:" + words,
        "vcf": b"BEGIN:VCARD\nFN:" + words,
        "nxml": b"<article><body><sec><title>a</title><p>" + words + b"</p></sec></body></article>",
        "rss": b"<rss><channel><item><description>" + words + b"</description></item></channel></rss>",
        "rtf": rb"{\rtf1 " + words + b"}",
        "slashes.rtf": rb"{\rtf1 " + b"\\'e9" * (length // 4) + b"}",
        "eml": b"From: a@b.example\nTo: b@b.example\nSubject: x\nDate: x\n\n" + words,
        "subject.eml": b"From: a@b.example\nTo: b@b.example\nSubject: " + words + b"\n\nx",
        "ipynb": b'{"nbformat":4,"cells":[{"cell_type":"markdown","source":["' + words + b'"]}]}',
    }


def many_cells(rows: int, columns: int) -> Mapping[str, bytes]:
    """Tables of so many cells."""
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Tides")
    for row in range(rows):
        sheet.append([row * columns + at for at in range(columns)])
    out = io.BytesIO()
    book.save(out)
    line = ",".join(str(n) for n in range(columns)) + "\n"
    body = ("|1" * columns + "|\n") * rows
    cells = "".join(f"<td>{n}</td>" for n in range(columns))
    open_cells = "".join(f"<table:table-cell><text:p>{n}</text:p></table:table-cell>" for n in range(columns))
    many = 'repeated="999999999"'
    often = f"<table:table-cell table:number-columns-{many}><text:p>1</text:p></table:table-cell>"
    sheets = (
        f"<office:document-content {sample_files.ODT_NAMES}><office:body><office:spreadsheet><table:table>"
        + f"<table:table-row>{open_cells}</table:table-row>" * rows
        + f"<table:table-row table:number-rows-{many}>{often}</table:table-row>"
        + "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    return {
        "ods": sample_files.rezipped(sample_files.open_sheets(), {"content.xml": sheets.encode()}),
        "xlsx": out.getvalue(),
        "csv": (line * rows).encode(),
        "html": ("<html><body><table>" + f"<tr>{cells}</tr>" * rows + "</table>").encode(),
        "md": f"|{line.strip().replace(',', '|')}|\n{'|-' * columns}|\n{body}".encode(),
        "rtf": (r"{\rtf1 " + (r"1\cell " * columns + r"\row ") * rows + "}").encode(),
    }


def encrypted_files() -> Mapping[str, bytes]:
    """Files that a password protects."""
    locked = OLE + bytes(600) + "EncryptedPackage".encode("utf-16-le")
    secret = EmailMessage()
    secret["From"], secret["To"], secret["Subject"] = "a@b.example", "b@b.example", "secret"
    secret.set_content(b"\x00\x01", maintype="application", subtype="pkcs7-mime")
    flagged = bytearray(sample_files.zipped({"word/document.xml": "x"}))
    flagged[6] |= 1
    flagged[flagged.index(b"PK\x01\x02") + 8] |= 1
    return {
        **dict.fromkeys(("docx", "xlsx", "pptx"), locked),
        **{
            kind: sample_files.rezipped(data, {"META-INF/manifest.xml": b"<m><encryption-data/></m>"})
            for kind, data in (("ods", sample_files.open_sheets()), ("odp", sample_files.open_slides()))
        },
        "pdf": sample_files.encrypted_pdf(),
        "eml": secret.as_bytes(),
        "zip.docx": bytes(flagged),
    }


SCRIPTS = {
    "Latin": "Åsa öffnet den Hafen für die große Fähre.\n",
    "Cyrillic": "Гавань открывается в шесть часов утра.\n",
    "Greek": "Το λιμάνι ανοίγει στις έξι το πρωί.\n",
    "Japanese": "港は朝六時に開きます。船は七時に出ます。\n",
    "Chinese": "港口早上六点开放，船七点出发。\n",
    "Taiwanese": "港口早上六點開放，船七點出發。\n",
    "Korean": "항구는 아침 여섯 시에 열립니다.\n",
    "Arabic": "يفتح الميناء في السادسة صباحا.\n",
    "Hebrew": "הנמל נפתח בשש בבוקר.\n",
    "Thai": "ท่าเรือเปิดเวลาหกโมงเช้า\n",
    "Devanagari": "बंदरगाह सुबह छह बजे खुलता है।\n",
    "Emoji": "⚓🚢 at six\n",
}

ENCODINGS = {
    "Latin": ("cp1252", "iso8859-15"),
    "Cyrillic": ("cp1251", "koi8-r"),
    "Greek": ("iso8859-7",),
    "Japanese": ("shift_jis", "euc-jp"),
    "Chinese": ("gb18030",),
    "Taiwanese": ("big5",),
    "Korean": ("euc-kr",),
    "Arabic": ("cp1256",),
    "Thai": ("cp874",),
}
"""Older encodings of these scripts; those of Unicode hold all of them."""

UNICODE = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
