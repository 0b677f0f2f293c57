"""The order of the files: several workers share them, and none should be left with a long one in the end."""

import pytest

_LONG = (
    "test_lane_processes",
    "test_processes",
    "test_verification_stream",
    "test_onnx_export",
    "test_registry",
    "test_stopping",
    "test_takeover",
    "test_killed_syncs",
    "test_stream_trouble",
    "test_models",
    "test_redis_lost",
)
"""Files that start many processes, by the time that they take: from two minutes down to half of one."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {name: number for number, name in enumerate(_LONG)}
    items.sort(key=lambda item: place.get(item.path.stem, len(_LONG)))
