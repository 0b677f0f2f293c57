"""What the rows of every table are: made and changed without the steps of a model that validates.

SQLModel makes a row as pydantic makes a model. It looks up by its signature how each factory of a default is
called, and sets each value twice. Rows are not validated, so all of that is for nothing, and a document that
is handed in makes a dozen rows on its way to the index.
"""

from collections.abc import Callable
from copy import deepcopy
from functools import cache, partial
from typing import Any

from sqlmodel import SQLModel

_STATE = "_sa_instance_state"
"""Where SQLAlchemy keeps what it knows of a row."""

_UNCHANGEABLE = (str, int, float, bytes, type(None))
"""Defaults of these types are shared by all rows."""


class TableRow(SQLModel):
    """A row. What is not given has its default, and values are not validated."""

    def __init__(self, **given: Any) -> None:
        """Raises ValueError for the name of a column that the table does not have."""
        for name, value, make in _defaults(type(self)):
            if name not in given:
                object.__setattr__(self, name, value if make is None else make())
        for name, value in given.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self).__pydantic_fields__ or name == _STATE:
            object.__setattr__(self, name, value)
        else:
            # It says that there is no such column.
            super().__setattr__(name, value)


@cache
def _defaults(table: type[TableRow]) -> list[tuple[str, Any, Callable[[], Any] | None]]:
    """The columns that need not be given, each with its default or with what makes one."""
    found: list[tuple[str, Any, Callable[[], Any] | None]] = []
    for name, field in table.__pydantic_fields__.items():
        if field.default_factory is not None:
            found.append((name, None, field.default_factory))  # type: ignore[arg-type]
        elif not field.is_required():
            same = isinstance(field.default, _UNCHANGEABLE)
            found.append((name, field.default, None if same else partial(deepcopy, field.default)))
    return found
