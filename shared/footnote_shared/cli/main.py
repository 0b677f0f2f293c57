"""The command `footnote`."""

import sys

import typer

from footnote_shared.cli import ask, bench, docs, doctor, ingest, keys, processes, search, status
from footnote_shared.kernel.errors import FootnoteError, InvalidRequest, Misconfigured, Unavailable

app = typer.Typer(
    name="footnote",
    help="Answers over your own documents in which every claim carries a number that the server can prove.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("up")(processes.up)
app.command("ingest")(ingest.ingest)
app.command("search")(search.search)
app.command("ask")(ask.ask)
app.add_typer(docs.app, name="docs")
app.command("status")(status.status)
app.command("doctor")(doctor.doctor)
app.add_typer(keys.app, name="keys")
app.command("bench")(bench.bench)
app.command("serve")(processes.serve)
app.command("worker")(processes.worker)
app.command("beat")(processes.beat)
app.command("migrate")(processes.migrate)


def main() -> None:
    """Run; exit 0 when all is well, 1 when something failed, 2 on wrong use, 3 when the server is not reachable."""
    try:
        app()
    except FootnoteError as error:
        print(f"footnote: {error.detail}", file=sys.stderr)
        for item in error.errors:
            print(f"  {item.field}: {item.message}", file=sys.stderr)
        sys.exit(_exit_status(error))


def _exit_status(error: FootnoteError) -> int:
    if isinstance(error, Unavailable) and error.part == "footnote":
        return 3
    return 2 if isinstance(error, Misconfigured | InvalidRequest) else 1
