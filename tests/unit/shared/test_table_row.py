"""Rows of tables: their defaults, and names that are no columns."""

from typing import Any

import pytest
from sqlalchemy import inspect

from footnote_shared.db.tables import ApiKeyRow, WorkspaceDeletionRow


def made() -> WorkspaceDeletionRow:
    return WorkspaceDeletionRow(id="1", name="Acme")


def test_what_is_not_given_has_its_default() -> None:
    row = made()
    assert (row.looks, row.reason, row.removed) == (0, None, {})
    assert row.asked_at.tzinfo is not None


def test_rows_share_no_default_that_changes() -> None:
    one, other = made(), made()
    one.turns.append("turn")
    assert other.turns == []


def test_a_given_value_stands_in_place_of_the_default() -> None:
    assert WorkspaceDeletionRow(id="1", name="Acme", looks=3).looks == 3


def test_a_change_is_written_with_the_next_flush() -> None:
    row = made()
    row.looks = 4
    assert inspect(row).attrs.looks.history.added == [4]


def test_a_name_that_is_no_column_is_refused() -> None:
    given: Any = {"id": "1", "name": "Acme", "nam": "Acme"}
    with pytest.raises(ValueError, match="nam"):
        WorkspaceDeletionRow(**given)


def test_a_row_can_be_made_of_another_ones_values() -> None:
    row = ApiKeyRow(workspace_id="w", avatar_id="a", name="n", hash="h", hint="i", scopes="read")
    assert ApiKeyRow.model_validate(row.model_dump()).model_dump() == row.model_dump()
