"""Small files of each format, built when a test needs them."""

import io
import struct
import zipfile
from email.message import EmailMessage

import docx
import openpyxl
import pypdfium2 as pdfium
from pptx import Presentation
from pptx.util import Inches

from footnote_ingest.parsing.elements import Extracted

ODT_NAMES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
)


def zipped(parts: dict[str, str | bytes]) -> bytes:
    """A zip with these parts; `mimetype` is stored, as the formats ask."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            kind = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, compress_type=kind)
    return out.getvalue()


def rezipped(data: bytes, changes: dict[str, bytes]) -> bytes:
    """The same container with some parts replaced or added."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    return zipped({**parts, **changes})


def word() -> bytes:
    document = docx.Document()
    document.add_heading("Handbook", 0)
    document.add_heading("Leave", 1)
    document.add_paragraph("Everyone has thirty days of leave.")
    document.add_heading("Carrying over", 2)
    document.add_paragraph("Five days may be carried over.")
    document.add_paragraph("by mail", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(
        (c for row in table.rows for c in row.cells), ("Year", "Days", "2025", "30"), strict=True
    ):
        cell.text = text
    document.add_paragraph("7")
    document.sections[0].header.paragraphs[0].text = "Internal"
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def word_with_hidden_corners() -> bytes:
    """Text in a content control, a tracked insertion, a text box and a footnote."""
    data = word()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        body = archive.read("word/document.xml").decode()
        types = archive.read("[Content_Types].xml").decode()
        links = archive.read("word/_rels/document.xml.rels").decode()
    extra = (
        "<w:sdt><w:sdtContent><w:p><w:r><w:t>controlled words</w:t></w:r></w:p></w:sdtContent></w:sdt>"
        "<w:p><w:r><w:t>before </w:t></w:r>"
        "<w:ins w:id='9' w:author='a'><w:r><w:t>inserted words</w:t></w:r></w:ins></w:p>"
        "<w:p><w:r><w:pict><v:shape xmlns:v='urn:schemas-microsoft-com:vml'><v:textbox><w:txbxContent>"
        "<w:p><w:r><w:t>boxed words</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict>"
        "</w:r></w:p>"
        "<w:p><w:r><w:t>noted</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r></w:p>"
    )
    notes = (
        '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        '<w:footnote w:id="2"><w:p><w:r><w:t>footnote words</w:t></w:r></w:p></w:footnote></w:footnotes>'
    )
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    return rezipped(
        data,
        {
            "word/document.xml": body.replace("<w:sectPr", extra + "<w:sectPr", 1).encode(),
            "word/footnotes.xml": notes.encode(),
            "[Content_Types].xml": types.replace(
                "</Types>", f'<Override PartName="/word/footnotes.xml" ContentType="{kind}"/></Types>'
            ).encode(),
            "word/_rels/document.xml.rels": links.replace(
                "</Relationships>",
                f'<Relationship Id="rId99" Type="{relation}" Target="footnotes.xml"/></Relationships>',
            ).encode(),
        },
    )


def slides() -> bytes:
    deck = Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Plan"
    first.placeholders[1].text = "first point"
    first.notes_slide.notes_text_frame.text = "say this aloud"
    second = deck.slides.add_slide(deck.slide_layouts[6])
    second.shapes.add_textbox(0, 0, Inches(2), Inches(1)).text_frame.text = "boxed"
    table = second.shapes.add_table(2, 2, 0, Inches(3), Inches(3), Inches(2)).table
    for place, text in (((0, 0), "Q"), ((0, 1), "Sales"), ((1, 0), "1"), ((1, 1), "12")):
        table.cell(*place).text = text
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Prices"
    for row in (
        ("Code", "Price"),
        ("007", 12),
        ("008", 3.5),
        (None, None),
        ("Note", "net"),
        ("Sum", "=B2+B3"),
    ):
        sheet.append(row)
    book.create_sheet("Staff").append(("Ann", True))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def mail(html: bool = False) -> bytes:
    message = EmailMessage()
    message["Subject"] = "Re: Delivery"
    message["From"] = "Ann <ann@example.org>"
    message["To"] = "bob@example.org"
    message["Date"] = "Mon, 02 Nov 2026 10:00:00 +0100"
    message["Message-ID"] = "<1@example.org>"
    quoted = "On Sun, 1 Nov 2026 at 09:00, Bob <bob@example.org> wrote:\n> When does it come?\n"
    if html:
        message.set_content("See the HTML part.")
        message.add_alternative(
            "<p>The delivery of all of the boxes comes on Friday at noon.</p>"
            '<blockquote type="cite"><p>When does it come?</p></blockquote>',
            subtype="html",
        )
    else:
        message.set_content(f"It comes on Friday.\n\n{quoted}")
    message.add_attachment(b"a;b\n1;2\n", maintype="text", subtype="csv", filename="../list.csv")
    return message.as_bytes()


def book() -> bytes:
    chapter = '<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>{0}</h1><p>Text of {0}.</p></body></html>'
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": (
                '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
                '<rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
            ),
            "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf"><metadata '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Sea Stories</dc:title>'
            "<dc:language>en</dc:language>"
            '</metadata><manifest><item id="b" href="two.xhtml"/><item id="a" href="one%201.xhtml"/>'
            "</manifest>"
            '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
            "OEBPS/one 1.xhtml": chapter.format("Ebb"),
            "OEBPS/two.xhtml": chapter.format("Flow"),
        }
    )


def open_document() -> bytes:
    content = (
        f"<office:document-content {ODT_NAMES}><office:body><office:text>"
        '<text:h text:outline-level="1">Terms</text:h>'
        "<text:p>Pay<text:s text:c='1'/>within<text:note><text:note-body><text:p>or later</text:p>"
        "</text:note-body>"
        "</text:note> a month.</text:p>"
        "<text:list><text:list-item><text:p>by card</text:p></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>A</text:p></table:table-cell>"
        "<table:table-cell><text:p>B</text:p></table:table-cell></table:table-row></table:table>"
        "</office:text></office:body></office:document-content>"
    )
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def open_sheets() -> bytes:
    """Two sheets: prices with an empty row between two blocks, and one that repeats cells and rows."""
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>".format
    row = "<table:table-row>{}</table:table-row>".format
    content = (
        f"<office:document-content {ODT_NAMES}><office:body><office:spreadsheet>"
        '<table:table table:name="Prices">'
        + "".join(map(row, (cell("Code") + cell("Price"), cell("007") + cell("12.00"))))
        + row('<table:table-cell table:number-columns-repeated="16384"/>')
        + row(cell("Note") + cell("net"))
        + '<table:table-row table:number-rows-repeated="1048576">'
        '<table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>'
        '<table:table table:name="Staff"><table:table-row table:number-rows-repeated="2">'
        '<table:table-cell table:number-columns-repeated="2"><text:p>Ann</text:p></table:table-cell>'
        '<table:covered-table-cell/><table:table-cell office:value="3"/></table:table-row></table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    return zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content})


def open_slides(shapes: str = "") -> bytes:
    """A slide with its title below its text in the file, a list, a table, its number and its notes."""
    content = (
        f"<office:document-content {ODT_NAMES}"
        ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
        ' xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"'
        ' xmlns:xlink="http://www.w3.org/1999/xlink"'
        ' xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0">'
        "<office:body><office:presentation><draw:page>"
        '<draw:frame svg:y="9cm"><table:table><table:table-row><table:table-cell><text:p>A</text:p>'
        "</table:table-cell><table:table-cell><text:p>B</text:p></table:table-cell></table:table-row>"
        "</table:table></draw:frame>"
        '<draw:frame svg:y="5cm" presentation:class="outline"><draw:text-box><text:list><text:list-item>'
        "<text:p>first point</text:p></text:list-item></text:list></draw:text-box></draw:frame>"
        '<draw:frame svg:y="1cm" presentation:class="title"><draw:text-box><text:p>Plan</text:p>'
        "</draw:text-box></draw:frame>"
        '<draw:frame presentation:class="page-number"><draw:text-box><text:p>1</text:p></draw:text-box>'
        f"</draw:frame>{shapes}<presentation:notes><draw:frame presentation:class='notes'><draw:text-box>"
        "<text:p>say this aloud</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>"
        "</office:presentation></office:body></office:document-content>"
    )
    return zipped({"mimetype": "application/vnd.oasis.opendocument.presentation", "content.xml": content})


def pdf(pages: list[list[tuple[int, str]]], *, encrypt: str = "") -> bytes:
    """A PDF with these lines of (font size, text) on each page, one below the other; "" is a larger gap."""
    placed: list[list[tuple[float, float, str]]] = []
    for lines in pages:
        place = 800
        placed.append([])
        for size, text in lines:
            placed[-1].append((size, place, text))
            place -= int(size * 1.3) if text else 40
    return pdf_of(placed, encrypt=encrypt)


def pdf_of(pages: list[list[tuple[float, float, str]]], *, encrypt: str = "") -> bytes:
    """A PDF with these lines of (font size, base line, text) on each page, written without a library."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids: list[int] = []
    for lines in pages:
        stream = "\n".join(f"BT /F1 {size} Tf 50 {line} Td ({text}) Tj ET" for size, line, text in lines)
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects)} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(len(objects))
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] /Count {len(kids)} >>"
    return pdf_file(objects, encrypt)


def pdf_file(objects: list[str], trailer: str = "") -> bytes:
    """A PDF of these objects, of which the first is its root. `trailer` is added to the trailer's entries."""
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    start, size = len(out), len(objects) + 1
    out += f"xref\n0 {size}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    out += f"trailer << /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def encrypted_pdf() -> bytes:
    """A PDF whose encryption dictionary fits no empty password."""
    secret = "<< /Filter /Standard /V 1 /R 2 /P -44 /O <" + "ab" * 32 + "> /U <" + "cd" * 32 + "> >>"
    return pdf([[(12, "secret")]], encrypt=f"/Encrypt {secret} /ID [<{'01' * 16}> <{'01' * 16}>]")


def blank_pdf(pages: int) -> bytes:
    document = pdfium.PdfDocument.new()
    for _ in range(pages):
        document.new_page(200, 200)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def check_ranges(extracted: Extracted) -> None:
    """The invariant of `Extracted`: elements are ranges of the text, in order, with nothing between them."""
    at = 0
    for element in extracted.elements:
        assert extracted.text[element.char_start : element.char_end] == element.text
        assert element.char_start >= at
        assert not extracted.text[at : element.char_start].strip()
        at = element.char_end
    assert not extracted.text[at:].strip()


def outlook_message(html: bytes = b"") -> bytes:
    """An Outlook message (MS-OXMSG) with a body and two attachments, in a compound file (MS-CFB).

    The content id of the second one, a picture, is `logo@1`.
    """

    def properties(texts: dict[int, str], blobs: dict[int, bytes], head: int) -> dict[str, bytes]:
        streams = {f"__substg1.0_{pid:04X}001F": text.encode("utf-16-le") for pid, text in texts.items()}
        streams |= {f"__substg1.0_{pid:04X}0102": blob for pid, blob in blobs.items()}
        rows = [struct.pack("<HHIII", 0x1F, pid, 6, len(text) * 2 + 2, 0) for pid, text in texts.items()]
        rows += [struct.pack("<HHIII", 0x102, pid, 6, len(blob), 0) for pid, blob in blobs.items()]
        rows.append(struct.pack("<HHIII", 3, 0x340D, 6, 0x40000, 0))
        return {"__properties_version1.0": bytes(head) + b"".join(rows), **streams}

    body = "All is well.\r\n\r\nFrom: Bob\r\nSent: Sunday\r\nTo: Ann\r\nSubject: News\r\n\r\nIs all well?\r\n"
    top = properties(
        {0x37: "News", 0x1000: body, 0xC1A: "Ann", 0xC1F: "ann@x.org"}, {0x1013: html} if html else {}, 32
    )
    attached = properties({0x3707: "n.txt", 0x370E: "text/plain"}, {0x3701: b"attached words"}, 8)
    picture = properties(
        {0x3707: "logo.png", 0x370E: "image/png", 0x3712: "logo@1"}, {0x3701: b"\x89PNG\r\n"}, 8
    )
    storages = {"__attach_version1.0_#00000000": attached, "__attach_version1.0_#00000001": picture}
    return compound_file(top, storages if html else {"__attach_version1.0_#00000000": attached})


def compound_file(streams: dict[str, bytes], storages: dict[str, dict[str, bytes]]) -> bytes:
    """Streams below 4,096 bytes, as small ones lie: in sectors of 64 bytes within the root's stream.

    Siblings form a chain.
    """
    none, end = 0xFFFFFFFF, 0xFFFFFFFE

    def store(content: bytes, size: int, sectors: list[bytes], table: list[int]) -> int:
        first, count = len(sectors), max(1, -(-len(content) // size))
        sectors.extend(content[at : at + size].ljust(size, b"\0") for at in range(0, count * size, size))
        table.extend([*range(first + 1, first + count), end])
        return first

    small: list[bytes] = []
    small_table: list[int] = []
    rows: list[tuple[str, int, int, int, int, int]] = []
    last = len(streams) + len(storages)
    for number, (name, content) in enumerate(streams.items(), 1):
        start = store(content, 64, small, small_table)
        rows.append((name, 2, number + 1 if number < last else none, none, start, len(content)))
    child = last + 1
    for number, (name, inner) in enumerate(storages.items(), len(streams) + 1):
        rows.append((name, 1, number + 1 if number < last else none, child, 0, 0))
        child += len(inner)
    for inner in storages.values():
        for name, content in inner.items():
            following = none if name == list(inner)[-1] else len(rows) + 2
            rows.append((name, 2, following, none, store(content, 64, small, small_table), len(content)))

    sectors: list[bytes] = []
    table: list[int] = []
    root = ("Root Entry", 5, none, 1, store(b"".join(small), 512, sectors, table), 64 * len(small))
    directory = b"".join(
        name.encode("utf-16-le").ljust(64, b"\0")
        + struct.pack("<HBBIII", len(name) * 2 + 2, kind, 1, none, right, below)
        + bytes(36)
        + struct.pack("<IQ", start, size)
        for name, kind, right, below, start, size in [root, *rows]
    )
    directory_start = store(directory, 512, sectors, table)
    small_fat = struct.pack(f"<{len(small_table)}I", *small_table)
    small_fat_start = store(small_fat.ljust(512, b"\xff"), 512, sectors, table)
    fat_start = len(sectors)
    table.append(0xFFFFFFFD)
    fat = struct.pack(f"<{len(table)}I", *table).ljust(512, b"\xff")
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    counts = (0, 1, directory_start, 0, 4096, small_fat_start, 1, end, 0)
    header += struct.pack("<HHHHH6x9I", 0x3E, 3, 0xFFFE, 9, 6, *counts) + struct.pack("<I", fat_start)
    return header.ljust(512, b"\xff") + b"".join(sectors) + fat
