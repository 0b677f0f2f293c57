"""How a cost grows: the exponent of figures, and a picture that can be read."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.benchmarks.growth_picture import exponent, picture, write_picture

SIZES = [10.0, 100.0, 1000.0]


@pytest.mark.parametrize(("power", "factor"), [(0.0, 7.0), (0.5, 3.0), (1.0, 0.2), (2.0, 1e-6)])
def test_the_exponent_is_the_power_whatever_the_unit(power: float, factor: float) -> None:
    assert exponent(SIZES, [factor * size**power for size in SIZES]) == pytest.approx(power, abs=1e-9)


def test_a_picture_has_a_dot_for_each_figure_within_its_bounds(tmp_path: Path) -> None:
    grows = write_picture(tmp_path / "a" / "growth.svg", "A & B", "chunks", "ms", [(s, 2 * s) for s in SIZES])
    root = ElementTree.fromstring((tmp_path / "a" / "growth.svg").read_text("utf-8"))
    width, height = (float(one) for one in root.attrib["viewBox"].split()[2:])
    dots = [element for element in root.iter() if element.tag.endswith("circle")]
    assert grows == pytest.approx(1.0)
    assert len(dots) == len(SIZES)
    assert all(0 < float(d.attrib["cx"]) < width and 0 < float(d.attrib["cy"]) < height for d in dots)


def test_equal_costs_are_drawn_too() -> None:
    assert "exponent" in picture("flat", "n", "ms", SIZES, [5.0, 5.0, 5.0])
