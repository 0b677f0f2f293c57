"""The engine for models without tool calls: intent, one search, one streamed answer (spec 5.7)."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from footnote_agent.context.prompt import messages_for, system_prompt
from footnote_agent.context.query import search_query
from footnote_agent.context.question import Question
from footnote_agent.engines.extractive import GREETING, ExtractiveEngine
from footnote_agent.engines.intent import Intent, intent_of
from footnote_agent.engines.protocol import EngineOutput, Note
from footnote_agent.engines.search_steps import Search
from footnote_agent.tools.evidence_search import EvidenceSearch, Found, reading_order, titles_of
from footnote_shared.contracts.events import Progress, TextDelta
from footnote_shared.kernel.clock import now
from footnote_shared.models.protocol import ChatModel, ModelFailed
from footnote_shared.telemetry import metrics


class PipelineEngine:
    """One call of the model. Where it fails before its first word, the documents speak for themselves."""

    deterministic = False
    keeps_moves = False

    def __init__(
        self, evidence: EvidenceSearch, model: ChatModel, fallback: ExtractiveEngine, max_tokens: int
    ) -> None:
        self._evidence = evidence
        self._model = model
        self._fallback = fallback
        self._max_tokens = max_tokens

    async def run(self, question: Question) -> AsyncGenerator[EngineOutput, None]:
        intent = intent_of(question.text, has_history=bool(question.history))
        yield Note(
            {"intent": intent, "model": self._model.name, "retrieval_attempted": intent == "knowledge"}
        )
        query = search_query(question.text, question.history)
        search = Search(self._evidence, question, query)
        told: list[EngineOutput] = []
        evidence: str | None = None
        if intent == "knowledge":
            async for step in search.steps():
                yield step
            evidence = ""
            if search.found.passages:
                shown = reading_order(search.found.passages)
                for title in titles_of(search.found.passages, 2):
                    told.append(Progress(stage="reading", label=f"Reading *{title}*"))
                    yield told[-1]
                evidence = (await self._evidence.number(question, shown)).rendered
                yield Note({"retrieval_used": True, "passages_used": len(shown)})
        told.append(Progress(stage="writing", label="Writing the answer"))
        yield told[-1]
        messages = messages_for(question.history, question.text, evidence)
        try:
            answer = self._model.stream(system_prompt(intent, now()), messages, self._max_tokens)
            async with aclosing(answer) as pieces:
                async for piece in pieces:
                    yield TextDelta(text=piece) if isinstance(piece, str) else piece
        except ModelFailed as failure:
            if not failure.before_first_token or intent == "command":
                raise
            degraded = [*search.found.degraded, f"model:{failure.reason}"]
            metrics.DEGRADED.labels("model").inc()
            yield Note({"degraded": degraded})
            async for step in self._without_model(intent, question, query, search.found):
                # What the reader has seen is not told again.
                if step not in told:
                    yield step

    async def _without_model(
        self, intent: Intent, question: Question, query: str, found: Found
    ) -> AsyncGenerator[EngineOutput, None]:
        if intent == "chitchat":
            yield TextDelta(text=GREETING)
            return
        yield Progress(stage="degraded", label="The model does not answer: quoting your documents instead")
        async for step in self._fallback.answer(question, query, found):
            yield step
