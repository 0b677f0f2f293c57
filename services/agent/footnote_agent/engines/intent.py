"""What kind of message this is, by rules: only knowledge needs evidence (spec 5.7)."""

import re
from typing import Literal

Intent = Literal["knowledge", "chitchat", "command"]

_LONGEST = 160
"""Characters of a courtesy or an order at most. Longer text is content."""

_COURTESIES = (
    "hi",
    "hello",
    "hey",
    "hiya",
    "howdy",
    "greetings",
    "good (?:morning|afternoon|evening|day)",
    "thanks?",
    "thank you",
    "thx",
    "cheers",
    "bye",
    "goodbye",
    "see you",
    "ok(?:ay)?",
    "great",
    "cool",
    "nice",
    "perfect",
    "got it",
    "how are you(?: doing)?",
    "what(?:'|’)?s up",
    "who are you",
    "what are you",
    "what can you do",
    "hallo",
    "danke",
    "hola",
    "gracias",
    "bonjour",
    "merci",
    "ciao",
    "grazie",
)
_TRIMMINGS = (
    "there",
    "all",
    "everyone",
    "again",
    "so much",
    "very much",
    "a lot",
    "today",
    "then",
    "footnote",
)
_ORDERS = (
    "translate",
    "rephrase",
    "reword",
    "rewrite",
    "shorten",
    "simplify",
    "expand",
    "repeat",
    "reformat",
    "summari[sz]e",
    "put",
    "turn",
    "say",
    "make",
    "format",
)
_EARLIER_ANSWERS = (
    "that",
    "this",
    "it",
    "your (?:last )?(?:answer|reply|response)",
    "the (?:last|previous|above) (?:answer|reply|response)",
)
_MANNERS = (
    "again",
    "shorter",
    "longer",
    "simpler",
    "more simply",
    "(?:in|into|as|to) .{1,40}",
)


def _any_of(words: tuple[str, ...]) -> str:
    return f"(?:{'|'.join(words)})"


_CHITCHAT = re.compile(rf"(?:{_any_of(_COURTESIES)}(?: {_any_of(_TRIMMINGS)})*[\s,.!?]*)+", re.IGNORECASE)
_COMMAND = re.compile(
    rf"(?:please )?(?:(?:can|could|would) you )?(?:please )?{_any_of(_ORDERS)}\b"
    rf".{{0,60}}?\b{_any_of(_EARLIER_ANSWERS)}\b(?: {_any_of(_MANNERS)})?[\s.!?]*",
    re.IGNORECASE,
)


def intent_of(text: str, *, has_history: bool) -> Intent:
    """`chitchat` for mere courtesies, `command` for work on the last answer, else `knowledge`.

    When in doubt, it is knowledge: a needless search costs less than an answer without evidence.
    """
    stripped = " ".join(text.split())
    if len(stripped) > _LONGEST:
        return "knowledge"
    if _CHITCHAT.fullmatch(stripped):
        return "chitchat"
    if has_history and _COMMAND.fullmatch(stripped):
        return "command"
    return "knowledge"
