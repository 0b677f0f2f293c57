"""A deployment whose fast model reads facts: what it says of a passage is what a test tells it."""

import json
from datetime import timedelta
from typing import Any

from fastapi.testclient import TestClient

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Queue, Task
from footnote_ingest.maintenance.sweep_facts import sweep_facts
from footnote_ingest.store import documents
from footnote_ingest.store.fact_tables import FactJobRow
from footnote_shared.contracts.documents import Document
from footnote_shared.kernel.clock import now
from footnote_shared.models.protocol import ChatMessage, ModelFailed, Prompt
from tests.integration.ingest.workshop import FACT_LANE, LANE, Workshop

DOCUMENTS = (Task.PARSE, Task.EMBED, Task.INDEX, Task.REMOVE)
OPEN = {"classification": "open"}


RATES = "The allowance in Lisbon is 62 euros. It is paid by the desk."
OTHER = "The pump is checked each Monday by the crew. It is old."


def shown(http: TestClient, document_id: str) -> dict[str, Any]:
    answer = http.get(f"/v1/documents/{document_id}/facts")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def texts(http: TestClient, document_id: str) -> list[str]:
    return [fact["text"] for fact in shown(http, document_id)["items"]]


class Reader:
    """In the place of the model: of each passage it finds its first sentence, or what `says` tells.

    `asked` are the texts that it was shown, and `names` whom it finds in a sentence. While it is `off`, it
    does not answer.
    """

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.off = False
        self.says: dict[str, str] = {}
        self.names: dict[str, list[dict[str, str]]] = {}
        self.reply: str | None = None

    def __call__(self, prompt: Prompt) -> str:
        (message,) = prompt.messages
        assert isinstance(message, ChatMessage)
        passages = json.loads(message.text)["passages"]
        self.asked.append([passage["text"] for passage in passages])
        if self.off:
            raise ModelFailed("unreachable", "The chat model is off.", before_first_token=True)
        return (
            self.reply if self.reply is not None else json.dumps({"facts": list(map(self._fact, passages))})
        )

    def _fact(self, passage: dict[str, Any]) -> dict[str, Any]:
        quote = passage["text"].split(".")[0]
        return {
            "passage": passage["passage"],
            "fact": self.says.get(quote, quote),
            "quote": quote,
            "entities": self.names.get(quote, []),
        }


class Facts:
    """A workshop with documents that may be read for facts."""

    def __init__(self, workshop: Workshop) -> None:
        self.workshop = workshop
        workshop.with_policy(lease_s=3600, heartbeat_s=1000, sweep_s=0.0)
        self.reader = workshop.ask_for_facts = Reader()
        workshop.facts_allowed = frozenset({"open"})

    def add(self, name: str, text: str, **fields: Any) -> Document:
        """Take a document to its end, and read its facts."""
        fields.setdefault("metadata", OPEN)
        document = self.workshop.accept(name, text, **fields)
        self.workshop.run_all(*DOCUMENTS)
        self.read()
        return document

    def sweep(self) -> int:
        workshop = self.workshop
        dispatcher = Dispatcher(workshop.celery)
        return sweep_facts(
            workshop.database, dispatcher, workshop.policy, _no_messages, workshop.facts_allowed, LANE
        )

    def read(self) -> None:
        """What the sweeper and the worker of facts do."""
        self.sweep()
        self.workshop.run_all(Task.FACTS)

    def job(self, document_id: str) -> FactJobRow:
        with self.workshop.database.read() as session:
            job = session.get(FactJobRow, document_id)
        assert job is not None
        return job

    def end_back_off(self, document_id: str) -> None:
        self.put(document_id, available_at=now() - timedelta(seconds=1))

    def put(self, document_id: str, **values: Any) -> None:
        with self.workshop.database.write() as session:
            job = session.get(FactJobRow, document_id)
            assert job is not None
            for name, value in values.items():
                setattr(job, name, value)
            session.add(job)

    def points(self, document_id: str) -> set[str]:
        """The ids of the points of its facts."""
        lane = self.workshop.lane.named(FACT_LANE)
        return lane.of_document(document_id) if lane.live_version() else set()

    def said(self, document_id: str) -> list[str]:
        """What the timeline tells of facts."""
        with self.workshop.database.read() as session:
            rows = documents.timeline(session, document_id)
        return [row.detail for row in rows if row.detail and row.detail.startswith("Facts")]


def _no_messages(queue: Queue) -> int:
    return 0
