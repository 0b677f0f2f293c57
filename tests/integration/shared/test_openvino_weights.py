"""The weights that OpenVINO maps from the disk: written once, as a whole, and never in the way."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from footnote_shared.embedding.model_files import BUNDLED, find_model
from footnote_shared.embedding.onnx_export import ensure_export
from footnote_shared.embedding.openvino_weights import small_weights
from tests.model_cache import MODEL_CACHE


def lone_export(folder: Path) -> Path:
    """The export, in a folder where what is made of it is not there yet."""
    made = ensure_export(find_model(BUNDLED), MODEL_CACHE, lambda _: None)
    for part in (made, made.with_suffix(".weights")):
        shutil.copy(part, folder)
    return folder / made.name


def test_processes_at_once_write_them_once_and_leftovers_do_no_harm(tmp_path: Path) -> None:
    export = lone_export(tmp_path)
    left = tmp_path / "openvino-16-bit-1.partial"
    left.mkdir()
    (left / "model.xml").write_text("half of a model")
    with ThreadPoolExecutor(2) as pool:
        made = set(pool.map(small_weights, [export, export]))
    (model,) = made
    assert not left.exists()
    size = model.with_suffix(".bin").stat().st_size
    assert size < 0.55 * export.with_suffix(".weights").stat().st_size
    written = model.stat().st_mtime_ns
    assert small_weights(export) == model
    assert model.stat().st_mtime_ns == written


def test_an_export_that_cannot_be_read_is_left_to_whoever_loads_it(tmp_path: Path) -> None:
    export = tmp_path / "model.onnx"
    export.write_bytes(b"no model")
    assert small_weights(export) == export


def test_a_folder_that_cannot_be_written_leaves_the_export(tmp_path: Path) -> None:
    export = lone_export(tmp_path)
    (tmp_path / "openvino-16-bit-1.lock").mkdir()
    assert small_weights(export) == export
