"""The engine for models without tool calls: intent, one search, one streamed answer (spec 5.7)."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.context.bill import Bill
from footnote_agent.context.prompt import messages_for, system_prompt
from footnote_agent.context.query import search_query
from footnote_agent.context.trajectory import GO_ON
from footnote_agent.engines.answer_cache import AnswerCache
from footnote_agent.engines.extractive import GREETING, ExtractiveEngine
from footnote_agent.engines.intent import Intent, intent_of
from footnote_agent.engines.model_steps import degraded_by, switched
from footnote_agent.engines.protocol import EngineOutput, Note
from footnote_agent.engines.rewriting import QueryWriter, StandaloneQuery
from footnote_agent.engines.search_steps import Search
from footnote_agent.engines.work_places import elsewhere
from footnote_agent.tools.evidence_search import EvidenceSearch, Found, reading_order, titles_of
from footnote_shared.contracts.events import Progress, TextDelta, Usage
from footnote_shared.kernel.clock import now
from footnote_shared.models.protocol import (
    AnswerCut,
    ChatMessage,
    ChatModel,
    ModelFailed,
    ModelSwitched,
    Prompt,
    Reason,
)
from footnote_shared.telemetry import metrics

_CONTINUATIONS = 2
"""Times that another model goes on with an answer that broke off."""


class PipelineEngine:
    """One answer of the model. Where no model says a word, the documents speak for themselves.

    `rewriter` makes a question of a conversation stand alone; without one, rules do. What the model has said
    to the same words lately is taken from `cache`, if there is one.
    """

    deterministic = False
    keeps_moves = False

    def __init__(
        self,
        evidence: EvidenceSearch,
        model: ChatModel,
        fallback: ExtractiveEngine,
        max_tokens: int,
        rewriter: QueryWriter | None = None,
        cache: AnswerCache | None = None,
    ) -> None:
        self._evidence = evidence
        self._model = model
        self._fallback = fallback
        self._max_tokens = max_tokens
        self._rewriter = rewriter
        self._cache = cache

    async def run(self, turn: AskedTurn) -> AsyncGenerator[EngineOutput, None]:
        intent = intent_of(turn.text, has_history=bool(turn.history))
        yield Note(
            {"intent": intent, "model": self._model.name, "retrieval_attempted": intent == "knowledge"}
        )
        told: list[EngineOutput] = []
        rewritten = StandaloneQuery(search_query(turn.text, turn.history))
        if intent == "knowledge" and turn.history:
            if self._rewriter is not None:
                told.append(Progress(stage="thinking", label="Understanding the question"))
                yield told[-1]
                rewritten = await self._rewriter.rewrite(turn.text, turn.history, turn.bill)
            yield Note({"query_by": rewritten.by})
        query = rewritten.query
        missing = [rewritten.missing] if rewritten.missing else []
        search = Search(self._evidence, turn, query)
        evidence: str | None = None
        if intent == "knowledge":
            async for step in search.steps():
                yield degraded_by(missing, step)
            evidence = ""
            if search.found.passages:
                shown = reading_order(search.found.passages)
                for title in titles_of(search.found.passages, 2):
                    told.append(Progress(stage="reading", label=f"Reading *{title}*"))
                    yield told[-1]
                evidence = (await self._evidence.number(turn, shown)).rendered
                yield Note({"retrieval_used": True, "passages_used": len(shown)})
        told.append(Progress(stage="writing", label="Writing the answer"))
        yield told[-1]
        messages = messages_for(turn.history, turn.text, evidence)
        system = system_prompt(intent, now(), turn.guidance)
        wrote = False
        try:
            async with aclosing(self._kept_or_new(turn, system, messages)) as steps:
                async for step in steps:
                    wrote = wrote or isinstance(step, TextDelta)
                    yield step
        except ModelFailed as failure:
            if wrote or intent == "command":
                raise
            degraded = [*search.found.degraded, *missing, f"model:{failure.reason}"]
            metrics.DEGRADED.labels("model").inc()
            yield Note({"degraded": degraded})
            async for step in self._without_model(intent, turn, query, search.found):
                # What the reader has seen is not told again.
                if step not in told:
                    yield step

    def _kept_or_new(
        self, turn: AskedTurn, system: str, messages: Sequence[ChatMessage]
    ) -> AsyncGenerator[EngineOutput, None]:
        """The answer, from the cache if the model has said it to the same words. Raises ModelFailed."""
        if self._cache is None:
            return self._answer(turn.bill, system, messages)
        key = self._cache.key(turn.caller, self._model.name, self._max_tokens, system, messages)
        return self._cache.answer(key, lambda: self._answer(turn.bill, system, messages))

    async def _answer(
        self, bill: Bill, system: str, messages: Sequence[ChatMessage]
    ) -> AsyncGenerator[EngineOutput, None]:
        """The answer. Where it breaks off, another model goes on, if there is one. Raises ModelFailed."""
        said = ""
        avoid: dict[str, Reason] = {}
        failed: dict[str, Reason] = {}
        while True:
            begun = [ChatMessage("assistant", said), ChatMessage("user", GO_ON)] if said else []
            prompt = Prompt(system, [*messages, *begun], self._max_tokens, goes_on=bool(said))
            answer = bill.counted(self._model.stream(prompt, avoid=avoid))
            try:
                async with elsewhere(), aclosing(answer) as pieces:
                    async for piece in pieces:
                        match piece:
                            case str():
                                said += piece
                                yield TextDelta(text=piece)
                            case ModelSwitched():
                                for output in switched(piece, failed):
                                    yield output
                            case AnswerCut():
                                yield piece
                            case Usage():
                                pass
                return
            except ModelFailed as failure:
                avoid[failure.model] = failure.reason
                if not said or len(avoid) > _CONTINUATIONS or not self._model.has_other(avoid):
                    raise

    async def _without_model(
        self, intent: Intent, turn: AskedTurn, query: str, found: Found
    ) -> AsyncGenerator[EngineOutput, None]:
        if intent == "chitchat":
            yield TextDelta(text=GREETING)
            return
        yield Progress(stage="degraded", label="The model does not answer: quoting your documents instead")
        async for step in self._fallback.answer(turn, query, found):
            yield step
