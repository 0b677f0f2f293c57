"""The applications of the four services, for tests that read what they describe and send them nothing."""

from collections.abc import Mapping
from functools import cache

from fastapi import FastAPI

from footnote_cli.services import SERVICES, load_app
from footnote_shared.settings.base import Settings


@cache
def applications() -> Mapping[str, FastAPI]:
    """Each service by its name. To make one and to describe its routes takes a fifth of a second."""
    # No setting changes a route, so those of a test do not go into what others read.
    return {name: load_app(name, Settings.model_construct()) for name in SERVICES}
