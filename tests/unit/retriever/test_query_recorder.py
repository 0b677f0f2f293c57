"""What was searched for is handed to ingest: seldom, and never from what is private."""

import httpx

from footnote_retriever.funnel.query_recorder import EVERY_S, QueryRecorder
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.search import SearchScope
from tests.unit.retriever.funnel_on_fakes import SECRET, FunnelOnFakes, caller


async def test_one_query_of_a_second_is_handed_on_for_each_workspace() -> None:
    funnel, at = FunnelOnFakes(), [0.0]
    recorder = QueryRecorder(funnel.funnel.ingest, lambda: at[0])
    for workspace, text in (("acme", "first"), ("acme", "second"), ("other", "theirs")):
        recorder.note(caller(workspace), text, None)
    at[0] = EVERY_S
    recorder.note(caller(), "third", SearchScope())
    await recorder.close()
    assert sorted(funnel.ingest.recorded) == [("acme", "first"), ("acme", "third"), ("other", "theirs")]


async def test_what_is_of_a_session_or_of_memory_is_left_out() -> None:
    funnel = FunnelOnFakes()
    recorder = QueryRecorder(funnel.funnel.ingest)
    recorder.note(caller().model_copy(update={"session_id": "s" * 32}), "private", None)
    recorder.note(caller(), "private", SearchScope(memory=True))
    recorder.note(caller(), "x" * 2001, None)
    await recorder.close()
    assert funnel.ingest.recorded == []


async def test_nothing_is_raised_where_ingest_does_not_answer() -> None:
    asked: list[str] = []

    def refuse(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(500)

    http = httpx.AsyncClient(transport=httpx.MockTransport(refuse))
    recorder = QueryRecorder(IngestClient(http, "http://ingest", SECRET))
    recorder.note(caller(), "lost", None)
    await recorder.close()
    assert set(asked) == {"/v1/lanes:asked"}
