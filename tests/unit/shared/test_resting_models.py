"""A model that nobody uses gives its memory back, and nobody who uses it notices."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from footnote_shared.embedding.embedder import Padded
from footnote_shared.embedding.protocol import Vectors
from footnote_shared.embedding.resting import RestingForward
from footnote_shared.kernel.errors import Misconfigured
from footnote_testing.eventually import eventually

BATCH = Padded(np.ones((2, 3), dtype=np.int64), np.ones((2, 3), dtype=np.int64))


class Models:
    """Models that are opened one after the other. A batch waits in them until `go_on`."""

    def __init__(self) -> None:
        self.opened = 0
        self.entered: list[int] = []
        self.go_on = threading.Event()
        self.go_on.set()

    def open(self) -> "Models":
        self.opened += 1
        return self

    def __call__(self, batch: Padded) -> Vectors:
        which = self.opened
        self.entered.append(which)
        self.go_on.wait(20)
        return np.full((len(batch.ids), 4), which, dtype=np.float32)


def resting(models: Models) -> RestingForward:
    """One that is closed: nothing came since it was opened."""
    forward = RestingForward(models.open(), models.open, rest_after_s=0.05)
    eventually(lambda: forward.rests, "the model is closed")
    return forward


def test_it_is_closed_when_nothing_came_for_a_while_and_opened_for_the_next() -> None:
    models = Models()
    forward = resting(models)
    for number in (2, 3):
        assert forward(BATCH).tolist() == [[float(number)] * 4] * 2
        eventually(lambda: forward.rests, "the model is closed")
    assert models.opened == 3


def test_one_that_is_open_is_used_as_it_is() -> None:
    models = Models()
    forward = RestingForward(models.open(), models.open, rest_after_s=60)
    assert [int(forward(BATCH)[0, 0]) for _ in range(3)] == [1, 1, 1]
    assert not forward.rests


def test_batches_that_come_at_once_open_it_once_and_keep_it_open_however_long_they_take() -> None:
    models = Models()
    forward = resting(models)
    models.go_on.clear()
    with ThreadPoolExecutor(9) as pool:
        found = [pool.submit(forward, BATCH) for _ in range(8)]
        eventually(lambda: len(models.entered) == 8, "all batches are in the model")
        # Its time to rest has passed when another model, opened later, has been closed.
        resting(Models())
        assert not forward.rests
        models.go_on.set()
        assert {int(one.result()[0, 0]) for one in found} == {2}
    eventually(lambda: forward.rests, "the model is closed")


def test_a_model_that_is_gone_meanwhile_says_so_and_is_tried_again() -> None:
    models, gone = Models(), [True]

    def open_again() -> Models:
        if gone:
            raise Misconfigured("The model is gone.")
        return models.open()

    forward = RestingForward(models.open(), open_again, rest_after_s=0.05)
    eventually(lambda: forward.rests, "the model is closed")
    with pytest.raises(Misconfigured, match="gone"):
        forward(BATCH)
    gone.clear()
    assert forward(BATCH).tolist() == [[2.0] * 4] * 2
