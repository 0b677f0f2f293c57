"""Write the sample documents that are no plain text, from the words in this file.

`make samples` runs it. All other samples are text and are edited where they lie. The same versions of the
libraries write the same bytes, because nothing in a file tells when it was made.
"""

import io
import re
import zipfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import docx
import openpyxl
import pptx

FILES = Path(__file__).parents[1] / "services/agent/footnote_agent/console/samples/files"
_SAVED = re.compile(rb"(<dcterms:modified[^<>]*>)[^<>]*")
MADE = datetime(2026, 10, 1)  # noqa: DTZ001 - the formats know no time zones

DRILL = (
    (
        "Life boats",
        "Each life boat of MF Alke takes 60 people. It is in the water within eight minutes.",
    ),
    (
        "Fire on the car deck",
        "The car deck is flooded with water mist from the bridge. Nobody opens the doors to the car deck "
        "before the master says so.",
    ),
    ("Man overboard", "The officer on watch throws the smoke buoy and turns the ferry towards the person."),
)
BERTHS = (
    ("Berth", "Harbour", "Depth in metres", "Longest ship in metres", "Shore power"),
    ("Quay 1", "Norrvik", 5.2, 90, "yes"),
    ("Quay 2", "Norrvik", 4.1, 60, "no"),
    ("Old pier", "Tarn", 4.6, 85, "yes"),
    ("Skerry landing", "Helle", 1.9, 40, "no"),
)
NEW_FERRY = (
    (
        "A second electric ferry",
        ("What we need on the route to Helle", "Ines Dahl, September 2026"),
    ),
    (
        "What she has to do",
        (
            "The new ferry carries 24 cars and 120 passengers.",
            "She crosses to Helle in 18 minutes, in waves of up to two metres.",
            "Her batteries last for six crossings.",
        ),
    ),
    (
        "What she costs",
        ("The yard asks 11.4 million euros.", "The state pays 40 per cent of the batteries."),
    ),
)
ENGINE = (
    (
        "Manual of the main engine",
        "MF Alke has two main engines of 880 kilowatts each.",
        "They were put in when the ferry was lengthened in 2007.",
    ),
    (
        "Maintenance",
        "The oil of the main engine is changed every 250 running hours.",
        "The filter of the sea water is cleaned once a week.",
        "The injectors are tested every 2,000 running hours.",
    ),
    (
        "Trouble",
        "If the cooling water is warmer than 92 degrees, the engine is stopped at once.",
        "The spare pump lies in the locker behind the workshop.",
    ),
)


def main() -> None:
    """Write the four files."""
    _write("operations/safety-drill.docx", _packed(_word()))
    _write("operations/berths.xlsx", _packed(_workbook()))
    _write("meetings/new-ferry.pptx", _packed(_slides()))
    _write("operations/engine-manual.pdf", pdf(ENGINE))


def _write(path: str, content: bytes) -> None:
    (FILES / path).write_bytes(content)


def _word() -> bytes:
    document = docx.Document()
    document.core_properties.created = document.core_properties.modified = MADE
    document.core_properties.title = "Safety drill on board"
    document.add_heading("Safety drill on board", 0)
    for heading, text in DRILL:
        document.add_heading(heading, 1)
        document.add_paragraph(text)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _workbook() -> bytes:
    book = openpyxl.Workbook()
    book.properties.created = book.properties.modified = MADE
    sheet = book.active
    sheet.title = "Berths"
    for row in BERTHS:
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _slides() -> bytes:
    show = pptx.Presentation()
    show.core_properties.created = show.core_properties.modified = MADE
    show.core_properties.title = NEW_FERRY[0][0]
    for heading, lines in NEW_FERRY:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = heading
        slide.placeholders[1].text = "\n".join(lines)
    out = io.BytesIO()
    show.save(out)
    return out.getvalue()


def _packed(content: bytes) -> bytes:
    """The same package with one time for all of its parts, well compressed and without a preview picture."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            part = zipfile.ZipInfo(name, MADE.timetuple()[:6])
            part.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(part, _dated(name, source.read(name)), compresslevel=9)
    return out.getvalue()


def _dated(name: str, part: bytes) -> bytes:
    """The part. The library of spreadsheets writes the time of saving whatever it is told."""
    if name != "docProps/core.xml":
        return part
    moment = f"\\g<1>{MADE.isoformat()}Z".encode()
    return _SAVED.sub(moment, part)


def pdf(pages: Sequence[Sequence[str]]) -> bytes:
    """A PDF with a line of text for each entry; the first of a page is its heading."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for lines in pages:
        drawn = [b"BT"]
        for number, line in enumerate(lines):
            size, y = (18, 740) if number == 0 else (11, 720 - 16 * number)
            drawn.append(b"/F1 %d Tf 1 0 0 1 60 %d Tm (%b) Tj" % (size, y, line.encode("ascii")))
        content = b"\n".join([*drawn, b"ET"])
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            b"/Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%b] /Count %d >>" % (b" ".join(kids), len(kids))
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


if __name__ == "__main__":
    main()
