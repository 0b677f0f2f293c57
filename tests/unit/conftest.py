"""The order of the files: several workers share them, and none should be left with a long one in the end."""

import pytest

_LONG = (
    "test_sandbox",
    "test_bad_files",
    "test_confinement",
    "test_bounds",
    "test_imports_at_start",
    "test_site",
    "test_fork_server",
    "test_chart",
)
"""Files that start processes or read much, by the time that they take."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {name: number for number, name in enumerate(_LONG)}
    items.sort(key=lambda item: place.get(item.path.stem, len(_LONG)))
