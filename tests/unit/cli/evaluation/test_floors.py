"""Bounds that a figure must keep."""

from pathlib import Path

import pytest

from footnote_cli.evaluation.floors import Bound, broken, read_floors
from footnote_shared.kernel.errors import InvalidRequest


def test_a_figure_outside_its_bounds_is_named(tmp_path: Path) -> None:
    file = tmp_path / "floors.json"
    file.write_text(
        '{"lazy": {"recall": {"least": 0.9}, "strange": {"most": 0}, "cited": {"least": 0}},'
        ' "linking": {"strange": {"most": 0}}, "wrong": {"cited": {"least": 1}}}'
    )
    found = broken({"lazy": {"recall": 0.8, "strange": 0.0}, "linking": {"strange": 0.1}}, read_floors(file))
    assert found == [
        "lazy: recall is 0.800, less than 0.9",
        "lazy: cited was not measured",
        "linking: strange is 0.100, more than 0.0",
    ]


def test_a_figure_of_all_tempers_that_none_of_those_run_has_is_not_asked_for() -> None:
    assert broken({"all": {}}, {"all": {"arrived": Bound(least=1.0)}}) == []


@pytest.mark.parametrize("text", ['{"lazy": {"recall": {"lest": 0.9}}}', '{"lazy": 1}', "[]", "{"])
def test_a_file_of_another_shape_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "floors.json").write_text(text)
    with pytest.raises(InvalidRequest, match="holds no floors"):
        read_floors(tmp_path / "floors.json")
