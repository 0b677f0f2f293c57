"""A real cross-encoder with random weights: what it prefers means nothing, but it runs."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.unit.resolver.tiny_cross_encoder import make_model
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes, short

from footnote_retriever.rerankers.cross_encoder import LocalCrossEncoder
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.models.cross_encoder import PairScorer, load_cross_encoder


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(make_model(tmp_path_factory.mktemp("cross-encoder"), ["fits"]))


def test_each_text_gets_a_score_of_its_own_that_does_not_depend_on_its_neighbours(model_folder: Path) -> None:
    model = load_cross_encoder(str(model_folder), "cpu")
    scores = model.score("tea", ["milk", "cold sea", "warm"])
    assert len(set(scores)) == 3
    assert model.score("tea", ["cold sea"])[0] == pytest.approx(scores[1], abs=1e-5)
    assert model.score("tea", []) == []


def test_a_text_longer_than_the_model_takes_is_scored_by_its_beginning(model_folder: Path) -> None:
    assert len(load_cross_encoder(str(model_folder), "cpu").score("tea", ["milk " * 500])) == 1


def test_a_model_with_several_outputs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="3 outputs"):
        load_cross_encoder(make_model(tmp_path, ["a", "b", "c"]), "cpu")


def test_a_folder_without_a_model_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="nothing-here"):
        load_cross_encoder(str(tmp_path / "nothing-here"), "cpu")


def test_a_broken_model_is_refused(model_folder: Path, tmp_path: Path) -> None:
    for file in model_folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "hidden_size": 32}))
    with pytest.raises(Misconfigured):
        load_cross_encoder(str(tmp_path), "cpu")


async def test_the_funnel_reranks_with_it(model_folder: Path) -> None:
    reranker = LocalCrossEncoder(lambda: load_cross_encoder(str(model_folder), "cpu"))
    on = FunnelOnFakes(reranker)
    await on.add(short("tea milk", 1), short("tea cold sea", 2), short("warm tea", 3))
    result = await on.search("tea")
    assert result.degraded == []
    assert [passage.ranks.reranked for passage in result.passages] == [1, 2, 3]
    expected = load_cross_encoder(str(model_folder), "cpu").score(
        "tea", [passage.text for passage in result.passages]
    )
    assert expected == sorted(expected, reverse=True)
    await reranker.close()


async def test_a_model_that_cannot_be_loaded_costs_the_order_and_not_the_answer(tmp_path: Path) -> None:
    loads = 0

    def load() -> PairScorer:
        nonlocal loads
        loads += 1
        return load_cross_encoder(str(tmp_path / "nothing-here"), "cpu")

    reranker = LocalCrossEncoder(load)
    on = FunnelOnFakes(reranker)
    await on.add(short("tea", 1))
    for _ in range(3):
        result = await on.search("tea")
        assert (len(result.passages), result.degraded) == (1, ["rerank"])
    assert loads == 1


async def test_a_caller_that_gives_up_does_not_end_the_loading(model_folder: Path) -> None:
    reranker = LocalCrossEncoder(lambda: load_cross_encoder(str(model_folder), "cpu"))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.0001):
            await reranker.score("tea", ["milk"])
    assert len(await reranker.score("tea", ["milk"])) == 1
