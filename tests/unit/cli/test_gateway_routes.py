"""The first segments of paths, as the services' own routes have them, lead to these services everywhere.

`test_compose.py` and `test_chart.py` hold the proxy and the chart to the gateway; this one to the routes.
"""

from collections.abc import Iterator
from pathlib import Path

from fastapi import FastAPI

from footnote_agent.app import create_app as agent
from footnote_cli.embedded.gateway import SERVICE_OF_SEGMENT
from footnote_ingest.app import create_app as ingest
from footnote_resolver.app import create_app as resolver
from footnote_retriever.app import create_app as retriever
from footnote_shared.settings.base import Settings

SERVICES = {"ingest": ingest, "retriever": retriever, "agent": agent, "resolver": resolver}


def segments(app: FastAPI) -> Iterator[str]:
    """The first segment below /v1 of every route, without the name of an act."""
    for path in app.openapi()["paths"]:
        head, _, rest = path.lstrip("/").partition("/")
        if head == "v1":
            yield rest.partition("/")[0].partition(":")[0]


def test_the_gateway_knows_each_segment_of_each_service_and_no_other(tmp_path: Path) -> None:
    found = {
        segment: name
        for name, create in SERVICES.items()
        for segment in segments(create(Settings(data=tmp_path)))
    }
    assert found == SERVICE_OF_SEGMENT


def test_no_two_services_share_a_segment(tmp_path: Path) -> None:
    seen: dict[str, set[str]] = {}
    for name, create in SERVICES.items():
        for segment in segments(create(Settings(data=tmp_path))):
            seen.setdefault(segment, set()).add(name)
    assert {segment for segment, names in seen.items() if len(names) > 1} == set()
