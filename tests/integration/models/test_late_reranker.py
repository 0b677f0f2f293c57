"""The reranker `late` with the bundled model: what it scores, and that a search hands it its passages."""

from collections.abc import Sequence

import pytest
from tests.model_cache import MODEL_CACHE
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes, short

from footnote_retriever.rerankers.configured import configured_rerankers
from footnote_retriever.rerankers.cross_encoder import LocalReranker
from footnote_shared.embedding.token_vectors import MaxSim, load_max_sim
from footnote_shared.settings.base import Settings

SETTINGS = Settings.model_validate({"cache": MODEL_CACHE, "reranker_late": True})
CELLAR = "The cellar is kept at twelve degrees."
OTHERS = ["Rent is due on the first of May.", "Gulls steal bread on the pier. " * 40, "", "\ud800 half"]


@pytest.fixture(scope="module")
def model() -> MaxSim:
    return load_max_sim(SETTINGS)


def test_a_text_that_speaks_of_it_scores_higher_and_the_query_itself_most(model: MaxSim) -> None:
    query = "how cold is the cellar?"
    scores = model.score(query, [*OTHERS, CELLAR, query])
    assert scores.index(max(scores)) == len(scores) - 1
    assert scores[-1] == pytest.approx(1, abs=1e-3)
    assert sorted(scores)[-2] == scores[-2]
    assert all(-1.001 <= score <= 1.001 for score in scores)
    assert model.score(query, []) == []


def test_the_texts_beside_it_change_no_score(model: MaxSim) -> None:
    together = model.score("cellar", [CELLAR, *OTHERS])
    assert together == pytest.approx(
        [model.score("cellar", [text])[0] for text in [CELLAR, *OTHERS]], abs=1e-4
    )


def test_a_score_is_the_mean_of_the_nearest_tokens(model: MaxSim) -> None:
    query, text = model.vectors(["cold cellar", CELLAR])
    nearest = [max(float(one @ other) for other in text) for one in query]
    assert model.score("cold cellar", [CELLAR])[0] == pytest.approx(sum(nearest) / len(nearest), abs=1e-4)


class Watched:
    """Notes what it was asked."""

    def __init__(self, model: MaxSim) -> None:
        self._model = model
        self.asked: list[tuple[str, list[str]]] = []

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked.append((query, list(texts)))
        return self._model.score(query, texts)


async def test_a_search_hands_it_the_texts_of_its_passages(model: MaxSim) -> None:
    watched = Watched(model)
    on = FunnelOnFakes(LocalReranker("late", lambda: watched))
    await on.add(*(short("tea cellar milk", number) for number in range(3)), short("how cold is tea", 9))
    result = await on.search("how cold is the tea", reranker="late")
    assert result.degraded == []
    ((query, texts),) = watched.asked
    assert query == "how cold is the tea"
    assert sorted(texts) == sorted(passage.text for passage in result.passages)
    assert [passage.ranks.reranked for passage in result.passages] == [1, 2, 3, 4]
    scores = model.score(query, [passage.text for passage in result.passages])
    assert scores == sorted(scores, reverse=True)
    # `auto` never chooses it, and then nothing is asked.
    await on.search("how cold is the tea")
    assert len(watched.asked) == 1


async def test_it_is_there_where_the_settings_ask_for_it() -> None:
    found = configured_rerankers(SETTINGS)
    assert list(found) == ["late"]
    assert len(await found["late"].score("cellar", [CELLAR])) == 1
    await found["late"].close()
    assert configured_rerankers(Settings.model_validate({"cache": MODEL_CACHE})) == {}
