"""What the routes of ingest are given."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

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


@dataclass(frozen=True, slots=True)
class IngestResources:
    """What the application of ingest holds. Made in its lifespan and found at `app.state.ingest`.

    `open_lane` opens the lane of documents for one request, which closes it.
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


Resources = Annotated[IngestResources, Depends(from_state("ingest"))]
