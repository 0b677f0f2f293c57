"""The first segments of paths, as the services' own routes have them, lead to these services everywhere.

`test_compose.py` and `test_chart.py` hold the proxy and the chart to the gateway; this one to the routes.
"""

from collections.abc import Iterator

from fastapi import FastAPI

from footnote_cli.embedded.gateway import SERVICE_OF_SEGMENT
from tests.applications import applications


def segments(app: FastAPI) -> Iterator[str]:
    """The first segment below /v1 of every route, without the name of an act."""
    for path in app.openapi()["paths"]:
        head, _, rest = path.lstrip("/").partition("/")
        if head == "v1":
            yield rest.partition("/")[0].partition(":")[0]


def test_the_gateway_knows_each_segment_of_each_service_and_no_other() -> None:
    found = {segment: name for name, app in applications().items() for segment in segments(app)}
    assert found == SERVICE_OF_SEGMENT


def test_no_two_services_share_a_segment() -> None:
    seen: dict[str, set[str]] = {}
    for name, app in applications().items():
        for segment in segments(app):
            seen.setdefault(segment, set()).add(name)
    assert {segment for segment, names in seen.items() if len(names) > 1} == set()
