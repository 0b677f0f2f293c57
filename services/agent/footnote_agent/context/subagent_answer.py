"""What a subagent has written, as it is shown to whoever asked: no number but those it saw. Pure."""

import re
from collections.abc import Collection

from footnote_shared.kernel.citation_tokens import NUMBER
from footnote_shared.kernel.neutralise import neutralise

ANSWER_CHARS = 12_000
_NUMBER = re.compile(NUMBER)
_LIST = re.compile(rf"\[({NUMBER}(?: ?[,;] ?{NUMBER}){{1,20}})\]")
_ONE = re.compile(rf"(\[{NUMBER}\])")


def numbers_kept(text: str, seen: Collection[int]) -> tuple[str, list[int]]:
    """The text with those of its numbers that the subagent was shown, and these in order of appearance.

    Whatever else looks like a citation or an envelope of ours is disarmed, as in a passage.
    """
    single = _LIST.sub(_apart, text[:ANSWER_CHARS])
    kept: dict[int, None] = {}
    pieces: list[str] = []
    for at, piece in enumerate(_ONE.split(single)):
        if at % 2 == 0:
            pieces.append(neutralise(piece))
        elif (n := int(piece[1:-1])) in seen:
            kept[n] = None
            pieces.append(piece)
    return "".join(pieces).strip(), list(kept)


def _apart(found: re.Match[str]) -> str:
    return "".join(f"[{n}]" for n in _NUMBER.findall(found[1]))
