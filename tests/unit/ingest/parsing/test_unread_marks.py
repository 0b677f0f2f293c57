"""Signatures and settings of editors in a plain text are read by nobody."""

import pytest

from footnote_ingest.parsing.unread_marks import without_unread_marks
from tests.unit.ingest.parsing.here import parsed_here

TEXT = "The ferry crosses the harbour twice each hour.\n"
SIGNED = (
    f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\n{TEXT}\n"
    "-----BEGIN PGP SIGNATURE-----\nVersion: 1\n\niD8DBQ=\n-----END PGP SIGNATURE-----\n"
)


@pytest.mark.parametrize(
    "text",
    [
        SIGNED,
        f"{TEXT}\n# vim:tw=79 ai:\n",
        f"/* vi: set sw=4 ts=4: */\n\n{TEXT}",
        f"{TEXT}\n;; Local Variables:\n;; mode: text\n;; End:\n",
        f"{TEXT}\nex: set ts=4\n",
    ],
)
def test_they_are_blank(text: str) -> None:
    assert without_unread_marks(text).split() == TEXT.split()
    assert len(without_unread_marks(text)) == len(text)
    assert [element.text for element in parsed_here(text, "a.txt").elements] == [TEXT.strip()]


@pytest.mark.parametrize(
    "text",
    [
        f"{TEXT}{SIGNED}",
        f"{TEXT}\nvim: an editor (of texts)\n",
        f"{TEXT * 100}\n# vim:tw=79\n{TEXT * 100}",
        "A key has these lines:\n-----BEGIN PGP SIGNATURE-----\n",
        f"Local variables:\n\n{TEXT}\nEnd:\n",
        "Local variables:\nmode: what a text is\n",
        f"{TEXT}\nex: a=3, b=4\n",
    ],
    ids=["quoted", "a sentence", "in the middle", "a mark alone", "a heading", "no end", "an example"],
)
def test_other_words_stay(text: str) -> None:
    assert without_unread_marks(text) == text
