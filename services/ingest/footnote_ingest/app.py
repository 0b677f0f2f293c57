"""The application of ingest: it accepts documents, tells how far they are, and serves what is live."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

from anyio import to_thread
from fastapi import FastAPI

from footnote_ingest.api import (
    avatars,
    batches,
    changes,
    chunks,
    cited,
    connector_runs,
    connectors,
    documents,
    events,
    facts,
    folders,
    lanes,
    named_scope,
    progress,
    rechunking,
    reconciliation,
    recorded_queries,
    sessions,
    text_files,
    uploads,
    versions,
    webhooks,
    workspaces,
)
from footnote_ingest.api.dependencies import IngestResources
from footnote_ingest.api.timeline_readers import TimelineReaders
from footnote_ingest.connectors.inbox import HookDoor
from footnote_ingest.connectors.kinds import SourceResources
from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.quota import Quota
from footnote_ingest.hints.celery_app import make_celery
from footnote_ingest.hints.dispatch import BackgroundDispatcher
from footnote_ingest.maintenance.sealed_points import PointStep
from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.store.sealed_blob_step import BlobStep
from footnote_ingest.store.sealed_blobs import SealedBlobs, open_sealed_blobs
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.clients.in_process import GoesOn
from footnote_shared.redis.connection import connect_async, redis_errors
from footnote_shared.security.keyring import Keyring
from footnote_shared.security.sealing_work import Step, sealing
from footnote_shared.settings.base import Settings
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_shared.web.build_app import build_app
from footnote_shared.web.examples import RequestExamples
from footnote_shared.web.health import Check
from footnote_shared.web.resources import EdgeResources

_EXAMPLES = Path(__file__).parent / "api" / "examples.json"
_LANE_S = 60.0


@asynccontextmanager
async def _lifespan(app: FastAPI, edge: EdgeResources) -> AsyncIterator[Mapping[str, Check]]:
    settings = edge.settings
    blobs = open_sealed_blobs(settings, edge.database)
    celery = make_celery(settings)
    dispatcher = BackgroundDispatcher(celery)
    policy = WorkPolicy.from_settings(settings)
    quota = Quota(settings.max_documents_per_workspace, settings.max_bytes_per_workspace)
    acceptor = Acceptor(
        edge.database, blobs, dispatcher, policy, quota, timedelta(hours=settings.session_upload_hours)
    )
    sources = SourceResources.from_settings(settings)

    def open_lane() -> LaneIndex:
        return LaneIndex(QdrantVectorIndex.of(settings, _LANE_S), settings.lane)

    app.state.ingest = IngestResources(
        acceptor, quota, blobs, dispatcher, policy, TimelineReaders(), sources, HookDoor(sources), open_lane
    )
    app.state.direct[chunks.LOOKUP] = chunks.direct_lookup(edge.database)
    app.state.direct[cited.WITHHELD] = cited.direct_withheld(edge.database)
    lists = GoesOn("ingest")
    app.state.direct[folders.LISTING] = lists.of(folders.direct_listing(edge.database))
    app.state.direct[documents.LISTING] = lists.of(documents.direct_listing(edge.database))
    app.state.direct[connectors.LISTING] = lists.of(connectors.direct_listing(edge))
    redis = connect_async(settings.redis_url, connections=4)

    async def broker() -> None:
        with redis_errors():
            await redis.ping()

    async def stored() -> None:
        await to_thread.run_sync(blobs.exists, "readiness")

    keyring = edge.database.sealer
    steps: list[Step] = []
    if isinstance(blobs, SealedBlobs) and isinstance(keyring, Keyring):
        steps = [BlobStep(blobs), PointStep(edge.database, keyring, open_lane)]
    try:
        async with sealing(edge.database, steps):
            yield {"redis": broker, "blobs": stored}
    finally:
        await lists.close()
        await redis.aclose()
        await to_thread.run_sync(dispatcher.close)
        celery.close()


def create_app(settings: Settings) -> FastAPI:
    """The ASGI application of ingest."""
    routers = [
        uploads.router,
        batches.router,
        documents.router,
        progress.router,
        changes.router,
        chunks.router,
        facts.router,
        versions.router,
        cited.router,
        named_scope.router,
        events.router,
        folders.router,
        text_files.router,
        connectors.router,
        connector_runs.router,
        webhooks.router,
        rechunking.router,
        reconciliation.router,
        sessions.router,
        lanes.router,
        recorded_queries.router,
        workspaces.router,
        avatars.router,
    ]
    return build_app(
        "ingest",
        "Documents: hands them in, follows them to their end, serves what is live.",
        settings,
        routers,
        _lifespan,
        RequestExamples.read(_EXAMPLES),
        straight={uploads.PATH: uploads.accept_straight},
    )
