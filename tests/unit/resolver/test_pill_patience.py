"""A pill is not held up by a service that hangs."""

import asyncio
from datetime import UTC, datetime

import httpx

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_resolver.pills.open_pill import PillOpener
from footnote_shared.clients.agent import AgentClient
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.citations import CitationEntry, Pill
from footnote_shared.contracts.documents import CitedPassage, CitedSource
from footnote_shared.contracts.evidence import Display
from footnote_shared.contracts.identity import Principal
from footnote_testing.own_clock import now_s, run_on_own_clock

READER = Principal(workspace_id="w", avatar_id="a", scopes=frozenset({"read"}))
ENTRY = CitationEntry(
    n=1,
    source_type="kb_chunk",
    locator={"document_id": "d", "chunk_id": "c"},
    display=Display(),
    quote="It moved.",
    content_hash="0",
)


class SlowIngest(IngestClient):
    """Answers after so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def cited(self, principal: Principal, passage: CitedPassage) -> CitedSource:
        await asyncio.sleep(self._seconds)
        return CitedSource(access="absent")


def asked(seconds: float) -> tuple[Pill, float]:
    """The pill for a reader whose ingest takes so long, and when it came."""

    async def run() -> tuple[Pill, float]:
        agent = AgentClient(httpx.AsyncClient(verify=NO_CERTIFICATES), "http://agent", "secret")
        pill = await PillOpener(SlowIngest(seconds), agent).pill(ENTRY, datetime.now(UTC), READER)
        return pill, now_s()

    return run_on_own_clock(run())


def test_an_answer_that_takes_four_seconds_is_waited_for() -> None:
    assert asked(4)[0].status == "deleted"


def test_after_five_seconds_the_pill_says_what_is_missing() -> None:
    pill, took_s = asked(60)
    assert (pill.status, pill.degraded, pill.quote) == ("unknown", ["ingest"], None)
    assert took_s == 5
