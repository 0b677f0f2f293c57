"""`footnote up`: everything on this machine, in one terminal."""

import sys
import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

from footnote_cli.embedded.sign_in import sign_in_link, write_sign_in_page
from footnote_cli.embedded.stack import run_embedded
from footnote_cli.render import console, outside
from footnote_shared.settings.base import Settings, load_settings
from footnote_shared.telemetry.logs import set_up_logs


def up(
    port: Annotated[int | None, typer.Option(help="Port to listen on (FOOTNOTE_PORT, else 8000).")] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder for all data (FOOTNOTE_DATA, else ./.footnote).")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
) -> None:
    """Start everything on this machine: stores, services and workers.

    The first start makes a workspace and its admin key and keeps the key in the data folder, where the
    other commands find it. A terminal is shown it once; a log never is. The folder is closed to other users
    of the machine. Ctrl-C finishes the work in hand and stops everything. The next start finds all data.

    Example: `footnote up --port 8100 --data ~/footnote`

    Exit status: 0 after Ctrl-C, 1 when a part does not start or dies again and again, 2 when the port or
    the data folder is in use or the folder is another user's.
    """
    changes: dict[str, Any] = {}
    if port is not None:
        changes["port"] = port
    if data is not None:
        changes["data"] = data
    settings = load_settings().model_copy(update=changes)
    settings = settings.model_copy(update={"data": settings.data.absolute()})
    set_up_logs(settings, "up")

    watched = sys.stdout.isatty()

    def on_ready(key: str | None) -> None:
        _welcome(settings, key if watched else None, sign_in_link(settings) if watched else None)
        if not no_browser and watched:
            webbrowser.open(write_sign_in_page(settings).as_uri())

    run_embedded(settings, console.print, on_ready, with_link=watched)


def _welcome(settings: Settings, key: str | None, link: str | None) -> None:
    url = settings.public_url
    console.print(f"\n[bold]Footnote is ready[/bold] at [bold]{url}[/bold]")
    if link is not None:
        console.print(f"Open this link once, and the browser is signed in: {outside(link)}", soft_wrap=True)
    if key is not None:
        console.print(f"API key (shown once, kept in {outside(str(settings.key_file))}): [bold]{key}[/bold]")
    else:
        console.print(f"API key: in {outside(str(settings.key_file))}")
    console.print(f"Logs: {outside(str(settings.data / 'logs'))}   API: {url}/docs   Stop: Ctrl-C")
    console.print("The vector store is a development server on loopback; in production set QDRANT_URL.")
