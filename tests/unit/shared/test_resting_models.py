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
        self.go_on = threading.Event()
        self.go_on.set()

    def open(self) -> "Models":
        self.opened += 1
        return self

    def __call__(self, batch: Padded) -> Vectors:
        self.go_on.wait(20)
        return np.full((len(batch.ids), 4), self.opened, dtype=np.float32)


def test_it_is_closed_when_nothing_came_for_a_while_and_opened_for_the_next() -> None:
    models = Models()
    forward = RestingForward(models.open(), models.open, rest_after_s=0.05)
    assert forward(BATCH).tolist() == [[1.0] * 4] * 2
    eventually(lambda: forward.rests, "the model is closed")
    assert models.opened == 1
    assert forward(BATCH).tolist() == [[2.0] * 4] * 2
    eventually(lambda: forward.rests, "the model is closed once more")


def test_one_that_nobody_ever_used_is_closed_too() -> None:
    models = Models()
    forward = RestingForward(models.open(), models.open, rest_after_s=0.05)
    eventually(lambda: forward.rests, "the model is closed")


def test_a_batch_that_takes_longer_keeps_it_open() -> None:
    models = Models()
    models.go_on.clear()
    forward = RestingForward(models.open(), models.open, rest_after_s=0.05)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(forward, BATCH)
        for _ in range(5):
            assert not threading.Event().wait(0.05)
            assert not forward.rests
        models.go_on.set()
        assert found.result().tolist() == [[1.0] * 4] * 2
    eventually(lambda: forward.rests, "the model is closed")


def test_batches_that_come_at_once_open_it_once() -> None:
    models = Models()
    forward = RestingForward(models.open(), models.open, rest_after_s=0.05)
    eventually(lambda: forward.rests, "the model is closed")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(forward, [BATCH] * 8))
    assert {int(vectors[0, 0]) for vectors in found} == {2}


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
