"""A large table of PostgreSQL in parts, by a hash of one of its columns (spec 8.4, ADR 0089)."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, MetaData, text

from footnote_shared.kernel.errors import OurFault

_REST = "_undivided"

_seen: WeakKeyDictionary[Engine, tuple[int, MetaData]] = WeakKeyDictionary()
"""What SQLite said of its tables, and its schema version then, which every change of the schema raises."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """What a table has beside its columns, as PostgreSQL writes it."""

    primary_key: str
    columns_of_key: tuple[str, ...]
    foreign_keys: dict[str, str]
    """Their definitions by their names."""
    indexes: tuple[str, ...]


def is_divided(connection: Connection, table: str) -> bool:
    kind = connection.execute(text("SELECT relkind FROM pg_class WHERE oid = to_regclass(:t)"), {"t": table})
    return bool(kind.scalar_one() == "p")


def whole_tables(connection: Connection) -> MetaData:
    """All tables as they are in the database, a divided one once and its parts not at all.

    The caller only reads them. SQLite takes hundreds of statements to tell them, so what it told is kept for
    as long as its `PRAGMA schema_version` stays. PostgreSQL has no such number, and is asked each time.
    """
    if connection.dialect.name == "postgresql":
        parts = set(connection.scalars(text("SELECT relname FROM pg_class WHERE relispartition")))
        return _reflected(connection, parts)
    version = connection.exec_driver_sql("PRAGMA schema_version").scalar_one()
    seen = _seen.get(connection.engine)
    if seen is None or seen[0] != version:
        seen = _seen[connection.engine] = version, _reflected(connection, set())
    return seen[1]


def _reflected(connection: Connection, but: set[str]) -> MetaData:
    metadata = MetaData()
    metadata.reflect(connection, only=lambda name, _: name not in but)
    return metadata


def divide(connection: Connection, table: str, column: str, parts: int) -> bool:
    """Divide a table into parts by the hash of a column, in the transaction of the connection.

    Returns whether it did: a table that is divided already stays as it is, in however many parts. All rows
    are copied, and nobody else reads or writes the table meanwhile. The column becomes part of the primary
    key, as PostgreSQL wants it. Other tables must not refer to this one.
    """
    connection.execute(text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
    if is_divided(connection, table):
        return False
    layout = _layout(connection, table)
    rest = f"{table}{_REST}"
    key = ", ".join(dict.fromkeys((*layout.columns_of_key, column)))
    statements = [
        f"ALTER TABLE {table} RENAME TO {rest}",
        f"CREATE TABLE {table} (LIKE {rest} INCLUDING ALL EXCLUDING INDEXES) PARTITION BY HASH ({column})",
        *(
            f"CREATE TABLE {table}_{part} PARTITION OF {table}"
            f" FOR VALUES WITH (MODULUS {parts}, REMAINDER {part})"
            for part in range(parts)
        ),
        f"INSERT INTO {table} SELECT * FROM {rest}",  # names of ours
        f"DROP TABLE {rest}",
        f"ALTER TABLE {table} ADD CONSTRAINT {layout.primary_key} PRIMARY KEY ({key})",
        *(f"ALTER TABLE {table} ADD CONSTRAINT {name} {made}" for name, made in layout.foreign_keys.items()),
        *layout.indexes,
        f"ANALYZE {table}",
    ]
    for statement in statements:
        connection.exec_driver_sql(statement)
    return True


def _layout(connection: Connection, table: str) -> _Layout:
    found = connection.execute(
        text(
            "SELECT contype, conname, pg_get_constraintdef(oid),"
            " ARRAY(SELECT attname FROM unnest(conkey) WITH ORDINALITY AS k(number, place)"
            " JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = k.number ORDER BY place)"
            " FROM pg_constraint WHERE conrelid = to_regclass(:t)"
        ),
        {"t": table},
    ).all()
    keys = [(str(name), tuple(columns)) for kind, name, _, columns in found if kind == "p"]
    if len(keys) != 1 or any(kind == "u" for kind, *_ in found):
        raise OurFault(f"The table {table} cannot be divided: it needs one key, and nothing else unique.")
    ((name, columns),) = keys
    indexes = connection.execute(
        text(
            "SELECT pg_get_indexdef(indexrelid), indisunique FROM pg_index"
            " WHERE indrelid = to_regclass(:t) AND NOT indisprimary ORDER BY indexrelid"
        ),
        {"t": table},
    ).all()
    if any(unique for _, unique in indexes):
        raise OurFault(f"The table {table} cannot be divided: it has an index that is unique.")
    return _Layout(
        name,
        columns,
        {str(name): str(made) for kind, name, made, _ in found if kind == "f"},
        tuple(str(made) for made, _ in indexes),
    )
