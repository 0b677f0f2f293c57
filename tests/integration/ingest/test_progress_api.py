"""Following many documents by requests that wait for a change."""

import asyncio

import pytest
from fastapi.testclient import TestClient

from footnote_ingest.api.document_progress import DocumentProgress, DocumentsInWork
from footnote_ingest.api.progress import progress_after
from footnote_ingest.api.timeline_readers import TimelineReaders
from footnote_ingest.app import create_app
from footnote_ingest.hints.queues import Task
from footnote_testing.own_clock import now_s, run_on_own_clock
from tests.integration.ingest.served import Served
from tests.integration.ingest.statements import statements
from tests.integration.ingest.workshop import Workshop


async def ask(
    workshop: Workshop, *ids: str, wait_s: float = 0.0, cursor: str | None = None
) -> DocumentProgress:
    """One request, to a process of its own: nothing is remembered from the one before."""
    body = DocumentsInWork(ids=list(ids), wait_s=wait_s, cursor=cursor)
    return await progress_after(workshop.database, TimelineReaders(), workshop.caller, body)


def test_nothing_new_is_answered_when_the_time_is_over(workshop: Workshop) -> None:
    waiting = workshop.accept("a.txt", "One.").id

    async def follow() -> tuple[DocumentProgress, DocumentProgress, float]:
        first = await ask(workshop, waiting, wait_s=20)
        begun = now_s()
        return first, await ask(workshop, waiting, wait_s=20, cursor=first.cursor), now_s() - begun

    first, second, seconds = run_on_own_clock(follow(), threads=True)
    assert seconds == pytest.approx(20)
    assert first == second


def test_who_waits_is_looked_for_a_few_times_a_second(sqlite_workshop: Workshop) -> None:
    workshop = sqlite_workshop
    waiting = workshop.accept("a.txt", "One.").id
    cursor = run_on_own_clock(ask(workshop, waiting), threads=True).cursor
    with statements(workshop.database) as seen:
        run_on_own_clock(ask(workshop, waiting, wait_s=10, cursor=cursor), threads=True)
    looks = [s for s in seen if s.text.startswith("SELECT documents.id, documents.status")]
    assert len(looks) <= 10 * 4


def test_a_change_is_answered_before_the_time_is_over(workshop: Workshop) -> None:
    first, second = (workshop.accept(f"{n}.txt", f"Text {n}.").id for n in range(2))

    async def change() -> None:
        await asyncio.sleep(1)
        workshop.run(Task.PARSE, first)

    async def follow() -> tuple[DocumentProgress, float]:
        cursor = (await ask(workshop, first, second)).cursor
        changing = asyncio.create_task(change())
        answer = await ask(workshop, first, second, wait_s=20, cursor=cursor)
        await changing
        return answer, now_s()

    answer, seconds = run_on_own_clock(follow(), threads=True)
    assert (answer.waiting["queued"], sum(answer.waiting.values())) == (1, 2)
    assert seconds < 20


def test_one_that_ended_or_was_deleted_is_news_however_often_it_is_asked_for(workshop: Workshop) -> None:
    ended, deleted, waiting = (workshop.accept(f"{n}.txt", f"Text {n}.").id for n in range(3))
    workshop.celery.sent = [sent for sent in workshop.celery.sent if sent[1] == ended]
    workshop.run_all()
    workshop.delete(deleted)

    async def follow() -> list[float]:
        times = []
        cursor = (await ask(workshop, waiting)).cursor
        for other in (ended, deleted):
            begun = now_s()
            answer = await ask(workshop, other, waiting, wait_s=20, cursor=cursor)
            assert answer.cursor == cursor, "it tells of those in work alone"
            times.append(now_s() - begun)
        return times

    assert all(seconds < 1 for seconds in run_on_own_clock(follow(), threads=True))


def test_the_cursor_of_one_process_is_good_for_another(served: Served) -> None:
    waiting = served.upload("a.txt", b"One.")["id"]
    ids = {"ids": [waiting]}
    cursor = served.http.post("/v1/documents:progress", json=ids).json()["cursor"]
    served.work()
    with TestClient(create_app(served.settings)) as other:
        other.headers["Authorization"] = served.http.headers["Authorization"]
        answer = other.post("/v1/documents:progress", json=ids | {"wait_s": 20, "cursor": cursor}).json()
    assert [document["status"] for document in answer["ended"]] == ["indexed"]


@pytest.mark.parametrize(("field", "value"), [("wait_s", 21), ("wait_s", -1), ("cursor", "x" * 65)])
def test_what_makes_no_sense_is_refused(served: Served, field: str, value: object) -> None:
    assert served.http.post("/v1/documents:progress", json={"ids": [], field: value}).status_code == 422
