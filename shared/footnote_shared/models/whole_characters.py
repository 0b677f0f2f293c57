"""Halves of surrogate pairs in what a model writes, which nobody can store or send as UTF-8.

JSON may write a character beyond the first plane as two halves (RFC 8259, section 8.2). An endpoint that cuts
its text between tokens may send the halves in two pieces, or only one of them.
"""

_FIRST_HALVES = "\ud800", "\udbff"


class WholeCharacters:
    """Joins halves across the pieces of one text. Pure."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, text: str) -> str:
        """The text of this piece in whole characters. A first half at its end waits for the next piece."""
        if not self._half and text.isascii():
            return text
        text, self._half = self._half + text, ""
        if text and _FIRST_HALVES[0] <= text[-1] <= _FIRST_HALVES[1]:
            text, self._half = text[:-1], text[-1]
        return whole(text)

    def close(self) -> str:
        """What stands for a half that still waits."""
        half, self._half = self._half, ""
        return whole(half)


def whole(text: str) -> str:
    """The text with its halves joined, and U+FFFD in the place of each that has no other."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
