"""How many random cases a property is tried on."""

from hypothesis import settings

_LESS = 5


def examples(fuzzing: int) -> int:
    """So many under `make fuzz`, and a fifth in every other run, where the cases are always the same ones."""
    return fuzzing // _LESS if settings().derandomize else fuzzing
