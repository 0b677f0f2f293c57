"""Waiting for a fact, instead of sleeping and hoping."""

import time
from collections.abc import Callable


def eventually(fact: Callable[[], object], what: str, patience_s: float = 30.0) -> None:
    """Return as soon as `fact()` is true; fail and say what was waited for when the patience is over."""
    deadline = time.monotonic() + patience_s
    while not fact():
        assert time.monotonic() < deadline, f"not in {patience_s:g} s: {what}"
        time.sleep(0.01)
