"""Answers the questions of a turn's script from SQL, the matcher and the verifier."""

from collections import Counter
from typing import Any, get_args

from footnote_resolver.injection.live import AskMatch
from footnote_resolver.injection.match import SentenceMatcher
from footnote_resolver.store import conversations, entries
from footnote_resolver.store.entries import ShownPassage
from footnote_resolver.store.turns import AnnouncedTurn
from footnote_resolver.turns.replay import AskEntries, AskIssued, AskShown, AskVerdicts, Question, Verdicts
from footnote_resolver.verification.judge import Verdict
from footnote_resolver.verification.run import Checked, Verifier
from footnote_shared.contracts.evidence import CitationEntry
from footnote_shared.db.engine import Database
from footnote_shared.telemetry import metrics

Answer = int | None | dict[int, CitationEntry] | set[int] | Verdicts


class TurnAnswers:
    """The answers for one turn. Raises Unavailable where SQL does not answer."""

    def __init__(
        self, database: Database, turn: AnnouncedTurn, matcher: SentenceMatcher, verifier: Verifier | None
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
        if self._verifier is None or not numbers:
            return Verdicts([], None)
        evidence = {passage.n: passage.text for passage in await self._evidence()}
        for n, entry in (await self._entries(tuple(n for n in numbers if n not in evidence))).items():
            evidence[n] = entry.quote
        checked = await self._verifier.check(text, evidence)
        if checked is None:
            return Verdicts([], {"status": "skipped"})
        verdicts = Counter(one.verdict for one in checked)
        for verdict, count in verdicts.items():
            metrics.VERIFIED.labels(verdict).inc(count)
        return Verdicts(
            [_event(one) for one in checked],
            {"status": "done", **{verdict: verdicts[verdict] for verdict in get_args(Verdict)}},
        )

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


def _event(checked: Checked) -> dict[str, Any]:
    """The data of a `verification` event."""
    event: dict[str, Any] = {
        "sentence": checked.sentence.text,
        "span": [checked.sentence.start, checked.sentence.end],
        "citations": list(checked.sentence.citations),
        "verdict": checked.verdict,
        "score": round(checked.holding.score, 3),
    }
    if checked.better is not None:
        event["better"] = checked.better
    if checked.holding.quotes:
        event["quotes"] = [{"text": quote.text, "verdict": quote.verdict} for quote in checked.holding.quotes]
    return event
