"""Answer records as their reader may see them: no quote of a source that was withdrawn (docs/adr/0021)."""

from typing import Any

from footnote_agent.contracts.answer_records import AnswerRecord
from footnote_agent.tools.readable import readable_numbers
from footnote_shared.clients.resolver import ResolverClient
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import Turn


async def record_as_readable(
    resolver: ResolverClient, caller: Principal, record: AnswerRecord
) -> AnswerRecord:
    """The record of an answer. The quotes that it may keep are shown as those of a message are."""
    content = record.content
    if content is None or not content.quotes:
        return record
    readable = await readable_numbers(resolver, caller, record.thread_id, sorted(content.quotes))
    quotes = {n: quote for n, quote in content.quotes.items() if n in readable}
    return record.model_copy(update={"content": content.model_copy(update={"quotes": quotes})})


async def with_readable_record(resolver: ResolverClient, caller: Principal, turn: Turn) -> Turn:
    """The turn; the record in it as its reader may see it."""
    if not turn.record.get("content"):
        return turn
    record = await record_as_readable(resolver, caller, AnswerRecord.model_validate(turn.record))
    shown: dict[str, Any] = record.model_dump(mode="json", exclude_none=True)
    return turn.model_copy(update={"record": shown})
