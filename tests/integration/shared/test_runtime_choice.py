"""`auto`: the embedding runtime that is the fastest where it runs, timed once."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from footnote_shared.embedding.load import load_embedder, runtime_state, warm
from footnote_shared.embedding.model_files import BUNDLED, find_model
from footnote_shared.embedding.onnx_export import ensure_export
from footnote_shared.embedding.runtime_choice import chosen_runtimes, ensure_chosen
from footnote_shared.embedding.runtime_timing import LEAST_COSINE
from footnote_shared.settings.base import Settings
from tests.model_cache import MODEL_CACHE


def bundled_export() -> Path:
    return ensure_export(find_model(BUNDLED), MODEL_CACHE, lambda _: None)


def test_processes_at_once_time_the_runtimes_once_and_every_later_one_finds_what_was_chosen(
    tmp_path: Path,
) -> None:
    files, export = find_model(BUNDLED), bundled_export()
    said: list[str] = []
    with ThreadPoolExecutor(2) as pool:
        chosen = set(pool.map(lambda _: ensure_chosen(files, export, tmp_path, 0, said.append), range(2)))
    assert len(chosen) == len(said) == 1
    assert {name for runtimes in chosen for name in runtimes} <= {"onnx", "openvino-bf16", "openvino-fp32"}
    assert {chosen_runtimes(files, tmp_path, 0)} == chosen
    assert chosen_runtimes(files, tmp_path, 64) is None


def test_a_runtime_that_cannot_be_timed_is_onnx_for_now_and_is_tried_again(tmp_path: Path) -> None:
    files, nothing = find_model(BUNDLED), tmp_path / "model.onnx"
    said: list[str] = []
    for _ in range(2):
        assert ensure_chosen(files, nothing, tmp_path, 0, said.append) == ("onnx", "onnx")
    assert len(said) == 2


def test_a_record_that_was_cut_off_is_made_anew(tmp_path: Path) -> None:
    files = find_model(BUNDLED)
    ensure_chosen(files, tmp_path / "model.onnx", tmp_path, 0, lambda _: None)
    (lock,) = tmp_path.glob("models/*.lock")
    record = lock.with_suffix(".runtime")
    record.write_text('{"runtime": "openv')
    assert chosen_runtimes(files, tmp_path, 0) is None


def test_a_record_from_before_passages_and_queries_were_timed_as_today_is_made_anew(tmp_path: Path) -> None:
    files = find_model(BUNDLED)
    ensure_chosen(files, tmp_path / "model.onnx", tmp_path, 0, lambda _: None)
    (lock,) = tmp_path.glob("models/*.lock")
    record = lock.with_suffix(".runtime")
    record.write_text('{"runtime": "openvino-fp32", "texts_per_s": {"onnx": 1.8, "openvino-fp32": 2.5}}')
    assert chosen_runtimes(files, tmp_path, 0) is None
    record.write_text('{"runtime": "openvino-fp32", "texts_per_s": {"onnx": 1.8}, "query_runtime": "onnx"}')
    assert chosen_runtimes(files, tmp_path, 0) is None
    record.write_text('{"runtime": "openvino-fp32", "passages_per_s": {}, "query_runtime": "onnx"}')
    assert chosen_runtimes(files, tmp_path, 0) == ("openvino-fp32", "onnx")


def test_the_embedder_runs_on_what_was_chosen_and_doctor_can_name_it() -> None:
    settings = Settings.model_validate({"cache": MODEL_CACHE})
    warm(settings, lambda _: None)
    chosen = chosen_runtimes(find_model(BUNDLED), MODEL_CACHE, 0)
    assert chosen is not None
    state = runtime_state(settings)
    assert state.startswith(chosen.passages)
    assert state.endswith("the fastest here")
    assert chosen.queries in state
    passages, queries = load_embedder(settings), load_embedder(settings, short=True)
    assert queries.fingerprint == passages.fingerprint
    assert float(queries.embed_query("mitochondria") @ passages.embed_query("mitochondria")) > LEAST_COSINE
    assert runtime_state(settings.model_copy(update={"embedding_runtime": "onnx"})) == "onnx, as set"
    assert not warm(settings, lambda _: None)
