"""What the routes of ingest are given."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated

from anyio import CapacityLimiter
from fastapi import Depends

from footnote_ingest.api.timeline_readers import TimelineReaders
from footnote_ingest.connectors.inbox import HookDoor
from footnote_ingest.connectors.kinds import SourceResources
from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.quota import Quota
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.web.dependencies import from_state

_BATCHES_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class IngestResources:
    """What the application of ingest holds. Made in its lifespan and found at `app.state.ingest`.

    `open_lane` opens the lane of documents for one request, which closes it. `batches` bounds the threads
    that write many files: they take long, and nobody else waits for them.
    """

    acceptor: Acceptor
    quota: Quota
    blobs: BlobStore
    dispatcher: Dispatcher
    policy: WorkPolicy
    readers: TimelineReaders
    sources: SourceResources
    hooks: HookDoor
    open_lane: Callable[[], LaneIndex]
    batches: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(_BATCHES_AT_ONCE))


Resources = Annotated[IngestResources, Depends(from_state("ingest"))]
