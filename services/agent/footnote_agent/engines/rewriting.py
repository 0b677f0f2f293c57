"""What to search for in a conversation: a question that stands alone, written by the role `fast`.

Rules do it where there is no such model, or where it does not answer in time (`context/query.py`).
"""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

from footnote_agent.context.asked_turn import Exchange
from footnote_agent.context.bill import Bill
from footnote_agent.context.prompt import messages_for
from footnote_agent.context.query import search_query
from footnote_agent.engines.work_places import elsewhere
from footnote_shared.models.protocol import ChatModel, ModelFailed, Prompt
from footnote_shared.telemetry import metrics

_EXCHANGES = 6
"""Latest messages that a rewrite may lean on."""

_TOKENS = 120
_CHARS = 500
"""Longest query. A model that writes more has answered the question instead."""

_INSTRUCTIONS = """\
You rewrite the last question of a conversation as one search query that can be understood without the \
conversation. Put in the names that words such as "it" or "there" stand for. Keep the language, names and \
numbers of the question, add nothing else, and do not answer it. Write the query alone, on one line."""


@dataclass(frozen=True, slots=True)
class StandaloneQuery:
    """A query and who wrote it: `rules`, or a model by its name.

    `missing` names the model that did not answer, and why, for what the record calls degraded.
    """

    query: str
    by: str = "rules"
    missing: str | None = None


class QueryWriter:
    """Asks `model` for at most `timeout_s` seconds."""

    def __init__(self, model: ChatModel, timeout_s: float) -> None:
        self._model = model
        self._timeout_s = timeout_s

    async def rewrite(self, text: str, history: Sequence[Exchange], bill: Bill) -> StandaloneQuery:
        """The query for a question behind this history."""
        try:
            # The time is the model's alone: the turn's way back to work may take longer.
            async with elsewhere(), asyncio.timeout(self._timeout_s):
                written = await self._ask(text, history, bill)
        except TimeoutError:
            return self._by_rules(text, history, "timeout")
        except ModelFailed as failure:
            return self._by_rules(text, history, failure.reason)
        if query := one_line(written):
            return StandaloneQuery(query, self._model.name)
        return self._by_rules(text, history, "nonsense")

    async def _ask(self, text: str, history: Sequence[Exchange], bill: Bill) -> str:
        messages = messages_for(history[-_EXCHANGES:], text, None)
        prompt = Prompt(_INSTRUCTIONS, messages, _TOKENS)
        written = ""
        async with aclosing(bill.counted(self._model.stream(prompt))) as answer:
            async for piece in answer:
                if isinstance(piece, str):
                    written += piece
        return written

    def _by_rules(self, text: str, history: Sequence[Exchange], reason: str) -> StandaloneQuery:
        metrics.DEGRADED.labels("fast_model").inc()
        return StandaloneQuery(search_query(text, history), missing=f"fast_model:{reason}")


def one_line(written: str) -> str:
    """The first line that says something, without quotation marks around it; nothing if it is too long."""
    lines = (line.strip().strip("\"'`“”").strip() for line in written.splitlines())
    line = next((line for line in lines if line), "")
    return line if len(line) <= _CHARS else ""
