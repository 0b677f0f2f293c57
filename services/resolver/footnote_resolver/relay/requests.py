"""What the script of a turn may request from its relay, and the events that it gives back. Pure."""

from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from footnote_resolver.injection.live import AskMatch
from footnote_shared.contracts.answers import VerifiedSentence
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.events import EventType


@dataclass(frozen=True, slots=True)
class AskIssued:
    """The highest number of the conversation that is issued by now. The answer is logged."""


@dataclass(frozen=True, slots=True)
class AskReady:
    """Get ready to compare sentences with the evidence, which may have grown. The answer is empty."""


@dataclass(frozen=True, slots=True)
class AskEntries:
    """The entries of these numbers, by number, with the quotes that the turn was shown."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AskShown:
    """Which of these numbers the answering agent was ever shown."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AskVerdicts:
    """What verification says of the final text, which cites these numbers."""

    text: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts on the sentences that cite; None where verification failed or took too long."""

    sentences: list[VerifiedSentence] | None
    degraded: tuple[str, ...] = ()


ScriptRequest = AskIssued | AskReady | AskMatch | AskEntries | AskShown | AskVerdicts
ScriptAnswer = int | None | dict[int, CitationEntry] | set[int] | Verdicts

LOGGED = (AskIssued, AskMatch)
"""The requests whose answers depend on the moment: a successor must get the same ones (docs/adr/0011)."""


@dataclass(frozen=True, slots=True)
class OutgoingEvent:
    """An event for readers before it is written. Only writing gives it its `seq`."""

    type: EventType
    data: dict[str, Any]
    at: datetime


ScriptStep = Generator[ScriptRequest, Any, list[OutgoingEvent]]
"""What one raw event leads to: requests, each of which is sent its answer, and in the end events."""
