"""Which runtime is the fastest for a model on this processor: each is timed on the model's export.

Passages and queries are timed apart. Threads that work on one short query mostly wait for each other, so who
is the fastest with many long texts may need twice the processor for it.

It runs as a process of its own, so that the runtimes that lose leave no memory behind. `python -m
footnote_shared.embedding.runtime_timing MODEL_FOLDER EXPORT THREADS` prints JSON.
"""

import json
import math
import sys
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from footnote_shared.embedding.embedder import BatchingEmbedder
from footnote_shared.embedding.model_files import ModelFiles, read_model
from footnote_shared.embedding.onnx_runtime import onnx_forward
from footnote_shared.embedding.openvino_runtime import (
    PRECISIONS,
    WIDTH_STEP,
    computes_bf16,
    openvino_forward,
)
from footnote_shared.embedding.probes import PROBES
from footnote_shared.kernel.errors import FootnoteError

LEAST_COSINE = 0.9999
"""A runtime is left out if its vectors are further from onnxruntime's: it would be another lane."""

_WORTH_IT = 1.1
"""Another runtime must beat onnxruntime by this factor: that one needs less memory and compiles nothing."""

_ROUNDS = 3
_TEXT = " ".join(probe for probe in PROBES[:5])
_QUERY_ROUNDS = 8
_QUERIES = [" ".join(_TEXT.split()[first : first + 2 + first % 9]) for first in range(12)]


def fastest(speeds: Mapping[str, float]) -> str:
    """The name of the runtime to take, by texts per second of each. `onnx` is among them."""
    best = max(speeds, key=lambda name: speeds[name])
    return best if speeds[best] >= speeds["onnx"] * _WORTH_IT else "onnx"


def to_try(*, bf16: bool) -> list[str]:
    """The runtimes beside onnxruntime, the quickest first. `bf16`: whether the processor computes in it."""
    return [name for name, precision in PRECISIONS.items() if bf16 or precision == "f32"]


def agreeing(files: ModelFiles, export: Path, threads: int) -> dict[str, BatchingEmbedder]:
    """Each runtime that this processor fits and whose vectors agree, as it embeds passages.

    Where OpenVINO's bfloat16 does, its float32 is not tried: it does twice the work for the same vectors.
    """
    found = {"onnx": BatchingEmbedder(files, onnx_forward(export, 1), at_once=threads)}
    expected = found["onnx"].embed_documents(PROBES)
    for name in to_try(bf16=computes_bf16()):
        forward = openvino_forward(export, threads, PRECISIONS[name], threads)
        runtime = BatchingEmbedder(files, forward, width_step=WIDTH_STEP, at_once=threads)
        if float((runtime.embed_documents(PROBES) * expected).sum(axis=1).min()) >= LEAST_COSINE:
            found[name] = runtime
            break
    return found


def of_queries(
    files: ModelFiles, export: Path, threads: int, names: Collection[str]
) -> dict[str, BatchingEmbedder]:
    """The named runtimes as they embed queries (`load.py`): all threads of onnxruntime work on one."""
    found = {"onnx": BatchingEmbedder(files, onnx_forward(export, threads))}
    for name in PRECISIONS.keys() & set(names):
        forward = openvino_forward(export, threads, PRECISIONS[name], threads)
        found[name] = BatchingEmbedder(files, forward, width_step=WIDTH_STEP, at_once=threads)
    return found


def texts_per_s(runtimes: Mapping[str, BatchingEmbedder], max_tokens: int) -> dict[str, float]:
    """Texts as long as chunks that each runtime embeds in a second."""
    texts = _texts(max_tokens)
    return {
        name: round(len(texts) / least, 1)
        for name, least in _least(
            runtimes, lambda one: one.embed_documents(texts), time.perf_counter, _ROUNDS
        ).items()
    }


def queries_per_core_s(runtimes: Mapping[str, BatchingEmbedder]) -> dict[str, float]:
    """Single queries that each runtime embeds in a second of processor time, over all of its threads.

    Processor time, because a search is one of several, and all else that it needs runs on the same cores.
    """

    def one_by_one(runtime: BatchingEmbedder) -> None:
        for query in _QUERIES:
            runtime.embed_queries([query])

    return {
        name: round(len(_QUERIES) / least, 1)
        for name, least in _least(runtimes, one_by_one, time.process_time, _QUERY_ROUNDS).items()
    }


def _least(
    runtimes: Mapping[str, BatchingEmbedder],
    work: Callable[[BatchingEmbedder], object],
    clock: Callable[[], float],
    rounds: int,
) -> dict[str, float]:
    """Seconds that the work takes each runtime."""
    seconds = dict.fromkeys(runtimes, math.inf)
    # They take turns, and the best round counts, because something else may be running beside them.
    for _ in range(rounds):
        for name, runtime in runtimes.items():
            begun = clock()
            work(runtime)
            seconds[name] = min(seconds[name], clock() - begun)
    return seconds


def _texts(max_tokens: int) -> list[str]:
    """Six texts as long as chunks are: from a quarter of the model's limit to all of it."""
    words = (_TEXT.split() * (max_tokens // 20 + 1))[:max_tokens]
    return [" ".join(words[: max(1, max_tokens * part // 15)]) for part in range(4, 16, 2)]


def main() -> None:
    """Exits with 1, and one line on the error stream, if the model cannot be run."""
    folder, export, threads = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    try:
        files = read_model(folder, folder.name)
        runtimes = agreeing(files, export, threads)
        speeds = texts_per_s(runtimes, files.max_tokens)
        runtimes = of_queries(files, export, threads, runtimes)
        queries = queries_per_core_s(runtimes)
    except FootnoteError as error:
        sys.exit(error.detail)
    print(
        json.dumps(
            {
                "runtime": fastest(speeds),
                "passages_per_s": speeds,
                "query_runtime": fastest(queries),
                "queries_per_core_s": queries,
            }
        )
    )


if __name__ == "__main__":
    main()
