"""A few thousand of the texts that `tests/fuzz/normaliser.py` looks through for hours."""

import random
from collections.abc import Callable

import pytest

from tests.fuzz.normaliser import GENERATORS, broken_promise

TEXTS = 400


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda generator: generator.__name__.strip("_"))
def test_no_promise_is_broken(generator: Callable[[random.Random], str]) -> None:
    for number in range(TEXTS):
        r = random.Random(f"{generator.__name__}/{number}")
        text = generator(r)
        assert broken_promise(text, r) is None, text
