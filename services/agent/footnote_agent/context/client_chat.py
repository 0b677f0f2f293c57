"""Chats that a client of the OpenAI interface holds and sends whole each time. Pure.

Such a client names no thread. What it has sent and got so far has a fingerprint, and a thread that holds just
that is gone on in.
"""

import hashlib
import json
import re
from collections.abc import Sequence

from footnote_agent.context.asked_turn import Exchange
from footnote_shared.kernel.citation_tokens import NUMBER

SOURCES_HEADING = "**Sources**"
"""Stands alone on the line that begins the list of sources behind an answer."""

_MARKER = re.compile(rf"\[{NUMBER}\]")


def fingerprint(chat: Sequence[Exchange]) -> str:
    """The same for chats with the same questions and answers, whatever their layout and lists of sources."""
    plain = [[one.role, " ".join(without_sources(one.text).split())] for one in chat]
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:32]


def without_sources(answer: str) -> str:
    """An answer as it was before the list of its sources."""
    text = answer.replace("\r\n", "\n")
    before, heading, _ = text.rpartition(f"\n{SOURCES_HEADING}\n")
    return before if heading else text


def foreign_answer(answer: str) -> str:
    """An answer that we did not write, without its numbers: they stand for nothing in a thread of ours."""
    return _MARKER.sub("", without_sources(answer)).strip()


def whole_turns(chat: Sequence[Exchange], most: int) -> list[tuple[str, str]]:
    """The newest questions of a chat with their answers, oldest first. Questions without one are left out."""
    turns: list[tuple[str, str]] = []
    question = ""
    for one in chat:
        if one.role == "user":
            question = one.text.strip()
        elif question and (answer := foreign_answer(one.text)):
            turns.append((question, answer))
            question = ""
    return turns[-most:]
