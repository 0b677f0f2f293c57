"""What to search for: the question, and with a follow-up what it leaves unsaid. Pure rules, no model."""

import re
from collections.abc import Sequence

from footnote_agent.context.asked_turn import Exchange

_POINTING = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|former|latter|same|one|ones|there)\b",
    re.IGNORECASE,
)
_CONTINUING = re.compile(
    r"^\s*(?:and|but|so|also|then|what about|how about|why|how so|what else|which ones?)\b", re.IGNORECASE
)
_WORD = re.compile(r"\w+")
_SHORT = 4
_QUERY_CHARS = 2000


def search_query(text: str, history: Sequence[Exchange], limit: int = _QUERY_CHARS) -> str:
    """The question, or a follow-up together with the question before it."""
    earlier = [exchange.text for exchange in history if exchange.role == "user"]
    if earlier and is_follow_up(text):
        return f"{earlier[-1]} {text}"[-limit:]
    return text[:limit]


def is_follow_up(text: str) -> bool:
    """Whether the question leans on what was said before: it is a fragment, goes on, or points back."""
    words = _WORD.findall(text)
    if len(words) <= _SHORT and not re.search(r"[A-Z]{2,}|\d", text):
        return True
    return bool(_CONTINUING.search(text)) or (len(words) <= 12 and bool(_POINTING.search(text)))
