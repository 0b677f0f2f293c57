"""The language of a document and of each of its chunks."""

import pytest

from footnote_ingest.chunking.chunk_draft import ChunkDraft
from footnote_ingest.chunking.languages import with_languages
from footnote_ingest.parsing.elements import Kind

TEXTS = {
    "de": "Die Garantie gilt zwei Jahre ab dem Tag des Kaufs und deckt auch die Kosten der Arbeit.",
    "en": "The warranty holds for two years from the day of purchase and covers the cost of labour.",
    "es": "La garantía vale dos años desde el día de la compra y cubre también el coste del trabajo.",
    "fr": "La garantie est valable deux ans à compter du jour de l'achat et couvre la main-d'œuvre.",
    "it": "La garanzia vale due anni dal giorno dell'acquisto e copre anche il costo della manodopera.",
    "ja": "保証期間は購入日から二年間で、作業の費用も含まれています。修理は無料で行われます。",
    "no": "Garantien gjelder i to år fra kjøpsdatoen og dekker også kostnadene for arbeidet som utføres.",
    "pl": "Gwarancja obowiązuje przez dwa lata od dnia zakupu i obejmuje również koszty robocizny.",
    "ru": "Гарантия действует два года со дня покупки и покрывает также расходы на работу мастера.",
    "zh": "保修期为自购买之日起两年,还包括人工费用。如果产品出现故障,我们将免费为您维修或者更换。",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_is_enough(language: str) -> None:
    assert told(TEXTS[language]) == ([language], language)


def test_a_chunk_in_another_language_has_its_own() -> None:
    assert told(TEXTS["de"], TEXTS["de"], TEXTS["fr"]) == (["de", "de", "fr"], "de")


def test_what_is_too_short_has_the_language_of_its_document() -> None:
    assert told(TEXTS["de"], "Fig. 3: Motor") == (["de", "de"], "de")


@pytest.mark.parametrize(
    ("declared", "expected"), [("de-AT", "de"), ("en_GB", "en"), ("nb", "no"), ("", None), ("Klingon", None)]
)
def test_where_the_text_does_not_tell_the_document_does(declared: str, expected: str | None) -> None:
    assert told("12 34 56", declared=declared) == ([expected], expected)


def test_a_wrong_declaration_does_not_count_against_the_text() -> None:
    assert told(TEXTS["de"], declared="en")[1] == "de"


def test_short_pieces_tell_the_language_together() -> None:
    assert told("Die Garantie", "gilt zwei Jahre", "ab dem Kauf") == (["de", "de", "de"], "de")


def test_code_has_no_language_and_does_not_tell_that_of_its_document() -> None:
    code = "# The warranty holds for two years from the day of purchase.\n" * 9
    chunks, document = with_languages([draft(0, code, "code"), draft(1, TEXTS["de"])], None)
    assert ([chunk.language for chunk in chunks], document) == ([None, "de"], "de")


@pytest.mark.parametrize("text", ["\ud800" * 50, "\0" * 50, "Ü" * 100_000, "a" * 1_000_000, "\n" * 50 + "x"])
def test_hostile_text_is_read(text: str) -> None:
    assert told(TEXTS["de"], text, TEXTS["de"])[1] == "de"


def told(*texts: str, declared: str | None = None) -> tuple[list[str | None], str | None]:
    """The language of each chunk, and that of the document."""
    chunks, document = with_languages([draft(*one) for one in enumerate(texts)], declared)
    return [chunk.language for chunk in chunks], document


def draft(ordinal: int, text: str, kind: Kind = "paragraph") -> ChunkDraft:
    return ChunkDraft(
        ordinal=ordinal,
        text=text,
        kind=kind,
        heading_path=(),
        page_start=None,
        page_end=None,
        char_start=0,
        char_end=len(text),
        policy="prose",
        policy_version=1,
        tokens=len(text.split()),
        embed_text=text,
        text_hash="",
    )


@pytest.mark.parametrize(("last", "language"), [("ici", "fr"), ("du", "de")])
def test_a_chunk_of_forty_letters_has_its_own_language(last: str, language: str) -> None:
    french = f"La garantie vaut deux ans et couvre les frais {last}"
    assert told(TEXTS["de"], french)[0] == ["de", language]


@pytest.mark.parametrize(("last", "language"), [("Ja", "de"), ("J", "de"), ("", None)])
def test_a_document_of_twenty_letters_has_a_language(last: str, language: str | None) -> None:
    assert told(f"Die Garantie gilt zwei {last}")[1] == language


@pytest.mark.parametrize(
    ("mixed", "language"),
    [
        ("the ab years Jahre of Kaufs Garantie warranty purchase l'achat Tag gilt deux the", "fr"),
        ("à Kaufs Kosten main-d'œuvre. la labour. the Die Jahre und valable gilt", "de"),
    ],
)
def test_the_detector_is_believed_from_a_score_of_six_tenths_on(mixed: str, language: str) -> None:
    """It takes both for French, with 0.604 and 0.561."""
    assert told(TEXTS["de"], mixed)[0] == ["de", language]
