"""`footnote serve`: one service as a web process, or all four behind one port."""

from typing import Annotated, Literal

import typer
from starlette.types import ASGIApp

from footnote_cli.embedded.gateway import Gateway
from footnote_cli.listening import listen
from footnote_cli.services import SERVICES, load_app
from footnote_cli.web_server import serve_until_told
from footnote_shared.kernel.idle_memory import give_back_when_idle
from footnote_shared.settings.base import Settings, load_settings
from footnote_shared.telemetry.logs import set_up_logs
from footnote_shared.telemetry.tracing import set_up_traces

ServiceName = Literal["ingest", "retriever", "agent", "resolver", "all"]


def serve(
    service: Annotated[ServiceName, typer.Argument(help="The service, or all four behind one port.")],
    port: Annotated[int | None, typer.Option(help="Port to listen on (FOOTNOTE_PORT, else 8000).")] = None,
    host: Annotated[
        str | None, typer.Option(help="Address to listen on (FOOTNOTE_HOST, else 127.0.0.1).")
    ] = None,
) -> None:
    """Run one service as a web process of its own; the stores it needs run elsewhere.

    Example: `footnote serve retriever --port 8002 --host 0.0.0.0`

    Exit status: 0 after SIGTERM, 1 when it cannot start, 2 on wrong use or with settings that it refuses.
    """
    settings = load_settings()
    set_up_logs(settings, service)
    set_up_traces(settings, service)
    sockets = [listen(host or settings.host, port or settings.port)]
    if service == "all":
        inside = listen("127.0.0.1", settings.neighbour_port)
        sockets.append(inside)
        settings = _calling_inside(settings, inside.getsockname()[1])
    elif settings.neighbour_port:
        sockets.append(listen(host or settings.host, settings.neighbour_port))
    app: ASGIApp = (
        Gateway({name: load_app(name, settings) for name in SERVICES})
        if service == "all"
        else load_app(service, settings)
    )
    give_back_when_idle()
    serve_until_told(
        app,
        sockets,
        drain_s=settings.drain_s,
        requests_end_s=settings.requests_end_s,
        headers_within_s=settings.headers_within_s,
        proxies=settings.proxies,
    )


def _calling_inside(settings: Settings, port: int) -> Settings:
    """The settings with which the four call each other on a port of their own."""
    url = f"http://127.0.0.1:{port}"
    return settings.model_copy(
        update={
            "neighbour_port": port,
            "ingest_url": url,
            "retriever_url": url,
            "agent_url": url,
            "resolver_url": url,
        }
    )
