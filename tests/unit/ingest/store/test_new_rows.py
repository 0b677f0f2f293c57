"""Rows that are written past the session, which therefore cannot seal them."""

from typing import Any

import pytest
from sqlalchemy import create_engine

from footnote_ingest.store.tables import ChunkRow
from footnote_shared.db.new_rows import insert_rows
from footnote_shared.kernel.errors import OurFault


def test_what_the_session_seals_is_not_written_past_it() -> None:
    content: dict[str, Any] = {"text": "A secret."}
    with (
        create_engine("sqlite://").connect() as connection,
        pytest.raises(OurFault, match="Rows of ChunkRow are sealed by the session"),
    ):
        insert_rows(connection, [ChunkRow(**content)])
