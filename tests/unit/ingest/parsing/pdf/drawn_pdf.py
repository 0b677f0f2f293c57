"""PDFs that are drawn piece by piece: words at any place, in five fonts, turned, and with rules."""

from collections.abc import Sequence

from tests.unit.ingest.parsing.sample_files import pdf_file

_FONTS = {
    "plain": "Helvetica",
    "bold": "Helvetica-Bold",
    "mono": "Courier",
    "italic": "Helvetica-Oblique",
    "mono_bold": "Courier-Bold",
}


def words(x: float, y: float, text: str, *, size: float = 10, font: str = "plain", turn: int = 0) -> str:
    """Words whose base line begins at a place; `turn` is 0, 90, 180 or 270 degrees against the clock."""
    a, b = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}[turn]
    shown = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT /{font} {size} Tf {a} {b} {-b} {a} {x} {y} Tm ({shown}) Tj ET"


def rule(x0: float, y0: float, x1: float, y1: float) -> str:
    """A thin line."""
    return f"0.5 w {x0} {y0} m {x1} {y1} l S"


def row(y: float, *cells: tuple[float, str], font: str = "plain") -> str:
    """Words on one base line."""
    return "\n".join(words(x, y, text, font=font) for x, text in cells)


def paragraph(x: float, y: float, *lines: str, font: str = "plain", gap: float = 12) -> str:
    """Lines one below the other."""
    return "\n".join(words(x, y - gap * at, text, font=font) for at, text in enumerate(lines))


def drawn(
    *pages: Sequence[str], title: str = "", rotate: int = 0, annotations: str = "", form: str = ""
) -> bytes:
    """A PDF with these pages; `annotations` are on each of them."""
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {form} >>",
        "",
        f"<< /Title ({title}) >>",
        *(f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} >>" for name in _FONTS.values()),
    ]
    fonts = " ".join(f"/{font} {at} 0 R" for at, font in enumerate(_FONTS, 4))
    kids: list[int] = []
    for page in pages:
        stream = "\n".join(page)
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate {rotate} "
            f"/Contents {len(objects)} 0 R /Annots [{annotations}] /Resources << /Font << {fonts} >> >> >>"
        )
        kids.append(len(objects))
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] /Count {len(kids)} >>"
    return pdf_file(objects, "/Info 3 0 R")
