"""Blobs as a step of the work in the background that brings what is stored into the form of today."""

import time
from collections.abc import Iterator

from footnote_ingest.store.sealed_blobs import SealedBlobs
from footnote_shared.kernel.errors import OurFault
from footnote_shared.security.sealing_work import DonePortion
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

_PORTION_S = 1.0


class BlobStep:
    """Goes over every blob. What is done shows in the blobs: after a crash the listing begins anew."""

    name = "blobs"

    def __init__(self, blobs: SealedBlobs) -> None:
        self._blobs = blobs
        self._listed: Iterator[str] | None = None
        self._newest: dict[str, str] = {}

    def portion(self, after: str | None) -> DonePortion:
        if self._listed is None:
            self._listed = (entry.key for entry in self._blobs.inner.list(""))
            self._newest = {}
        changed, until = 0, time.monotonic() + _PORTION_S
        for key in self._listed:
            try:
                changed += self._blobs.brought_up_to_date(key, self._newest)
            except OurFault as fault:
                # One that is damaged must not keep all others as they are.
                _log.warning("sealing.unreadable", blob=key, reason=fault.detail)
            if time.monotonic() > until:
                return DonePortion("listing", changed)
        self._listed = None
        return DonePortion(None, changed)
