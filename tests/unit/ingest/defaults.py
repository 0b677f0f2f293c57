"""Policies and limits as the default settings give them, with the values changed that a test is about."""

from dataclasses import replace
from functools import cache
from typing import Any

from footnote_ingest.chunking.chunk_limits import ChunkLimits
from footnote_ingest.parsing.parse_limits import ParseLimits
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.settings.base import Settings


@cache
def _defaults() -> Settings:
    """Made once: to read them takes 5 ms, and thousands of tests parse a file."""
    return Settings()


def work_policy(**changes: Any) -> WorkPolicy:
    return replace(WorkPolicy.from_settings(_defaults()), **changes)


def parse_limits(**changes: Any) -> ParseLimits:
    return replace(ParseLimits.from_settings(_defaults()), **changes)


def chunk_limits(size: int = 200, overlap: float = 0.2, limit: int = 256) -> ChunkLimits:
    return ChunkLimits(size, overlap, limit)
