"""Real files of each format, made on the spot."""

import io

import docx
import pypdfium2


def docx_bytes(title: str, sections: dict[str, list[str]]) -> bytes:
    """A Word file with headings and paragraphs."""
    document = docx.Document()
    document.add_heading(title, 0)
    for heading, paragraphs in sections.items():
        document.add_heading(heading, 1)
        for paragraph in paragraphs:
            document.add_paragraph(paragraph)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def pdf_bytes(pages: list[list[str]]) -> bytes:
    """A PDF with one text line per entry; the first line of a page is set larger, as a heading."""
    objects: list[bytes] = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for lines in pages:
        parts = [b"BT"]
        for number, line in enumerate(lines):
            size, y = (18, 740) if number == 0 else (11, 720 - 16 * number)
            escaped = line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)").encode("latin-1")
            parts.append(b"/F1 %d Tf 1 0 0 1 60 %d Tm (%b) Tj" % (size, y, escaped))
        parts.append(b"ET")
        content = b"\n".join(parts)
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content))
        resources = b"<< /Font << /F1 3 0 R >> >>"
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources %b /Contents %d 0 R >>"
            % (resources, len(objects))
        )
        kids.append(len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%b] /Count %d >>" % (
        b" ".join(b"%d 0 R" % kid for kid in kids),
        len(kids),
    )
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


def empty_pdf() -> bytes:
    """A PDF without a page."""
    document = pypdfium2.PdfDocument.new()
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def essay(topic: str, sentences: int) -> bytes:
    """A text long enough that each stage takes a while."""
    return "\n\n".join(
        f"Sentence {i} says that the {topic} number {i * 7919 % 10007} is of kind {i % 13}."
        for i in range(sentences)
    ).encode()
