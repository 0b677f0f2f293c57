"""The best passages are read again together with the query. When that fails, the fused order stands."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from footnote_retriever.funnel.candidates import Live
from footnote_retriever.funnel.trace import StepRun, Trace
from footnote_retriever.funnel.weigh import order_of, weighed
from footnote_retriever.rerankers.protocol import Reranker
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry.logs import logger

SHARE = 3
"""Passages reranked, as a multiple of `top_k` (spec 4.2.6)."""

_log = logger(__name__)


async def rerank(
    found: Sequence[Live],
    query: str,
    reranker: Reranker,
    *,
    top: int,
    timeout_s: float,
    trace: Trace,
    step: StepRun,
) -> list[Live]:
    """The first `top` by the reranker's scores, then the rest as it was. Equal scores keep their order.

    A score counts by the weight that its candidate has.

    On an error, or after the time limit, the order stays as it was and `degraded` says `rerank`.
    """
    head, tail = found[:top], found[top:]
    try:
        async with asyncio.timeout(timeout_s):
            scores = await reranker.score(query, [live.chunk.text for live in head])
    except (FootnoteError, TimeoutError) as error:
        reason = error.detail if isinstance(error, FootnoteError) else f"not done within {timeout_s:g} s"
        _log.warning("rerank.failed", reranker=reranker.name, reason=reason)
        step.notes["failed"] = reason
        trace.degrade("rerank")
        return list(found)
    weights = [live.candidate.weight for live in head]
    order = order_of(scores if set(weights) == {1.0} else weighed(scores, weights))
    reranked = [
        replace(head[index], reranked=rank, rerank_score=scores[index]) for rank, index in enumerate(order, 1)
    ]
    return [*reranked, *tail]
