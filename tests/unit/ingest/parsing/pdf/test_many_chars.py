"""A font may say of one letter that it stands for thousands, and a page may hold more than people read.

Of such a letter the first 20 are kept, and such a page is left out. A warning tells both.
"""

import zlib

import pytest

from footnote_ingest.parsing.errors import ParseFailed
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.sample_files import pdf_file

CUT = "A font says of one letter that it stands for more than 20 characters: the others were left out."


def telling(*pages: tuple[int, str], each: int = 20, packed: bool = False) -> bytes:
    """Pages with letters, a thousandth so many as they stand for, in a font whose "A" stands for `each`.

    Each page has a line in another font, too.
    """
    told = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def "
        "1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar "
        f"<41> <{'0061' * each}> endbfchar endcmap end end"
    )
    if packed:
        told = zlib.compress(told.encode()).decode("latin-1")
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R >>",
        f"<< /Length {len(told)} {'/Filter /FlateDecode' if packed else ''} >>\nstream\n{told}\nendstream",
    ]
    kids: list[int] = []
    for count, line in pages:
        letters = "A" * (count * 1000 // each)
        stream = f"BT /B 10 Tf 50 700 Td ({letters}) Tj ET BT /P 10 Tf 50 600 Td ({line}) Tj ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects)} 0 R "
            "/Resources << /Font << /P 3 0 R /B 4 0 R >> >> >>"
        )
        kids.append(len(objects))
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] /Count {len(kids)} >>"
    return pdf_file(objects)


def test_a_page_with_too_many_characters_is_left_out() -> None:
    extracted = parsed_here(telling((0, "The orchard is open."), (251, "Nobody reads this.")), "a.pdf")
    assert extracted.text == "The orchard is open."
    assert extracted.warnings == ("Page 2 holds more than 250,000 characters and is left out.",)


def test_several_pages_are_named_together() -> None:
    extracted = parsed_here(telling((251, "No."), (0, "The orchard is open."), (300, "No.")), "a.pdf")
    assert extracted.warnings == ("Pages 1, 3 hold more than 250,000 characters each and are left out.",)


def test_a_page_with_fewer_is_read() -> None:
    assert "Someone reads this." in parsed_here(telling((249, "Someone reads this.")), "a.pdf").text


def test_a_file_of_such_pages_is_refused() -> None:
    with pytest.raises(ParseFailed, match="Page 1 holds more than 250,000 characters") as failed:
        parsed_here(telling((251, "Nobody reads this.")), "a.pdf")
    assert failed.value.code == "too_large"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("each", "warnings"), [(20, ()), (21, (CUT,)), (20_000, (CUT,))])
def test_a_letter_stands_for_twenty_at_most(each: int, warnings: tuple[str, ...], packed: bool) -> None:
    """40 letters of 20,000 each took 257 MB, before anything could count them."""
    extracted = parsed_here(telling((200, "The ship."), each=each, packed=packed), "a.pdf")
    assert extracted.text.count("a") == 20 * (200_000 // each)
    assert extracted.text.endswith("The ship.")
    assert extracted.warnings == warnings


def test_maps_that_never_end_are_told_once_they_are_too_much_to_read() -> None:
    file = telling((0, "The orchard is open.")) + b"stream\nbegincmap <" * 20_000
    with pytest.raises(ParseFailed) as failed:
        parsed_here(file, "a.pdf")
    assert failed.value.reason == "The fonts of the PDF say too much of their letters to be read."
