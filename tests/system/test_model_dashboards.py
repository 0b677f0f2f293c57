"""Expressions of dashboards and rules that need a model, a connector and the like find data with them."""

import pytest

from tests.system.board_expressions import (
    EMPTY_EVERYWHERE,
    WITH_MODELS,
    all_find_data,
    expressions,
    names_one_of,
)
from tests.system.planted import WORKERS, Planted
from tests.system.prometheus import PROMETHEUS, prometheus_over

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(PROMETHEUS is None, reason="Prometheus is not installed"),
]


def test_what_finds_nothing_without_a_model_finds_data_with_one(
    worked: Planted, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = expressions()
    wanted = {
        expr: place
        for expr, place in found.items()
        if names_one_of(expr, WITH_MODELS) and not names_one_of(expr, EMPTY_EVERYWHERE)
    }
    assert [name for name in WITH_MODELS if not any(name in expr for expr in wanted)] == []
    with prometheus_over(worked.stack, tmp_path_factory.mktemp("prometheus"), WORKERS) as prometheus:
        all_find_data(prometheus, wanted)
