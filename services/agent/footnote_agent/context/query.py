"""What to search for: the question, and with a follow-up what it leaves unsaid. Pure rules, no model."""

import re
from collections.abc import Sequence

from footnote_agent.context.asked_turn import Exchange
from footnote_shared.kernel.follow_ups import is_follow_up
from footnote_shared.kernel.query_operators import read_query

_QUERY_CHARS = 2000
_TOPIC_CHARS = 1000
_LOOK_BACK = 8
"""Questions of a conversation in which the one that all later ones lean on is looked for, at most."""

_INSTEAD = re.compile(r"(?:and|but|what about|how about) (?:the )?([^\s?!]+)", re.IGNORECASE)
"""A question that only puts another name in place of the one before it: "And Windows?"."""

_LONGEST_INSTEAD = 80
"""Characters of such a question at most."""

_TOKEN = re.compile(r"[^\s?!,;()]+")


def search_query(text: str, history: Sequence[Exchange], limit: int = _QUERY_CHARS) -> str:
    """The question, or a follow-up together with the words of the question that it leans on.

    One that leans on a third one is searched with that. Operators such as `title:` and `-word` held for the
    question that they stand in alone.
    """
    topic = topic_of(text, history)
    if not topic:
        return text[:limit]
    instead = _with_other_name(topic, text)
    return (instead or f"{topic} {text}")[-limit:]


def question_of(text: str, history: Sequence[Exchange]) -> str:
    """The question as it is meant: that before it with another name, where it only gives one."""
    topic = topic_of(text, history)
    return (_with_other_name(topic, text) if topic else "") or text


def topic_of(text: str, history: Sequence[Exchange]) -> str:
    """The question on which a follow-up leans, without operators; empty for a question of its own."""
    earlier = [exchange.text for exchange in history if exchange.role == "user"][-_LOOK_BACK:]
    if not earlier or not is_follow_up(text):
        return ""
    topic = ""
    for question in earlier:
        plain = read_query(question[-_TOPIC_CHARS:]).text
        leans = topic and is_follow_up(question)
        topic = (_with_other_name(topic, plain) or topic) if leans else plain
    return topic


def _with_other_name(topic: str, text: str) -> str:
    """The question with the name that a follow-up asks about in place of its last one of the same form.

    Empty where the follow-up asks more than that, or the question has no such name.
    """
    text = text.strip().rstrip("?.! ")
    asked = _INSTEAD.fullmatch(text) if len(text) <= _LONGEST_INSTEAD else None
    form = _form(asked[1]) if asked else ""
    if not asked or not form:
        return ""
    names = [found for found in _TOKEN.finditer(topic) if found.start() and _form(found.group()) == form]
    if not names:
        return ""
    return f"{topic[: names[-1].start()]}{asked[1]}{topic[names[-1].end() :]}"


def _form(word: str) -> str:
    """How a name is written: a path, an option, with a figure, with a capital; empty for any other word."""
    if word[0] in "/-":
        return word[0]
    if any(char.isdigit() for char in word):
        return "figure"
    return "capital" if word[0].isupper() else ""
