"""The command `footnote`: finds the command that was asked for, and turns errors into exit statuses."""

import difflib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version

import typer

from footnote_cli.embedded.private_files import keep_to_owner
from footnote_cli.render import neutral
from footnote_cli.typer_app import typer_app
from footnote_shared.kernel.errors import FootnoteError, InvalidRequest, Misconfigured, Unavailable

_HELP_NAMES = ["-h", "--help"]


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
    "ingest": Command("ingest", "ingest", "Upload files and folders, and follow each document to its end."),
    "search": Command("search", "search", "Find passages, with their document, heading path and page."),
    "ask": Command("ask", "ask", "Ask a question; the answer streams, and its sources are numbered."),
    "chat": Command("chat", "chat", "Talk with your documents, question by question."),
    "mcp": Command("mcp", "mcp", "Let a program use search, read and ask over MCP."),
    "docs": Command("docs", "app", "List, show, retry and delete documents."),
    "status": Command("status", "status", "Say what is up, and how far the documents are."),
    "doctor": Command("doctor", "doctor", "Say what is configured, what answers and what is missing."),
    "keys": Command("keys", "app", "Make, list and revoke API keys."),
    "eval": Command("eval", "app", "Measure quality: what becomes of citations."),
    "bench": Command("bench", "bench", "Measure speed on this machine."),
    "serve": Command("serve", "serve", "Run one service as a web process of its own."),
    "worker": Command("worker", "worker", "Run a Celery worker on some queues."),
    "beat": Command("worker", "beat", "Run the clock that wakes the sweeper."),
    "migrate": Command("migrate", "migrate", "Bring the database to the newest schema, or back."),
}
_DISTRIBUTED = ("serve", "worker", "beat", "migrate")


def main() -> None:
    """Run one command. No other user of the machine may read what it makes.

    Exit status: 0 all well, 1 something failed and was named, 2 wrong use, 3 no server answers (spec 9.1).
    """
    keep_to_owner()
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name in ("", "help", *_HELP_NAMES):
        print(_help())
        sys.exit(0 if name else 2)
    if name == "--version":
        print(f"footnote {version('footnote')}")
        sys.exit(0)
    if name not in COMMANDS:
        close = difflib.get_close_matches(name, COMMANDS, n=1)
        hint = f" Did you mean `footnote {close[0]}`?" if close else ""
        print(
            f"footnote: there is no command `{neutral(name)}`.{hint} `footnote --help` lists them.",
            file=sys.stderr,
        )
        sys.exit(2)
    try:
        command = _load(name)
        command(args=sys.argv[2:], prog_name=f"footnote {name}", help_option_names=_HELP_NAMES)
    except FootnoteError as error:
        print(f"footnote: {neutral(error.detail, lines=True)}", file=sys.stderr)
        for item in error.errors:
            print(f"  {neutral(item.field)}: {neutral(item.message)}", file=sys.stderr)
        sys.exit(_exit_status(error))


def _load(name: str) -> typer.Typer:
    """The command's own application. Its module alone is imported: `search` need not wait as `up` must."""
    command = COMMANDS[name]
    target = getattr(import_module(f"footnote_cli.commands.{command.module}"), command.attribute)
    if isinstance(target, typer.Typer):
        return target
    app = typer_app()
    app.command(name)(target)
    return app


def _help() -> str:
    return "\n".join(
        [
            "Usage: footnote COMMAND [OPTIONS]",
            "",
            "Answers over your own documents, with a number behind every claim that the server can prove.",
            "",
            *(_line(name) for name in COMMANDS if name not in _DISTRIBUTED),
            "",
            "Where each service runs on its own:",
            *(_line(name) for name in _DISTRIBUTED),
            "",
            "Begin with `footnote up`; then, in another terminal:",
            "  footnote ingest FOLDER",
            '  footnote ask "What do our documents say about ...?"',
            "",
            "`footnote COMMAND --help` explains a command; `footnote --version` names the version.",
            "Exit status: 0 all well, 1 something failed and was named, 2 wrong use, 3 no server answers.",
        ]
    )


def _line(name: str) -> str:
    return f"  {name:9} {COMMANDS[name].line}"


def _exit_status(error: FootnoteError) -> int:
    if isinstance(error, Unavailable) and error.part == "footnote":
        return 3
    return 2 if isinstance(error, Misconfigured | InvalidRequest) else 1
