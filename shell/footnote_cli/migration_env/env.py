"""Alembic runs this file: the migrations, on the connection that `footnote_cli.migrations` has opened."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(
    connection=connection, transactional_ddl=True, render_as_batch=connection.dialect.name == "sqlite"
)
with context.begin_transaction():
    context.run_migrations()
