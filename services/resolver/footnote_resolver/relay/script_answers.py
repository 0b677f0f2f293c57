"""Answers what the script of a turn requests, from SQL, the matcher and the verifier."""

from collections.abc import Collection

from footnote_resolver.injection.live import AskMatch
from footnote_resolver.injection.match import SentenceMatcher
from footnote_resolver.relay.requests import (
    AskEntries,
    AskIssued,
    AskReady,
    AskShown,
    AskVerdicts,
    ScriptAnswer,
    ScriptRequest,
    Verdicts,
)
from footnote_resolver.store import conversations, entries, entries_now
from footnote_resolver.store.entries import ShownPassage
from footnote_resolver.store.turns import AnnouncedTurn
from footnote_resolver.verification.verify import Checked, Verifier
from footnote_shared.contracts.answers import VerifiedQuote, VerifiedSentence
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.db.engine import Database
from footnote_shared.telemetry import metrics


class ScriptAnswers:
    """The answers for one turn. Raises Unavailable where SQL does not answer."""

    def __init__(
        self, database: Database, turn: AnnouncedTurn, matcher: SentenceMatcher, verifier: Verifier
    ) -> None:
        self._database = database
        self._turn = turn
        self._matcher = matcher
        self._verifier = verifier

    async def answer(self, request: ScriptRequest) -> ScriptAnswer:
        """What the request asks for; its class says what that is."""
        match request:
            case AskIssued():
                return await self._issued()
            case AskReady():
                self._matcher.prepare(await self._evidence())
                return None
            case AskMatch(sentence):
                return await self._matcher.best(sentence, await self._evidence())
            case AskEntries(numbers):
                return await self._entries(numbers)
            case AskShown(numbers):
                return await self._shown(numbers)
            case AskVerdicts(text, numbers):
                return await self._verdicts(text, numbers)

    async def _issued(self) -> int:
        turn = self._turn
        return await conversations.issued_in_turn(self._database, turn.workspace_id, turn.conversation_id)

    async def _shown(self, numbers: tuple[int, ...]) -> set[int]:
        conversation = self._turn.conversation_id
        return await entries_now.numbers_shown_to(self._database, conversation, entries.ORCHESTRATOR, numbers)

    async def _entries(self, numbers: Collection[int]) -> dict[int, CitationEntry]:
        turn = self._turn
        found = await entries_now.entries_now(
            self._database, turn.conversation_id, numbers, turn.turn_id, turn.workspace_id
        )
        return {entry.n: entry for entry in found}

    async def _evidence(self) -> list[ShownPassage]:
        turn = self._turn
        return await entries_now.evidence_now(
            self._database, turn.conversation_id, turn.turn_id, turn.workspace_id
        )

    async def _verdicts(self, text: str, numbers: tuple[int, ...]) -> Verdicts:
        """A passage that was shown in an earlier turn is compared as it was shown then."""
        evidence = {passage.n: passage.text for passage in await self._evidence()}
        cited = await self._entries({*numbers, *evidence})
        for n, entry in cited.items():
            evidence.setdefault(n, entry.quote)
        titles = {n: entry.display.title for n, entry in cited.items()}
        headings = {n: entry.display.heading_path or () for n, entry in cited.items()}
        found = await self._verifier.check(text, evidence, titles, headings)
        if found is None:
            return Verdicts(None)
        for one in found.sentences:
            metrics.VERIFIED.labels(one.verdict).inc()
        return Verdicts([_verified(one) for one in found.sentences], found.degraded)


def _verified(checked: Checked) -> VerifiedSentence:
    quotes = [VerifiedQuote(text=quote.text, verdict=quote.verdict) for quote in checked.holding.quotes]
    return VerifiedSentence(
        sentence=checked.sentence.text,
        span=(checked.sentence.start, checked.sentence.end),
        citations=list(checked.sentence.citations),
        verdict=checked.verdict,
        score=round(checked.holding.score, 3),
        better=checked.better,
        quotes=quotes or None,
    )
