"""Columns whose content is encrypted at rest: one sealed value per row in place of them (spec 7.3, ADR 0055).

A table with such columns has a column `sealed` too. While it is None the row is as it was written. Else it
holds the content of all of these columns, and they hold nothing. What is sealed belongs to its workspace and
to the key of its row: moved to another row it does not open.

Rows of the ORM are sealed when they are flushed and opened when they are loaded. Statements over plain
columns call `SealedColumns` themselves.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    Dialect,
    Engine,
    String,
    Table,
    Text,
    event,
    inspect,
    text,
)
from sqlalchemy.orm import InstanceState, Mapper, QueryContext, object_session
from sqlalchemy.orm.attributes import flag_modified, set_committed_value
from sqlalchemy.types import TypeDecorator
from sqlmodel import Session, SQLModel

from footnote_shared.kernel.errors import OurFault

SEALED = "sealed"


class SealingKey(Protocol):
    """A key of one workspace."""

    def seal(self, place: bytes, content: bytes) -> bytes:
        """The content as only `Sealer.open` for the same place of the same workspace gives it back."""
        ...

    def keyed(self, digest: str) -> str:
        """The hash of a text as it may be stored: nobody without the key can try guesses against it."""
        ...


class Sealer(Protocol):
    """What holds the keys: `security.keyring`. It reads them through the connection that it is given."""

    seals: bool
    """Whether what is written from now on is sealed."""

    def prepare(self, read: Engine, write: Engine) -> None:
        """Have at hand what the database itself does not give. Called before each transaction.

        Raises Misconfigured and Unavailable if that cannot be had.
        """
        ...

    def sealing_key(self, connection: Connection, workspace_id: str) -> SealingKey:
        """The workspace's key, made at first use. Good for this transaction."""
        ...

    def committed_key(self, database: "Transactions", workspace_id: str) -> SealingKey:
        """The same, for use outside of a transaction. Never called within one."""
        ...

    def open(self, connection: Connection, workspace_id: str | None, place: bytes, sealed: bytes) -> bytes:
        """The content. None: any workspace, where the place names one by itself.

        Raises Misconfigured if the key is missing, and OurFault for what was changed, moved or destroyed.
        """
        ...


class Transactions(Protocol):
    """Where transactions begin: `db.engine.Database`."""

    def read(self) -> AbstractContextManager["SealingSession"]:
        """A session over one snapshot."""
        ...

    def write(self) -> AbstractContextManager["SealingSession"]:
        """One transaction, committed at its end."""
        ...


class SealingSession(Session):
    """A session of a database whose rows may be sealed."""

    sealer: Sealer | None = None


class _HiddenText(str):
    """A text that is written as the empty one, because its row holds it sealed."""

    __slots__ = ()


class _HiddenDict(dict[str, Any]):
    """The same for an object."""


class _HiddenList(list[Any]):
    """The same for a list."""


_HIDDEN = (_HiddenText, _HiddenDict, _HiddenList)


class SealableText(TypeDecorator[str]):
    """A text that a row may hold sealed."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return "" if isinstance(value, _HIDDEN) else value


class SealableString(TypeDecorator[str]):
    """The same, as a short string."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return "" if isinstance(value, _HIDDEN) else value


class SealableJson(TypeDecorator[Any]):
    """A JSON value that a row may hold sealed."""

    impl = JSON
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        return _nothing_like(value) if isinstance(value, _HIDDEN) else value


class SealedColumns:
    """The sealed columns of one table. Every one that there is stands in `ALL_SEALED`."""

    def __init__(
        self,
        table: Table,
        fields: Sequence[str],
        workspace: str | ColumnElement[str] = "workspace_id",
        hashes: Mapping[str, str] | None = None,
    ) -> None:
        """`workspace` is the column with the workspace, or how to find it where the caller has to say it.

        `hashes` are the columns with a hash of one of the fields: beside what is sealed they are keyed.
        """
        self.table = table
        self.fields = tuple(fields)
        self.workspace = workspace if isinstance(workspace, str) else None
        self.owner: ColumnElement[str] = table.c[workspace] if isinstance(workspace, str) else workspace
        self.hashes = dict(hashes or {})
        self.key = tuple(column.name for column in table.primary_key.columns)
        ALL_SEALED[table.name] = self

    def place(self, key: Iterable[object]) -> bytes:
        """Where a row's content belongs."""
        return "\0".join([self.table.name, *map(str, key)]).encode()

    def sealed_rows(
        self, session: SealingSession, rows: Sequence[dict[str, Any]], workspace_id: str | None = None
    ) -> Sequence[dict[str, Any]]:
        """The rows as they are to be written. Each has a value for every sealed column and its key."""
        sealer = session.sealer
        if sealer is None or not sealer.seals:
            return [{**row, SEALED: None} for row in rows]
        keys: dict[str, SealingKey] = {}
        sealed = []
        for row in rows:
            owner = row[self.workspace] if self.workspace is not None else workspace_id
            if owner is None:
                raise OurFault("A row was to be encrypted for no workspace.")
            if owner not in keys:
                keys[owner] = sealer.sealing_key(session.connection(), owner)
            sealed.append(self.sealed_row(keys[owner], row))
        return sealed

    def sealed_row(self, key: SealingKey, row: Mapping[str, Any]) -> dict[str, Any]:
        """One row with nothing in its sealed columns and all of it in `sealed`."""
        content = {name: row[name] for name in self.fields}
        place = self.place(row[name] for name in self.key)
        return {
            **row,
            **{name: _nothing_like(value) for name, value in content.items()},
            SEALED: key.seal(place, _packed(content)),
        }

    def opened(
        self, session: SealingSession, key: Iterable[object], sealed: bytes, workspace_id: str | None = None
    ) -> dict[str, Any]:
        """What the sealed columns of the row hold."""
        sealer = session.sealer
        if sealer is None:
            raise OurFault("An encrypted row was read without its keys.")
        return self.opened_with(sealer, session.connection(), key, sealed, workspace_id)

    def opened_with(
        self,
        sealer: Sealer,
        connection: Connection,
        key: Iterable[object],
        sealed: bytes,
        workspace_id: str | None = None,
    ) -> dict[str, Any]:
        """The same, without a session."""
        return self.content(sealer.open(connection, workspace_id, self.place(key), bytes(sealed)))

    @staticmethod
    def content(opened: bytes) -> dict[str, Any]:
        """What was opened, by the names of the columns."""
        found: dict[str, Any] = json.loads(opened)
        return found


ALL_SEALED: dict[str, SealedColumns] = {}
"""By the table's name. A table is here once its module is imported."""


def seal_rows_of(
    row_class: type[SQLModel], *fields: str, hashes: Mapping[str, str] | None = None
) -> SealedColumns:
    """Seal these columns of the rows of a class from now on, and open them where they are loaded."""
    table = SQLModel.metadata.tables[str(row_class.__tablename__)]
    columns = SealedColumns(table, fields, hashes=hashes)

    def before_write(mapper: Mapper[Any], connection: Connection, row: Any) -> None:
        _seal(columns, connection, row)

    def after_write(mapper: Mapper[Any], connection: Connection, row: Any) -> None:
        for name in columns.fields:
            set_committed_value(row, name, _shown(row.__dict__.get(name)))

    def after_load(row: Any, context: QueryContext) -> None:
        _open(columns, row, context)

    def after_refresh(row: Any, context: QueryContext, names: Iterable[str] | None) -> None:
        _open(columns, row, context)

    for name in ("before_insert", "before_update"):
        event.listen(row_class, name, before_write)
    for name in ("after_insert", "after_update"):
        event.listen(row_class, name, after_write)
    event.listen(row_class, "load", after_load)
    event.listen(row_class, "refresh", after_refresh)
    return columns


def refuse_while_sealed(connection: Connection, tables: Iterable[str]) -> None:
    """Raise OurFault where a step back would drop what is encrypted. Each of the tables has sealed rows."""
    for table in tables:
        if connection.execute(text(f"SELECT 1 FROM {table} WHERE sealed IS NOT NULL LIMIT 1")).first():
            raise OurFault(
                f"Rows of {table} are encrypted, and the release before cannot read them. Switch encryption "
                "off and wait until `footnote encryption status` shows that all is decrypted."
            )


def _seal(columns: SealedColumns, connection: Connection, row: Any) -> None:
    session = object_session(row)
    sealer = session.sealer if isinstance(session, SealingSession) else None
    state: InstanceState[Any] = inspect(row)
    names = (*columns.fields, str(columns.workspace))
    changed = any(state.attrs[name].history.has_changes() for name in names)
    if sealer is None or not (changed or state.key is None) or not (sealer.seals or row.sealed is not None):
        return
    was_sealed = row.sealed is not None
    values = {name: getattr(row, name) for name in columns.fields}
    if not sealer.seals:
        row.sealed = None
    else:
        place = columns.place(getattr(row, name) for name in columns.key)
        owner = getattr(row, str(columns.workspace))
        row.sealed = sealer.sealing_key(connection, owner).seal(place, _packed(values))
        for name, value in values.items():
            if value is not None:
                setattr(row, name, _hidden(value))
    if state.key is not None and was_sealed != sealer.seals:
        # What the row shows in the database has to change, though for us nothing has.
        for name in columns.fields:
            flag_modified(row, name)


def _open(columns: SealedColumns, row: Any, context: QueryContext) -> None:
    sealed = row.__dict__.get(SEALED)
    session = context.session
    if sealed is None or not isinstance(session, SealingSession):
        return
    state: InstanceState[Any] = inspect(row)
    key = state.identity or ()
    content = columns.opened(session, key, sealed, row.__dict__[str(columns.workspace)])
    for name, value in content.items():
        set_committed_value(row, name, value)


def _packed(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _nothing_like(value: Any) -> Any:
    if isinstance(value, str):
        return ""
    if isinstance(value, dict):
        return {}
    return [] if isinstance(value, list | tuple) else None


def _hidden(value: Any) -> Any:
    if isinstance(value, str):
        return _HiddenText(value)
    if isinstance(value, dict):
        return _HiddenDict(value)
    return _HiddenList(value) if isinstance(value, list | tuple) else None


def _shown(value: Any) -> Any:
    if isinstance(value, _HiddenText):
        return str(value)
    if isinstance(value, _HiddenDict):
        return dict(value)
    return list(value) if isinstance(value, _HiddenList) else value
