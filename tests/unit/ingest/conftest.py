"""One sandbox for all tests: documents are parsed as they are in the service."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from footnote_ingest.sandbox.sandbox import Sandbox
from tests.unit.ingest.defaults import parse_limits


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with closing(Sandbox(parse_limits())) as box:
        yield box
