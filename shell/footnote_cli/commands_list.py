"""The commands of `footnote`: where each of them lives, and what its line in the help says."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

import typer

from footnote_cli.typer_app import typer_app


@dataclass(frozen=True, slots=True)
class Command:
    """Where a command lives, and its line in `footnote --help`.

    `attribute` of the module is a function, or a Typer with commands of its own.
    """

    module: str
    attribute: str
    line: str


COMMANDS: Mapping[str, Command] = {
    "up": Command("up", "up", "Start everything on this machine: stores, services and workers."),
    "demo": Command("demo", "demo", "Show it with sample documents: upload, ask, open the sources."),
    "ingest": Command("ingest", "ingest", "Upload files and folders, and follow each document to its end."),
    "search": Command("search", "search", "Find passages, with their document, heading path and page."),
    "ask": Command("ask", "ask", "Ask a question; the answer streams, and its sources are numbered."),
    "chat": Command("chat", "chat", "Talk with your documents, question by question."),
    "mcp": Command("mcp", "mcp", "Let a program use search, read and ask over MCP."),
    "docs": Command("docs", "app", "List, show, retry and delete documents."),
    "facts": Command("read_facts", "facts", "List the facts that a model has read from a document."),
    "connect": Command("connect", "connect", "Bring a site, a feed, a repository or a folder in."),
    "connectors": Command("connectors", "app", "List, run, pause and delete connectors."),
    "automations": Command("automations", "app", "Ask questions by a schedule, and see what became of them."),
    "status": Command("status", "status", "Say what is up, and how far the documents are."),
    "doctor": Command("doctor", "doctor", "Say what is configured, what answers and what is missing."),
    "lanes": Command("lanes", "app", "Re-embed the documents beside the live search, switch, roll back."),
    "flags": Command("flags", "app", "List, set and clear the flags of your workspace."),
    "keys": Command("keys", "app", "Make, list and revoke API keys."),
    "avatars": Command("avatars", "app", "List the people of a workspace, delete one, show its receipt."),
    "workspaces": Command("workspaces", "app", "List the workspaces, delete one, show its receipt."),
    "encryption": Command("encryption", "app", "Make, change and destroy the keys of encryption."),
    "eval": Command("eval", "app", "Measure quality: citations, answers, searches, how documents are read."),
    "openapi": Command("openapi", "openapi", "Write the OpenAPI document of the whole API."),
    "bench": Command("bench", "bench", "Measure speed on this machine."),
    "serve": Command("serve", "serve", "Run one service as a web process of its own."),
    "worker": Command("worker", "worker", "Run a Celery worker on some queues."),
    "beat": Command("worker", "beat", "Run the clock that wakes the sweeper."),
    "backup": Command("backup", "backup", "Copy SQL and blobs into a folder, while the system runs."),
    "restore": Command("backup", "restore", "Put a backup back into a system that is empty."),
    "migrate": Command("migrate", "migrate", "Bring the database to the newest schema, or back."),
}


def load_command(name: str) -> typer.Typer:
    """The command's own application. Its module alone is imported: `search` need not wait as `up` must."""
    command = COMMANDS[name]
    target = getattr(import_module(f"footnote_cli.commands.{command.module}"), command.attribute)
    if isinstance(target, typer.Typer):
        return target
    app = typer_app()
    app.command(name)(target)
    return app
