"""A vector store that fails for a moment is asked again, and one that goes on failing is not waited for."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.responses import JSONResponse

from footnote_shared.kernel.errors import FootnoteError, OurFault, Unavailable
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_testing.served_app import ServedApp


class Store:
    """Answers each request with the next of these statuses."""

    def __init__(self) -> None:
        self.statuses: list[int] = []
        self.asked = 0
        app = FastAPI()
        app.get("/")(self.answer)
        self.served = ServedApp(app)

    async def answer(self) -> JSONResponse:
        self.asked += 1
        status = self.statuses.pop(0)
        return JSONResponse({"title": "qdrant", "version": "1"}, status_code=status)


@pytest.fixture
def store() -> Iterator[Store]:
    made = Store()
    made.served.start()
    yield made
    made.served.stop()


@pytest.mark.parametrize(
    ("statuses", "asked", "failure"),
    [
        ([200], 1, None),
        ([503, 200], 2, None),
        ([503, 500, 200], 3, None),
        ([503, 503, 503, 200], 3, Unavailable),
        ([400, 200], 1, OurFault),
    ],
)
async def test_it_is_asked_three_times_at_most(
    store: Store, statuses: list[int], asked: int, failure: type[FootnoteError] | None
) -> None:
    store.statuses = list(statuses)
    index = QdrantVectorIndex(store.served.url)
    if failure is None:
        await index.ping()
    else:
        with pytest.raises(failure):
            await index.ping()
    await index.close()
    assert store.asked == asked
