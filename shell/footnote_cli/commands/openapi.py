"""`footnote openapi`: the description of the API for programs, without a server."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from footnote_cli.joint_document import joint_document
from footnote_cli.render import errors, outside
from footnote_cli.services import SERVICES, load_app
from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.settings.base import Settings

Service = Literal["ingest", "retriever", "agent", "resolver"]


def openapi(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write it into this file, not to standard output.")
    ] = None,
    service: Annotated[
        Service | None, typer.Option(help="That of one service alone, with its health. Without it: all four.")
    ] = None,
) -> None:
    """Write the OpenAPI document of this release: every route, with an example, its shapes and its errors.

    It is what a running server answers at /openapi.json, and it needs none. The names of operations stay from
    release to release, so a client that was made from it can be made again.

    Example: `footnote openapi --output openapi.json`

    Exit status: 0 when it is written, 2 on wrong use.
    """
    # Settings of a running system change no route, and a wrong one of them is no reason to refuse here.
    settings = Settings.model_construct()
    if service is not None:
        document = load_app(service, settings).openapi()
    else:
        document = joint_document({name: load_app(name, settings).openapi() for name in SERVICES})
    text = json.dumps(document, ensure_ascii=False, indent=2)
    if output is None:
        print(text)
        return
    try:
        output.write_text(f"{text}\n", "utf-8")
    except OSError as error:
        raise InvalidRequest(f"{outside(str(output))} cannot be written: {error.strerror}.") from error
    errors.print(f"{len(document['paths'])} paths stand in {outside(str(output))}.")
