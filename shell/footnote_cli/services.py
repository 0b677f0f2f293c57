"""The services as installed packages: found by entry points, never imported (spec 1.1)."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from footnote_shared.settings.base import Settings

if TYPE_CHECKING:
    # Workers and the clock find themselves here, and have no use for a web framework.
    from fastapi import FastAPI

SERVICES = ("ingest", "retriever", "agent", "resolver")


def load_app(service: str, settings: Settings) -> "FastAPI":
    """The application that a service registers under `footnote.apps`."""
    (point,) = entry_points(group="footnote.apps", name=service)
    app: FastAPI = point.load()(settings)
    return app


def load_celery() -> Any:
    """The Celery application that ingest registers under `footnote.workers`."""
    (point,) = entry_points(group="footnote.workers", name="ingest")
    return point.load()


def load_clock(settings: Settings) -> Any:
    """The Celery application of `footnote beat`, which knows when the tasks of ingest are due."""
    clock = import_module(f"{_package_of_ingest()}.tasks.clock")
    return clock.make_clock(settings)


def parser_confinement(settings: Settings) -> str:
    """What keeps a parser of ingest in on this machine; begins with `ok` if documents are parsed."""
    confinement = import_module(f"{_package_of_ingest()}.sandbox.confinement")
    said: str = confinement.what_holds(settings.parse_confinement, confinement.offered())
    return said


@contextmanager
def passage_reader(settings: Settings) -> Iterator[Callable[[bytes, str], Mapping[str, Any]]]:
    """What tells of a file's bytes and name the passages that ingest makes of it (its module `passages`)."""
    reader = import_module(f"{_package_of_ingest()}.passages").PassageReader(settings)
    try:
        yield reader.read
    finally:
        reader.close()


def _package_of_ingest() -> str:
    (point,) = entry_points(group="footnote.workers", name="ingest")
    return point.module.partition(".")[0]
