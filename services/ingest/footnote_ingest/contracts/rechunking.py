"""Cutting the documents of a workspace again, by other settings (spec 3.4)."""

from datetime import datetime

from pydantic import Field

from footnote_shared.contracts.base import WireModel


class Rechunking(WireModel):
    """How far it is. Readers see the chunks of before until the new ones of a document are searchable."""

    running: bool
    requested_at: datetime | None = Field(default=None, description="None if nothing is running.")
    total: int = Field(description="How many documents there were to be cut; 0 if nothing is running.")
    left: int = Field(description="How many of them are still as they were; failed ones do not count.")
    failed: int = Field(description="Documents that could not be read again. Their chunks of before stay.")
    outdated: int = Field(description="Documents that these settings would cut differently, or may.")
