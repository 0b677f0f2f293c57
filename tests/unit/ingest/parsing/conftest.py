"""One sandbox for all tests of parsing: documents go the way that they go in the service."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from footnote_ingest.parsing.sandbox import Sandbox
from tests.unit.ingest.defaults import parse_limits


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with closing(Sandbox(parse_limits())) as box:
        yield box
