"""Commands that are processes: `up`, `serve`, `worker`, `beat`, and `migrate`."""

import os
import sys
import webbrowser
from enum import StrEnum
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any

import typer
import uvicorn
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector

from footnote_cli.embedded.gateway import Gateway, load_app
from footnote_cli.embedded.stack import run_embedded
from footnote_cli.render import console
from footnote_shared.db.engine import Database
from footnote_shared.db.migrate import downgrade, missing_revisions, upgrade
from footnote_shared.settings.base import Settings, child_environment, in_environment, load_settings
from footnote_shared.telemetry.logs import set_up_logs

_METRICS_DIR = "PROMETHEUS_MULTIPROC_DIR"
SERVICES = ("ingest", "retriever", "agent", "resolver")


class ServiceName(StrEnum):
    """What `footnote serve` can serve; `all` is the four behind one port."""

    INGEST = "ingest"
    RETRIEVER = "retriever"
    AGENT = "agent"
    RESOLVER = "resolver"
    ALL = "all"


def up(
    port: Annotated[int | None, typer.Option(help="Port to listen on (FOOTNOTE_PORT, 8000).")] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder for all data (FOOTNOTE_DATA, ./.footnote).")
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open the API's page in a browser.")
    ] = False,
) -> None:
    """Start everything on this machine: stores, services, workers. Ctrl-C drains and stops it."""
    changes: dict[str, Any] = {}
    if port is not None:
        changes["port"] = port
    if data is not None:
        changes["data"] = data
    settings = load_settings().model_copy(update=changes)
    settings = settings.model_copy(update={"data": settings.data.absolute()})
    set_up_logs(settings, "up")

    def say(line: str) -> None:
        console.print(line)

    def on_ready(key: str | None) -> None:
        console.print(f"\n[bold]Footnote is ready[/bold] at [bold]{settings.public_url}[/bold]")
        if key is not None:
            console.print(f"API key (shown once, kept in {settings.key_file}): [bold]{key}[/bold]")
        else:
            console.print(f"API key: in {settings.key_file}")
        console.print(f"Logs: {settings.data / 'logs'}   API: {settings.public_url}/docs   Stop: Ctrl-C")
        console.print(
            "The vector store of this run is a development server on loopback; in production set QDRANT_URL."
        )
        if not no_browser and sys.stdout.isatty():
            webbrowser.open(f"{settings.public_url}/docs")

    run_embedded(settings, say, on_ready)


def serve(
    service: Annotated[ServiceName, typer.Argument(help="The service to run, or all four behind one port.")],
    port: Annotated[int | None, typer.Option(help="Port to listen on (FOOTNOTE_PORT, 8000).")] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on (FOOTNOTE_HOST, 127.0.0.1).")] = None,
) -> None:
    """Run one service as a web process (distributed), or all of them in one."""
    settings = load_settings()
    set_up_logs(settings, service.value)
    if service is ServiceName.ALL:
        app: Any = Gateway({name: load_app(name, settings) for name in SERVICES})
    else:
        app = load_app(service.value, settings)
    uvicorn.run(
        app,
        host=host or settings.host,
        port=port or settings.port,
        loop="uvloop",
        http="httptools",
        lifespan="on",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=15,
        backlog=2048,
    )


def worker(
    queues: Annotated[
        str, typer.Option(help="Queues to work on, separated by commas.")
    ] = "parse,embed,index,maintenance",
    concurrency: Annotated[int, typer.Option(help="Processes that work at once.")] = 2,
    name: Annotated[
        str, typer.Option(help="Name of this worker on this machine; two need two names.")
    ] = "worker",
) -> None:
    """Run a Celery worker on the given queues (prefork)."""
    settings = load_settings()
    set_up_logs(settings, f"worker:{queues}")
    celery_app = _worker_app(settings, name)
    celery_app.worker_main(
        [
            "worker", f"--queues={queues}", "--pool=prefork", f"--concurrency={concurrency}", f"--hostname={name}@%h",
            f"--loglevel={settings.log_level}", "--without-gossip", "--without-mingle",
        ]
    )  # fmt: skip


def beat() -> None:
    """Run the clock that wakes the sweeper; one per deployment."""
    settings = load_settings()
    set_up_logs(settings, "beat")
    celery_app = _worker_app(settings, "beat")
    schedule = settings.data / "run" / "beat-schedule"
    schedule.parent.mkdir(parents=True, exist_ok=True)
    celery_app.start(
        argv=["beat", f"--loglevel={settings.log_level}", f"--schedule={schedule}", "--pidfile="]
    )


def _worker_app(settings: Settings, name: str) -> Any:
    """The Celery application, in a process whose metrics all members of the pool share through files.

    prometheus_client reads the folder's name once, at its first import, which has happened by now: the process
    replaces itself by one that has the name from its start.
    """
    folder = str(settings.data.absolute() / "metrics" / name)
    if not in_environment(_METRICS_DIR, folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
        for stale in Path(folder).glob("*.db"):
            stale.unlink()
        command = [sys.executable, "-m", "footnote_cli", *sys.argv[1:]]
        os.execve(sys.executable, command, child_environment({_METRICS_DIR: folder}))  # noqa: S606
    if settings.worker_metrics_port:
        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=folder)  # type: ignore[no-untyped-call]
        start_http_server(settings.worker_metrics_port, registry=registry)
    (point,) = entry_points(group="footnote.workers", name="ingest")
    return point.load()


def migrate(
    check: Annotated[
        bool, typer.Option("--check", help="Only say whether the database is up to date (exit 1 when not).")
    ] = False,
    down: Annotated[
        str | None, typer.Option("--down", help="Go back to this revision, e.g. ingest@base.")
    ] = None,
) -> None:
    """Bring the database to the newest schema of every service."""
    database = Database.from_settings(load_settings())
    try:
        if down is not None:
            downgrade(database, down)
        elif not check:
            upgrade(database)
        missing = missing_revisions(database)
    finally:
        database.close()
    if missing and down is None:
        console.print(f"The database lacks: {', '.join(sorted(missing))}. Run `footnote migrate`.")
        raise typer.Exit(1)
    console.print("The database is up to date." if down is None else f"The database is at {down}.")
