import random
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from footnote_shared.embedding.embedder import BatchingEmbedder, Padded
from footnote_shared.embedding.model_files import BUNDLED, drop_weights, find_model
from footnote_shared.embedding.onnx_export import ensure_export, export_folder
from footnote_shared.embedding.openvino_runtime import PRIMITIVES, WIDTH_STEP
from footnote_shared.embedding.protocol import Vectors
from footnote_shared.embedding.runtime_timing import fastest, to_try
from footnote_shared.kernel.errors import Misconfigured, OurFault


def test_another_runtime_is_taken_only_if_it_is_clearly_faster() -> None:
    assert fastest({"onnx": 100.0}) == "onnx"
    assert fastest({"onnx": 100.0, "openvino-fp32": 109.0}) == "onnx"
    assert fastest({"onnx": 100.0, "openvino-fp32": 111.0}) == "openvino-fp32"
    assert fastest({"onnx": 100.0, "openvino-fp32": 111.0, "openvino-bf16": 300.0}) == "openvino-bf16"


def test_bfloat16_is_tried_first_and_only_where_the_processor_computes_in_it() -> None:
    assert to_try(bf16=True) == ["openvino-bf16", "openvino-fp32"]
    assert to_try(bf16=False) == ["openvino-fp32"]


def test_a_runtime_that_prepares_each_shape_sees_few_widths_and_never_more_than_the_model_takes() -> None:
    widths: set[int] = set()

    def forward(batch: Padded) -> Vectors:
        widths.add(batch.ids.shape[1])
        # What is padding is masked, whatever the width.
        assert (batch.ids[batch.mask == 0] == files.pad_id).all()
        return np.ones((len(batch.ids), 4), dtype=np.float32)

    files = find_model(BUNDLED)
    embedder = BatchingEmbedder(files, forward, width_step=100)
    embedder.embed_documents(["word " * count for count in range(1, 300, 7)])
    assert widths == {100, 200, files.max_tokens}


def test_what_is_prepared_for_the_shapes_of_passages_is_kept_from_slice_to_slice() -> None:
    shapes: set[tuple[int, ...]] = set()

    def forward(batch: Padded) -> Vectors:
        shapes.add(batch.ids.shape)
        return np.ones((len(batch.ids), 4), dtype=np.float32)

    embedder = BatchingEmbedder(find_model(BUNDLED), forward, width_step=WIDTH_STEP, at_once=2)
    chance = random.Random(7)
    for _ in range(50):
        embedder.embed_documents(["word " * chance.randint(20, 220) for _ in range(20)])
    # OpenVINO keeps some ten parts for each.
    assert 10 * len(shapes) <= PRIMITIVES


def test_queries_are_padded_to_half_of_what_documents_are() -> None:
    widths: list[int] = []

    def forward(batch: Padded) -> Vectors:
        widths.append(batch.ids.shape[1])
        return np.ones((len(batch.ids), 4), dtype=np.float32)

    embedder = BatchingEmbedder(find_model(BUNDLED), forward, width_step=16)
    widths.clear()
    for words in (3, 6, 7, 14, 15):
        embedder.embed_query("word " * words)
        embedder.embed_documents(["word " * words])
    assert widths == [8, 16, 8, 16, 16, 16, 16, 16, 24, 32]


def test_no_row_is_padding_and_no_text_is_padded_by_more_than_a_batch_costs() -> None:
    shapes: list[tuple[int, int]] = []

    def forward(batch: Padded) -> Vectors:
        shapes.append((batch.ids.shape[0], batch.ids.shape[1]))
        assert batch.mask.any(axis=1).all(), "a row that is no text was computed"
        total = batch.mask.sum(axis=1).astype(np.float32)
        return np.stack([total, np.ones_like(total)], axis=1)

    embedder = BatchingEmbedder(find_model(BUNDLED), forward, width_step=16)
    shapes.clear()
    words = [110, 3, 108, 12, 2, 60]
    vectors = embedder.embed_documents(["word " * count for count in words])
    # [CLS], the words and [SEP].
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [count + 2 for count in words])
    assert shapes == [(2, 112), (1, 64), (3, 16)]


def test_batches_that_go_at_once_are_in_the_model_together_and_come_back_in_order() -> None:
    both = threading.Barrier(2, timeout=30)
    begun = threading.Event()

    def forward(batch: Padded) -> Vectors:
        if begun.is_set():
            both.wait()
        total = batch.mask.sum(axis=1).astype(np.float32)
        return np.stack([total, np.ones_like(total)], axis=1)

    embedder = BatchingEmbedder(find_model(BUNDLED), forward, at_once=2)
    begun.set()
    words = [47, 50, 48, 49]
    vectors = embedder.embed_documents(["word " * count for count in words])
    # [CLS], the words and [SEP].
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [count + 2 for count in words])


def test_what_one_of_several_batches_raises_is_raised() -> None:
    begun = threading.Event()

    def forward(batch: Padded) -> Vectors:
        if begun.is_set() and batch.ids.shape[1] > 20:
            raise OurFault("The embedding model failed.")
        return np.ones((len(batch.ids), 4), dtype=np.float32)

    embedder = BatchingEmbedder(find_model(BUNDLED), forward, at_once=2)
    begun.set()
    with pytest.raises(OurFault, match="failed"):
        embedder.embed_documents(["word " * count for count in (3, 50)])
    assert embedder.embed_documents(["word " * 3, "word"]).shape == (2, 4)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A model in a folder of its own, with small files in place of its weights."""
    folder = tmp_path / "model"
    shutil.copytree(find_model(BUNDLED).folder, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    (folder / "model.safetensors").write_bytes(b"weights of the model")
    (folder / "2_Dense").mkdir()
    (folder / "2_Dense" / "model.safetensors").write_bytes(b"and of its last layer")
    return folder


def test_a_model_without_its_weights_is_the_same_model_and_finds_its_export(
    copied: Path, tmp_path: Path
) -> None:
    whole = find_model(str(copied))
    revision, home = whole.revision(), export_folder(whole, tmp_path)
    assert whole.has_weights
    home.mkdir(parents=True)
    (home / "model.onnx").write_bytes(b"an export")
    drop_weights(copied)
    drop_weights(copied)
    assert not list(copied.rglob("*.safetensors"))
    left = find_model(str(copied))
    assert left.revision() == revision
    assert not left.has_weights
    assert ensure_export(left, tmp_path, print) == home / "model.onnx"


def test_without_weights_and_without_an_export_it_is_said_what_to_set(copied: Path, tmp_path: Path) -> None:
    drop_weights(copied)
    with pytest.raises(Misconfigured, match="FOOTNOTE_CACHE"):
        ensure_export(find_model(str(copied)), tmp_path / "empty", print)
