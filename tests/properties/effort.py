"""How much is tried, and how much work something is."""

import sys
from collections.abc import Callable
from types import FrameType

from hypothesis import settings

_LESS = 5


def examples(fuzzing: int) -> int:
    """So many under `make fuzz`, and a fifth in every other run, where the cases are always the same ones."""
    return fuzzing // _LESS if settings().derandomize else fuzzing


def calls(work: Callable[[], object]) -> int:
    """How many calls, Python's and C's, the work takes: its steps, without a clock."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count
