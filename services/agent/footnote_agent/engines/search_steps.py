"""The one search of a turn, with the steps that a reader sees of it."""

import time
from collections.abc import AsyncGenerator

from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.engines.protocol import EngineOutput, Note
from footnote_agent.tools.evidence_search import EvidenceSearch, Found
from footnote_shared.contracts.events import Progress, ToolFinished, ToolStarted
from footnote_shared.kernel.counted import counted
from footnote_shared.kernel.errors import FootnoteError

_TOOL = "search_knowledge_base"


class Search:
    """Run `steps` to their end; then `found` holds the passages."""

    def __init__(self, evidence: EvidenceSearch, turn: AskedTurn, query: str) -> None:
        self._evidence = evidence
        self._turn = turn
        self._query = query
        self.found = Found([], sufficient=False, degraded=[], retrieval_ids=[])

    async def steps(self) -> AsyncGenerator[EngineOutput, None]:
        """The steps. Raises what the retriever raises, after a `tool.finished` that says so."""
        yield Progress(stage="searching", label="Searching your knowledge base")
        yield ToolStarted(tool=_TOOL, arguments={"query": self._query})
        started = time.perf_counter()
        try:
            self.found = await self._evidence.find(self._turn, self._query)
        except FootnoteError as error:
            yield ToolFinished(tool=_TOOL, ms=_since(started), error=error.detail)
            raise
        found = self.found
        yield Note(
            {
                "retrieval_ids": found.retrieval_ids,
                "passages": len(found.passages),
                "degraded": found.degraded,
            }
        )
        documents = len({passage.document_id for passage in found.passages})
        summary = (
            f"{counted(len(found.passages), 'passage')} from {counted(documents, 'document')}"
            if documents
            else "nothing found"
        )
        yield ToolFinished(tool=_TOOL, summary=summary, ms=_since(started))


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)
