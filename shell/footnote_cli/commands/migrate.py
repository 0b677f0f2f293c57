"""`footnote migrate`: the database and the schema that this release needs."""

from typing import Annotated

import typer

from footnote_cli.migrations import divide_chunks, downgrade, missing_revisions, upgrade
from footnote_cli.render import console, outside
from footnote_shared.db.engine import Database
from footnote_shared.settings.base import load_settings


def migrate(
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; say whether the database is up to date.")
    ] = False,
    down: Annotated[
        str | None, typer.Option("--down", help="Go back to this revision, e.g. ingest@base.")
    ] = None,
) -> None:
    """Bring the database to the newest schema of every service. `footnote up` does so at its start.

    Where FOOTNOTE_CHUNK_PARTITIONS is set, the table of chunks of a PostgreSQL is divided as well, once.

    Example: `footnote migrate --check`

    Exit status: 0 when the database is where it should be, 1 when it lacks something, 2 on wrong use.
    """
    settings = load_settings()
    database = Database.from_settings(settings)
    divided = False
    try:
        if down is not None:
            downgrade(database, down)
        elif not check:
            upgrade(database)
            if settings.chunk_partitions and not database.is_sqlite:
                divided = divide_chunks(database, settings.chunk_partitions)
        missing = missing_revisions(database)
    finally:
        database.close()
    if down is not None:
        console.print(f"The database is at {outside(down)}.")
    elif missing:
        console.print(f"The database lacks {', '.join(sorted(missing))}. Run `footnote migrate`.")
        raise typer.Exit(1)
    else:
        console.print("The database is up to date.")
    if divided:
        console.print(f"The table of chunks has {settings.chunk_partitions} parts now.")
