"""What becomes of the bytes of a body: unpacked piece by piece, and read in the right charset."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.egress.charset import decoded
from footnote_shared.egress.errors import SiteFailed
from footnote_shared.egress.unpacking import SiteUnpacker
from footnote_shared.kernel.unpacking import PIECE_BYTES


def unpacked(received: list[bytes], encoding: str = "gzip") -> bytes:
    unpacker = SiteUnpacker(encoding)
    pieces = [piece for bytes_ in received for piece in unpacker.unpack(bytes_)]
    unpacker.check_end()
    assert all(0 < len(piece) <= PIECE_BYTES for piece in pieces)
    return b"".join(pieces)


class TestUnpacking:
    @given(st.lists(st.binary(max_size=300), min_size=1, max_size=3), st.integers(1, 50), st.integers(0, 3))
    def test_what_was_packed_comes_out_however_it_is_cut(
        self, members: list[bytes], size: int, zeros: int
    ) -> None:
        packed = b"".join(map(gzip.compress, members)) + b"\0" * zeros
        cut = [packed[at : at + size] for at in range(0, len(packed), size)]
        assert unpacked(cut) == b"".join(members)

    @pytest.mark.parametrize("size", [PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 5 * PIECE_BYTES])
    def test_long_bodies_come_in_pieces(self, size: int) -> None:
        assert unpacked([gzip.compress(b"a" * size)]) == b"a" * size
        assert unpacked([b"a" * size], "") == b"a" * size

    def test_many_small_packages_are_unpacked_as_one(self) -> None:
        words = [f"word {n} ".encode() for n in range(2000)]
        assert unpacked([b"".join(map(gzip.compress, words))]) == b"".join(words)

    def test_a_bomb_is_unpacked_no_further_than_it_is_asked_for(self) -> None:
        bomb = gzip.compress(b"\0" * (64 * 2**20), mtime=0)
        pieces = SiteUnpacker("gzip").unpack(bomb)
        assert [len(next(pieces)) for _ in range(3)] == [PIECE_BYTES] * 3

    def test_what_is_packed_wrongly_is_refused(self) -> None:
        for packed in (b"no gzip", gzip.compress(b"a" * 999)[:-9], gzip.compress(b"a") + b"rest"):
            with pytest.raises(SiteFailed):
                unpacked([packed])

    @pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip", "nonsense"])
    def test_what_was_not_asked_for_is_refused(self, encoding: str) -> None:
        with pytest.raises(SiteFailed):
            SiteUnpacker(encoding)


class TestCharset:
    @pytest.mark.parametrize(
        ("body", "kind", "text"),
        [
            ("Grüße".encode(), "text/html", "Grüße"),
            ("Grüße".encode(), "text/html; charset=iso-8859-1", "Grüße"),
            ("Grüße".encode("latin-1"), "text/html; charset=utf-8", "Grüße"),
            ("Grüße".encode("latin-1"), "text/html", "Grüße"),
            ("Привет".encode("cp1251"), 'text/html; Charset="windows-1251"', "Привет"),
            ("Привет".encode("koi8-r"), "text/html;charset=koi8-r", "Привет"),
            ("日本".encode("iso2022_jp"), "text/html; charset=ISO-2022-JP", "日本"),
            ("日本".encode("shift_jis"), "text/html; charset=Shift_JIS", "日本"),
            ("Grüße".encode("utf-8-sig"), "text/html; charset=latin1", "Grüße"),
            ("Grüße".encode("utf-16"), "text/html; charset=latin1", "Grüße"),
            (
                "<meta charset='windows-1251'>Да".encode("cp1251"),
                "text/html",
                "<meta charset='windows-1251'>Да",
            ),
            (
                '<?xml version="1.0" encoding="koi8-r"?>Да'.encode("koi8-r"),
                "text/xml",
                '<?xml version="1.0" encoding="koi8-r"?>Да',
            ),
            ("Grüße".encode("latin-1"), "text/html; charset=nonsense", "Grüße"),
            ("Grüße".encode("latin-1"), "text/html; charset=zlib", "Grüße"),
            ("Grüße".encode("latin-1"), "text/html; charset=", "Grüße"),
            ("“a”".encode("cp1252"), "text/html; charset=unicode_escape", "“a”"),
        ],
    )
    def test_text_is_read_as_its_bytes_and_its_site_say(self, body: bytes, kind: str, text: str) -> None:
        assert decoded(body, kind) == text

    @given(st.binary(max_size=200), st.text(max_size=60))
    def test_any_bytes_under_any_name_give_a_text(self, body: bytes, kind: str) -> None:
        assert isinstance(decoded(body, f"text/html; charset={kind}"), str)
        assert isinstance(decoded(kind.encode("utf-8", "replace") + body, kind), str)
