"""Embedding: each runtime beside sentence-transformers as frameworks call it, on the same texts in turn."""

import importlib.util
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from footnote_cli.bench.measured import p50_ms
from footnote_shared.embedding.load import load_embedder
from footnote_shared.embedding.model_files import BUNDLED, find_model
from footnote_shared.embedding.protocol import Vectors
from footnote_shared.settings.base import Settings, load_settings

_ALONE = "sentence-transformers"
_ROUNDS = 3
_ROUNDS_ALONE = 2
_BATCH = 32
_QUERIES = 50


def measure_embedding(texts: Sequence[str], say: Callable[[str], None]) -> dict[str, dict[str, float]]:
    """By runtime: texts per second, that to sentence-transformers, the least cosine to it, and a query's p50.

    The best of three rounds counts, for each runtime.
    """
    runtimes = {_ALONE: _in_arrival_order()}
    runtimes |= {name: _by_footnote(name) for name in _installed()}
    vectors = {name: embed(texts[:_BATCH]) for name, embed in runtimes.items()}
    seconds = dict.fromkeys(runtimes, np.inf)
    for number in range(_ROUNDS):
        for name, embed in runtimes.items():
            begun = time.perf_counter()
            embed(texts)
            seconds[name] = min(seconds[name], time.perf_counter() - begun)
        say(f"embedding: round {number + 1} of {_ROUNDS}")
    return {
        name: {
            "texts_per_s": len(texts) / float(seconds[name]),
            "to_sentence_transformers": float(seconds[_ALONE] / seconds[name]),
            "least_cosine": float((vectors[name] * vectors[_ALONE]).sum(axis=1).min()),
            "query_p50_ms": _query_p50_ms(embed, texts),
        }
        for name, embed in runtimes.items()
    }


@dataclass(frozen=True, slots=True)
class EmbeddingAlone:
    """Texts per second of sentence-transformers, 32 at a time in arrival order, and of the embedder of a run.

    `embedder_ms` is the processor time that the latter takes for each text.
    """

    sentence_transformers: float
    embedder: float
    embedder_ms: float


def embedding_alone(texts: Sequence[str], settings: Settings) -> EmbeddingAlone:
    """Both on the same texts in turn, the better of two rounds each. The embedder is that of the settings."""
    ours, theirs = load_embedder(settings).embed_documents, _in_arrival_order()
    ours(texts[:_BATCH])
    theirs(texts[:_BATCH])
    seconds, spent, seconds_of_theirs = [], [], []
    for _ in range(_ROUNDS_ALONE):
        begun, processor = time.perf_counter(), time.process_time()
        ours(texts)
        seconds.append(time.perf_counter() - begun)
        spent.append(time.process_time() - processor)
        begun = time.perf_counter()
        theirs(texts)
        seconds_of_theirs.append(time.perf_counter() - begun)
    return EmbeddingAlone(
        len(texts) / min(seconds_of_theirs), len(texts) / min(seconds), 1000 * min(spent) / len(texts)
    )


def _installed() -> list[str]:
    with_openvino = importlib.util.find_spec("openvino") is not None
    return ["onnx", *(["openvino-bf16", "openvino-fp32"] if with_openvino else [])]


def _by_footnote(runtime: str) -> Callable[[Sequence[str]], Vectors]:
    settings = load_settings().model_copy(
        update={"embedding_runtime": runtime, "embedding_model": BUNDLED, "embedding_device": "cpu"}
    )
    return load_embedder(settings).embed_documents


def _in_arrival_order() -> Callable[[Sequence[str]], Vectors]:
    # torch takes seconds and half a gigabyte: only this measurement pays for it.
    from footnote_shared.embedding.sentence_model import load_sentence_model  # noqa: PLC0415

    files = find_model(BUNDLED)
    model = load_sentence_model(files.folder, files.max_tokens)

    def embed(texts: Sequence[str]) -> Vectors:
        batches = [list(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
        return np.concatenate(
            [model.encode(batch, batch_size=_BATCH, show_progress_bar=False) for batch in batches]
        )

    return embed


def _query_p50_ms(embed: Callable[[Sequence[str]], Vectors], texts: Sequence[str]) -> float:
    seconds = []
    for text in texts[:_QUERIES]:
        query = " ".join(text.split()[:10])
        begun = time.perf_counter()
        embed([query])
        seconds.append(time.perf_counter() - begun)
    return p50_ms(seconds)
