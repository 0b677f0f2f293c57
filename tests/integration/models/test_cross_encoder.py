"""A real cross-encoder with random weights: what it prefers means nothing, but it runs."""

import asyncio
import json
import math
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from tests.unit.resolver.tiny_cross_encoder import make_model
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes, short

from footnote_retriever.rerankers.cross_encoder import LocalReranker, PairRuntime, load_pair_scorer
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.models.cross_encoder import PairScorer, load_cross_encoder


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(make_model(tmp_path_factory.mktemp("cross-encoder"), ["fits"]))


@pytest.fixture(scope="module")
def exported_folder(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model with an export for each runtime, and without weights that torch could read."""
    import torch
    from transformers import BertForSequenceClassification

    from footnote_shared.embedding.openvino_alone import openvino

    folder = tmp_path_factory.mktemp("exported")
    for name in ("tokenizer.json", "tokenizer_config.json", "config.json"):
        (folder / name).write_bytes((model_folder / name).read_bytes())
    (folder / "onnx").mkdir()
    (folder / "openvino").mkdir()
    model = BertForSequenceClassification.from_pretrained(model_folder, attn_implementation="eager")
    model.train(mode=False)
    ids = torch.tensor([[2, 4, 3, 5, 3], [2, 6, 3, 7, 3]])
    names = ["input_ids", "attention_mask", "token_type_ids"]
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            (ids, torch.ones_like(ids), torch.zeros_like(ids)),
            str(folder / "onnx/model.onnx"),
            dynamo=False,
            opset_version=17,
            input_names=names,
            output_names=["logits"],
            dynamic_axes={**{name: {0: "pairs", 1: "tokens"} for name in names}, "logits": {0: "pairs"}},
        )
    openvino.save_model(
        openvino.Core().read_model(str(folder / "onnx/model.onnx")),
        str(folder / "openvino/openvino_model.xml"),
        compress_to_fp16=False,
    )
    return folder


TEXTS = ["milk", "cold sea", "warm tea " * 40, "", "milk " * 500, "half \ud800 a pair"]


@pytest.mark.parametrize("runtime", ["onnx", "openvino"])
def test_an_export_scores_as_torch_does(
    model_folder: Path, exported_folder: Path, runtime: PairRuntime
) -> None:
    plain = [text.encode("utf-8", "replace").decode() for text in TEXTS]
    expected = load_pair_scorer(str(model_folder), "cpu", "torch").score("tea", plain)
    exported = load_pair_scorer(str(exported_folder), "cpu", runtime)
    # sentence-transformers puts the one logit through a sigmoid.
    found = [1 / (1 + math.exp(-logit)) for logit in exported.score("tea", TEXTS)]
    assert found == pytest.approx(expected, abs=1e-4)
    assert len(set(found)) > 3
    assert exported.score("tea", []) == []


def test_a_folder_with_an_export_needs_no_torch(exported_folder: Path) -> None:
    program = (
        "import sys; from footnote_retriever.rerankers.cross_encoder import load_pair_scorer; "
        "assert len(load_pair_scorer(sys.argv[1], 'cpu', 'auto').score('tea', ['milk', 'sea'])) == 2; "
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program, str(exported_folder)], check=True)


@pytest.mark.parametrize("runtime", ["onnx", "openvino"])
def test_a_runtime_without_its_file_is_refused_by_name(model_folder: Path, runtime: PairRuntime) -> None:
    with pytest.raises(Misconfigured, match=runtime):
        load_pair_scorer(str(model_folder), "cpu", runtime)


def test_a_damaged_export_is_refused(exported_folder: Path, tmp_path: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json", "config.json"):
        (tmp_path / name).write_bytes((exported_folder / name).read_bytes())
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(Misconfigured, match="cannot read"):
        load_pair_scorer(str(tmp_path), "cpu", "auto")


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
    reranker = LocalReranker("cross_encoder", lambda: load_cross_encoder(str(model_folder), "cpu"))
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

    reranker = LocalReranker("cross_encoder", load)
    on = FunnelOnFakes(reranker)
    await on.add(short("tea", 1))
    for _ in range(3):
        result = await on.search("tea")
        assert (len(result.passages), result.degraded) == (1, ["rerank"])
    assert loads == 1


async def test_a_caller_that_gives_up_does_not_end_the_loading(model_folder: Path) -> None:
    reranker = LocalReranker("cross_encoder", lambda: load_cross_encoder(str(model_folder), "cpu"))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.0001):
            await reranker.score("tea", ["milk"])
    assert len(await reranker.score("tea", ["milk"])) == 1
