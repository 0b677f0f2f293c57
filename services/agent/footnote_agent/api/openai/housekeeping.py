"""Requests that chat interfaces send on their own: for titles, tags, follow-ups, search words. Pure.

Such a request holds the chat as one long instruction. As a turn it would search the documents for the
instruction, and leave a thread that nobody asked for. So it is answered by rule: a title is the beginning of
the first question, and nothing else is offered.
"""

import json

_TITLE_WORDS, _TITLE_CHARS = 6, 60
_EMPTY: tuple[tuple[str, object], ...] = (
    ("follow_ups", []),
    ("queries", []),
    ("tags", []),
    ("text", ""),
    ("prompt", ""),
)
"""What Open WebUI is answered, by the name that its instruction gives to the result."""
_TITLES_OF_LIBRECHAT = (
    "provide a concise, 5-word-or-less title for the conversation",
    "please generate a concise, 5-word-or-less title",
    "analyze this conversation and provide:",
)


def housekeeping_answer(text: str) -> str | None:
    """The answer to a request of an interface; None for a question of a person."""
    opening = text.lstrip()[:100].lower()
    if opening.startswith("### task:"):
        instruction, mark, chat = text.partition("<chat_history>")
        return _of_open_webui(instruction, chat) if mark else None
    if opening.startswith(_TITLES_OF_LIBRECHAT):
        return _title(text.partition("onversation:")[2] or text, "User:")
    return None


def _of_open_webui(instruction: str, chat: str) -> str | None:
    if '"title"' in instruction:
        return json.dumps({"title": _title(chat, "USER:")}, ensure_ascii=False)
    for name, empty in _EMPTY:
        if f'"{name}"' in instruction:
            return json.dumps({name: empty})
    return None


def _title(chat: str, speaker: str) -> str:
    """The first words of what the user said first."""
    said = chat.partition(speaker)[2].strip().partition("\n")[0][:1000]
    words = " ".join(said.split()[:_TITLE_WORDS])[:_TITLE_CHARS]
    return words.rstrip(" ?!.,;:") or "New chat"
