"""Whether a question leans on what was said before it. Pure rules, no model."""

import re

_POINTING = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|former|latter|same|one|ones|there)\b",
    re.IGNORECASE,
)
_CONTINUING = re.compile(
    r"^\s*(?:and|but|so|also|then|what about|how about|why|how so|what else|which ones?)\b", re.IGNORECASE
)
_WORD = re.compile(r"\w+")
_SHORT = 4


def is_follow_up(text: str) -> bool:
    """Whether the question leans on what was said before: it is a fragment, goes on, or points back."""
    words = _WORD.findall(text)
    if len(words) <= _SHORT and not re.search(r"[A-Z]{2,}|\d", text):
        return True
    return bool(_CONTINUING.search(text)) or (len(words) <= 12 and bool(_POINTING.search(text)))
