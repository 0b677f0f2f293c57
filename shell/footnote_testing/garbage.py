"""A plugin of pytest that lets Python look for garbage seldom: it took a tenth of the time of many tests.

It is named in pytest's settings, so that it comes before what the `conftest.py` files import.
"""

import gc
from collections.abc import Generator

import pytest

_LOOKED_FOR = (20_000, 10, 50)
"""New objects before Python looks among the youngest, and so many looks before one among older ones."""

gc.disable()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that was imported or collected is ever garbage, so nobody looks through it again and again."""
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*_LOOKED_FOR)
        gc.enable()
