"""Floors and ceilings of figures, kept as data: what may not fall, and what may not rise."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from footnote_shared.kernel.errors import InvalidRequest

ALL_TEMPERS = "all"


class Bound(BaseModel):
    """How low or how high a figure may be."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    least: float | None = None
    most: float | None = None


Floors = Mapping[str, Mapping[str, Bound]]
_FLOORS: TypeAdapter[Floors] = TypeAdapter(dict[str, dict[str, Bound]])


def read_floors(file: Path) -> Floors:
    """The bounds of a file `{temper: {figure: {"least": x, "most": y}}}`; InvalidRequest for others."""
    try:
        return _FLOORS.validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        raise InvalidRequest(f"{file} holds no floors: {error}") from error


def broken(figures: Mapping[str, Mapping[str, float]], floors: Floors) -> list[str]:
    """A line for each bound that a figure does not keep.

    A figure that was not measured breaks its bound. The bounds of a temper that was not run are left out,
    and so are those of all tempers together that none of the tempers run has a part in.
    """
    found = []
    for temper, bounds in floors.items():
        for name, bound in bounds.items() if temper in figures else ():
            value = figures[temper].get(name)
            if value is None and temper == ALL_TEMPERS:
                continue
            if value is None:
                found.append(f"{temper}: {name} was not measured")
            elif bound.least is not None and value < bound.least:
                found.append(f"{temper}: {name} is {value:.3f}, less than {bound.least}")
            elif bound.most is not None and value > bound.most:
                found.append(f"{temper}: {name} is {value:.3f}, more than {bound.most}")
    return found
