"""What to search for: the question, and with a follow-up what it leaves unsaid. Pure rules, no model."""

from collections.abc import Sequence

from footnote_agent.context.asked_turn import Exchange
from footnote_shared.kernel.follow_ups import is_follow_up
from footnote_shared.kernel.query_operators import read_query

_QUERY_CHARS = 2000


def search_query(text: str, history: Sequence[Exchange], limit: int = _QUERY_CHARS) -> str:
    """The question, or a follow-up together with the words of the question before it.

    Operators such as `title:` and `-word` held for that question alone.
    """
    earlier = [exchange.text for exchange in history if exchange.role == "user"]
    if earlier and is_follow_up(text):
        return f"{read_query(earlier[-1][-limit:]).text} {text}"[-limit:]
    return text[:limit]
