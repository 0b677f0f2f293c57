"""The command `footnote`."""

import difflib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

import typer

from footnote_shared.kernel.errors import FootnoteError, InvalidRequest, Misconfigured, Unavailable


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where a command lives, and its line in `footnote --help`. `attribute` is a function, or a Typer with commands."""

    module: str
    attribute: str
    line: str


COMMANDS: Mapping[str, _Entry] = {
    "up": _Entry("processes", "up", "Start everything on this machine: stores, services, workers."),
    "ingest": _Entry("ingest", "ingest", "Upload files and folders, and follow each document to its end."),
    "search": _Entry("search", "search", "Find passages, with heading path and page."),
    "ask": _Entry("ask", "ask", "Ask a question; the answer streams, its sources are numbered."),
    "docs": _Entry("docs", "app", "List, show, retry and delete documents."),
    "status": _Entry("status", "status", "Say what is up, and how far the documents are."),
    "doctor": _Entry("doctor", "doctor", "Say what is configured, what answers, and what is missing."),
    "keys": _Entry("keys", "app", "Make, list and revoke API keys."),
    "eval": _Entry("eval", "app", "Measure quality: what becomes of citations."),
    "bench": _Entry("bench", "bench", "Measure this machine."),
    "serve": _Entry("processes", "serve", "Run one service as a web process (distributed)."),
    "worker": _Entry("processes", "worker", "Run a Celery worker on some queues (distributed)."),
    "beat": _Entry("processes", "beat", "Run the clock that wakes the sweeper (distributed)."),
    "migrate": _Entry("processes", "migrate", "Bring the database to the newest schema."),
}


def main() -> None:
    """Run; exit 0 when all is well, 1 when something failed, 2 on wrong use, 3 when the server is not reachable."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name in ("", "-h", "--help", "help"):
        print(_help())
        sys.exit(0 if name else 2)
    if name not in COMMANDS:
        close = difflib.get_close_matches(name, COMMANDS, n=1)
        hint = f" Did you mean `footnote {close[0]}`?" if close else ""
        print(f"footnote: there is no command `{name}`.{hint} `footnote --help` lists them.", file=sys.stderr)
        sys.exit(2)
    try:
        _load(name)(args=sys.argv[2:], prog_name=f"footnote {name}")
    except FootnoteError as error:
        print(f"footnote: {error.detail}", file=sys.stderr)
        for item in error.errors:
            print(f"  {item.field}: {item.message}", file=sys.stderr)
        sys.exit(_exit_status(error))


def _load(name: str) -> typer.Typer:
    """The command's own application. Its module is imported only now: `search` need not wait for what `up` needs."""
    entry = COMMANDS[name]
    target = getattr(import_module(f"footnote_cli.commands.{entry.module}"), entry.attribute)
    if isinstance(target, typer.Typer):
        return target
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(name, context_settings={"help_option_names": ["-h", "--help"]})(target)
    return app


def _help() -> str:
    lines = [
        "Usage: footnote COMMAND [OPTIONS]",
        "",
        "Answers over your own documents in which every claim carries a number that the server can prove.",
        "",
        *(f"  {name:9} {entry.line}" for name, entry in COMMANDS.items()),
        "",
        "Start with `footnote up`, then `footnote ingest FOLDER`, then `footnote ask QUESTION`.",
        "`footnote COMMAND --help` explains one. Exit status: 0 well, 1 something failed, 2 wrong use, 3 server not reachable.",
    ]
    return "\n".join(lines)


def _exit_status(error: FootnoteError) -> int:
    if isinstance(error, Unavailable) and error.part == "footnote":
        return 3
    return 2 if isinstance(error, Misconfigured | InvalidRequest) else 1
