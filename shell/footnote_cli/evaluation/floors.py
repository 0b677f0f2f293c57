"""Floors of figures, kept as data: what may not fall, and what may not rise. Pure but for reading the file."""

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from footnote_shared.kernel.errors import InvalidRequest

ALL = "all"
"""Stands for all tempers together."""


class Bound(BaseModel):
    """How low or how high a figure may be."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    least: float | None = None
    most: float | None = None


Floors = Mapping[str, Mapping[str, Bound]]


def read_floors(file: Path) -> Floors:
    """`{temper: {figure: {"least": x} or {"most": x}}}`. Raises InvalidRequest for another shape."""
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        return {
            temper: {name: Bound.model_validate(bound) for name, bound in figures.items()}
            for temper, figures in rows.items()
        }
    except (OSError, ValueError, AttributeError, ValidationError) as error:
        raise InvalidRequest(f"{file} holds no floors: {error}") from error


def broken(figures: Mapping[str, Mapping[str, float]], floors: Floors) -> list[str]:
    """A sentence for each bound that is not kept. A figure that is missing keeps none; what was not run is not asked.

    A temper that is not there was not run; under `all` stand only the figures that the tempers run have a part in.
    """
    found = []
    for temper, bounds in floors.items():
        for name, bound in bounds.items() if temper in figures else ():
            value = figures[temper].get(name)
            if value is None and temper == ALL:
                continue
            if value is None:
                found.append(f"{temper}: {name} was not measured")
            elif bound.least is not None and value < bound.least:
                found.append(f"{temper}: {name} is {value:.3f}, less than {bound.least}")
            elif bound.most is not None and value > bound.most:
                found.append(f"{temper}: {name} is {value:.3f}, more than {bound.most}")
    return found
