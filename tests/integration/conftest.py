"""The order of the files, and which of them stay together: several workers share them.

None should be left with a long one in the end.
"""

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

_CONSOLE = "tests/integration/console/"
_LONG = (
    _CONSOLE,
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
"""Files that start many processes, by the time that they take: from two minutes down to half of one. Before
them comes the console, whose files stay together."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {name: number for number, name in enumerate(_LONG)}

    def place_in_line(item: pytest.Item) -> int:
        group = _group_of(item.nodeid)
        return place.get(group if group == _CONSOLE else item.path.stem, len(_LONG))

    items.sort(key=place_in_line)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give a worker all files of the console, which share a browser. Beginning one takes seconds."""
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = _group_of
    return scheduler


def _group_of(nodeid: str) -> str:
    return _CONSOLE if nodeid.startswith(_CONSOLE) else nodeid.partition("::")[0]
