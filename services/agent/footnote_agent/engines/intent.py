"""What kind of message this is, by rules: only knowledge needs evidence (spec 5.7)."""

import re
from typing import Literal

Intent = Literal["knowledge", "chitchat", "command"]

_CHITCHAT = re.compile(
    r"(?:(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|thanks?|thank you|thx|cheers|bye|goodbye|"
    r"see you|ok(?:ay)?|great|cool|nice|perfect|got it|how are you(?: doing)?|what(?:'|’)?s up|who are you|what are you|"
    r"what can you do|hallo|danke|hola|gracias|bonjour|merci|ciao|grazie)"
    r"(?: (?:there|all|everyone|again|so much|very much|a lot|today|then|footnote))*[\s,.!?]*)+",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"(?:please )?(?:(?:can|could|would) you )?(?:please )?"
    r"(?:translate|rephrase|reword|rewrite|shorten|simplify|expand|repeat|reformat|summari[sz]e|put|turn|say|make|format)\b"
    r".{0,60}?\b(?:that|this|it|your (?:last )?(?:answer|reply|response)|the (?:last|previous|above) (?:answer|reply|response))\b"
    r"(?: (?:again|shorter|longer|simpler|more simply|in .{1,40}|into .{1,40}|as .{1,40}|to .{1,40}))?[\s.!?]*",
    re.IGNORECASE,
)


_LONGEST = 160
"""Courtesies and orders are short; longer text is content."""


def intent_of(text: str, *, has_history: bool) -> Intent:
    """`chitchat` for mere courtesies, `command` for work on the answer before, else `knowledge`: when in doubt, search."""
    stripped = " ".join(text.split())
    if len(stripped) > _LONGEST:
        return "knowledge"
    if _CHITCHAT.fullmatch(stripped):
        return "chitchat"
    if has_history and _COMMAND.fullmatch(stripped):
        return "command"
    return "knowledge"
