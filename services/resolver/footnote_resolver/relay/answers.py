"""Answers the questions of a turn's script from SQL, the matcher and the verifier."""

from footnote_resolver.injection.live import AskMatch
from footnote_resolver.injection.match import SentenceMatcher
from footnote_resolver.relay.replay import (
    AskEntries,
    AskIssued,
    AskReady,
    AskShown,
    AskVerdicts,
    Question,
    Verdicts,
)
from footnote_resolver.store import conversations, entries
from footnote_resolver.store.entries import ShownPassage
from footnote_resolver.store.turns import AnnouncedTurn
from footnote_resolver.verification.verify import Checked, Verifier
from footnote_shared.contracts.evidence import CitationEntry, VerifiedQuote, VerifiedSentence
from footnote_shared.db.engine import Database
from footnote_shared.telemetry import metrics

Answer = int | None | dict[int, CitationEntry] | set[int] | Verdicts


class TurnAnswers:
    """The answers for one turn. Raises Unavailable where SQL does not answer."""

    def __init__(
        self, database: Database, turn: AnnouncedTurn, matcher: SentenceMatcher, verifier: Verifier
    ) -> None:
        self._database = database
        self._turn = turn
        self._matcher = matcher
        self._verifier = verifier

    async def answer(self, question: Question) -> Answer:
        turn, database = self._turn, self._database
        match question:
            case AskIssued():
                return await database.read_async(
                    lambda session: conversations.issued_in_turn(
                        session, turn.workspace_id, turn.conversation_id
                    )
                )
            case AskReady():
                self._matcher.prepare(await self._evidence())
                return None
            case AskMatch(sentence):
                return await self._matcher.best(sentence, await self._evidence())
            case AskEntries(numbers):
                return await self._entries(numbers)
            case AskShown(numbers):
                return await database.read_async(
                    lambda session: entries.numbers_shown_to(
                        session, turn.conversation_id, entries.ORCHESTRATOR, numbers
                    )
                )
            case AskVerdicts(text, numbers):
                return await self._verdicts(text, numbers)

    async def _verdicts(self, text: str, numbers: tuple[int, ...]) -> Verdicts:
        """A cited passage of an earlier turn counts as it was shown then."""
        evidence = {passage.n: passage.text for passage in await self._evidence()}
        entries = await self._entries(tuple({*numbers, *evidence}))
        for n, entry in entries.items():
            evidence.setdefault(n, entry.quote)
        titles = {n: entry.display.title for n, entry in entries.items()}
        found = await self._verifier.check(text, evidence, titles)
        if found is None:
            return Verdicts(None)
        for one in found.sentences:
            metrics.VERIFIED.labels(one.verdict).inc()
        return Verdicts([_verified(one) for one in found.sentences], found.degraded)

    async def _entries(self, numbers: tuple[int, ...]) -> dict[int, CitationEntry]:
        turn = self._turn
        found = await self._database.read_async(
            lambda session: entries.entries_of(
                session, turn.conversation_id, numbers=numbers, as_of_turn=turn.turn_id
            )
        )
        return {entry.n: entry for entry in found}

    async def _evidence(self) -> list[ShownPassage]:
        turn = self._turn
        return await self._database.read_async(
            lambda session: entries.evidence_of_turn(session, turn.conversation_id, turn.turn_id)
        )


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
