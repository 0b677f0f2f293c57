"""Documents that are done in a stream are handed over together, and none waits long for the others."""

import pytest

from footnote_ingest.pipeline.embed import EmbedResources
from footnote_ingest.pipeline.gathering import GATHERED_S, Gathering


class Clock:
    """Stands still unless it is set."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def gathering(clock: Clock) -> Gathering:
    return Gathering(GATHERED_S, clock)


def test_the_first_waits_for_nobody(gathering: Gathering) -> None:
    assert not gathering.waits(1, coming=5)


def test_the_next_wait_for_those_that_the_model_is_about_to_complete(gathering: Gathering) -> None:
    gathering.note()
    assert gathering.waits(1, coming=5)
    assert not gathering.waits(1, coming=0), "a long document is no company"


def test_a_full_batch_waits_no_longer(gathering: Gathering) -> None:
    gathering.note()
    assert gathering.waits(15, coming=1)
    assert not gathering.waits(16, coming=1)


def test_they_wait_for_three_quarters_of_a_second(gathering: Gathering, clock: Clock) -> None:
    gathering.note()
    clock.now += 0.74
    assert gathering.waits(1, coming=1)
    clock.now += 0.02
    assert not gathering.waits(1, coming=1)


def test_the_embedder_gathers() -> None:
    assert EmbedResources.__dataclass_fields__["gathered_s"].default == GATHERED_S
