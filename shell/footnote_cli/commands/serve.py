"""`footnote serve`: one service as a web process, or all four behind one port."""

from typing import Annotated, Any, Literal

import typer
import uvicorn

from footnote_cli.embedded.gateway import Gateway
from footnote_cli.services import SERVICES, load_app
from footnote_shared.settings.base import load_settings
from footnote_shared.telemetry.logs import set_up_logs

# Requests in hand get this long to end after SIGTERM; open streams are resumed elsewhere.
_DRAIN_S = 15
_WAITING_CONNECTIONS = 2048


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

    Exit status: 0 after SIGTERM, 1 when it cannot start, 2 on wrong use.
    """
    settings = load_settings()
    set_up_logs(settings, service)
    if service == "all":
        app: Any = Gateway({name: load_app(name, settings) for name in SERVICES})
    else:
        app = load_app(service, settings)
    uvicorn.run(
        app,
        host=host or settings.host,
        port=port or settings.port,
        loop="uvloop",
        http="httptools",
        lifespan="on",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_DRAIN_S,
        backlog=_WAITING_CONNECTIONS,
    )
