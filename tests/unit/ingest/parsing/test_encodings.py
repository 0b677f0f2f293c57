"""When bytes are text, and of which encoding."""

import pytest

from footnote_ingest.parsing.encodings import REPAIRED, decode, detect
from footnote_ingest.parsing.telling_letters import encoding_by_letters


def with_controls(controls: int, length: int) -> bytes:
    return b"\x01" * controls + b"a" * (length - controls)


@pytest.mark.parametrize(
    ("controls", "length", "encoding"),
    [(2, 100, "utf-8"), (3, 100, None), (5, 1000, "utf-8"), (6, 1199, None), (5, 1199, "utf-8")],
)
def test_text_holds_two_control_characters_or_one_in_200(
    controls: int, length: int, encoding: str | None
) -> None:
    assert detect(with_controls(controls, length)) == encoding


@pytest.mark.parametrize(("controls", "is_text"), [(2, True), (3, False)])
def test_so_does_text_with_a_byte_order_mark(controls: int, is_text: bool) -> None:
    text = "\x01" * controls + "a" * (100 - controls)
    assert (detect(text.encode("utf-16")) is not None) is is_text


@pytest.mark.parametrize(
    ("latin", "other", "odd_zeros", "encoding"),
    [(41, 59, 0, "utf-16-le"), (40, 60, 0, None), (51, 0, 1, "utf-16-le"), (98, 0, 2, None)],
)
def test_utf16_without_a_mark_shows_by_its_zeros(
    latin: int, other: int, odd_zeros: int, encoding: str | None
) -> None:
    """Pairs of bytes: Latin letters, letters of another script, and pairs whose first byte is zero."""
    data = b"a\x00" * latin + "д".encode("utf-16-le") * other + "Ā".encode("utf-16-le") * odd_zeros
    assert detect(data) == encoding


@pytest.mark.parametrize(("letters", "is_text"), [(50, True), (49, False)])
def test_half_of_the_characters_of_utf16_are_letters(letters: int, is_text: bool) -> None:
    text = ("абвгдежзий" * 5)[:letters] + " " + "№" * (99 - letters)
    assert (detect(text.encode("utf-16-le")) == "utf-16-le") is is_text


@pytest.mark.parametrize(("others", "is_text"), [(19, True), (18, False)])
def test_nine_tenths_of_the_bytes_of_chinese_in_utf16_may_look_like_ascii(others: int, is_text: bool) -> None:
    """Both bytes of each letter do here, and one byte of each zero and of the space."""
    text = ("中丽书买" * 25)[: 99 - others] + "〇" * others + " "
    assert (detect(text.encode("utf-16-le")) == "utf-16-le") is is_text


@pytest.mark.parametrize(("good", "is_repaired"), [("éé", True), ("€", False)])
def test_broken_utf8_has_four_good_bytes_for_each_bad_one(good: str, is_repaired: bool) -> None:
    assert (detect(good.encode() + b" \xff end") == REPAIRED) is is_repaired


@pytest.mark.parametrize(("length", "encoding"), [(255, "cp1252"), (256, "cp1250")])
def test_statistics_tell_czech_from_256_bytes_on(length: int, encoding: str) -> None:
    text = "Moře bylo klidne. Lod kotvila v malem pristavu a kapitan dal povel k odplouti, vecer. " * 6
    assert detect(text.encode("cp1250")[:length]) == encoding


@pytest.mark.parametrize(("plain", "encoding"), [(4, "cp1252"), (3, None)])
def test_western_text_has_one_accent_in_five_at_most(plain: int, encoding: str | None) -> None:
    """0x81 is not defined in Windows-1252, 0xe9 is."""
    found = detect(b"a" * plain + b"\xe9")
    assert (found == "cp1252") is (encoding == "cp1252")


@pytest.mark.parametrize(("length", "is_text"), [(4800, True), (4799, False)])
def test_a_byte_in_fifty_makes_no_text_binary(length: int, is_text: bool) -> None:
    """A text with a table of the signs from 0xa0 on, which are words of no language."""
    table = b"\n" + bytes(range(0xA0, 0x100))
    assert (detect(b"a" * (length - len(table)) + table) is not None) is is_text


CAT = "吾輩は猫である。名前はまだ無い。"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((CAT * times, name) for times in (1, 9) for name in ("cp932", "euc_jp", "iso2022_jp")),
        ("人人生而自由，在尊严和权利上一律平等。" * 9, "gb18030"),
        ("모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. " * 5, "cp949"),
        ("Съешь же ещё этих мягких французских булок да выпей чаю. " * 5, "cp1251"),
    ],
)
def test_japanese_is_told_by_its_kana(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_escapes_of_a_terminal_are_no_japanese() -> None:
    said = "\x1b[1mFerries\x1b[0m cost \x1b$Bless"
    assert decode(said.encode()).encoding == "utf-8"


class TestShortTextsThatLettersTell:
    """What statistics take for another language."""

    GREEK = "Το γρήγορο αλεπού πηδάει πάνω από τον τεμπέλη σκύλο. Ένα κείμενο στα ελληνικά."
    TURKISH = "Pijamalı hasta yağız şoföre çabucak güvendi. Bu kısa bir metindir."
    POLISH = "Zażółć gęślą jaźń, pójdźże kiń tę chmurność w głąb flaszy."
    RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю. Это короткий текст."
    SPANISH = "¿Cómo está el niño? Mañana jugará más allá del jardín, señor."
    ICELANDIC = "Það er gott að búa í þorpinu við ána, ný hús standa þar og það þykir öllum gott."

    @pytest.mark.parametrize(
        ("text", "encoding", "told"),
        [
            (GREEK, "cp1253", "cp1253"),
            (GREEK.replace("Ένα", "Άλλα"), "iso8859_7", "iso8859_7"),
            ("Ο σκύλος και ο άνδρας", "cp1253", "cp1253"),
            (TURKISH, "cp1254", "cp1254"),
            (TURKISH, "iso8859_9", "cp1254"),
            (POLISH, "iso8859_2", "iso8859_2"),
            (POLISH, "cp1250", None),
            (RUSSIAN, "cp1251", None),
            (RUSSIAN, "koi8_r", None),
            (SPANISH, "cp1252", None),
            (ICELANDIC, "cp1252", None),
            ("Der Bär läuft schön über die Brücke", "cp1252", None),
        ],
    )
    def test_are_read_in_their_encoding(self, text: str, encoding: str, told: str | None) -> None:
        data = text.encode(encoding)
        assert encoding_by_letters(data) == told
        if told is not None:
            assert decode(data).text == text

    @pytest.mark.parametrize(("words", "told"), [("aş ağ eş", "cp1254"), ("aş ağ e", None)])
    def test_three_letters_tell_turkish(self, words: str, told: str | None) -> None:
        assert encoding_by_letters(words.encode("cp1254")) == told

    @pytest.mark.parametrize(
        ("words", "told"), [("ναός λαός", "cp1253"), ("ναός λαοσ", None), ("λαός", None)]
    )
    def test_two_words_tell_greek(self, words: str, told: str | None) -> None:
        assert encoding_by_letters(words.encode("cp1253")) == told

    @pytest.mark.parametrize(("others", "told"), [(3, "cp1253"), (4, None)])
    def test_seven_eighths_of_the_words_end_as_greek_ones_do(self, others: int, told: str | None) -> None:
        words = ["λαός"] * 17 + ["λαδ"] * others
        assert encoding_by_letters(" ".join(words).encode("cp1253")) == told
