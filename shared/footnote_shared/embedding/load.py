"""The embedder that the settings ask for."""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from tokenizers import Tokenizer

from footnote_shared.embedding.embedder import BatchingEmbedder, Forward
from footnote_shared.embedding.model_files import ModelFiles, find_model
from footnote_shared.embedding.onnx_export import ensure_export, exported
from footnote_shared.embedding.processor import usable_cores
from footnote_shared.embedding.protocol import Embedder
from footnote_shared.embedding.resting import RestingForward
from footnote_shared.embedding.runtime_choice import Runtimes, chosen_runtimes, ensure_chosen
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.base import Settings
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)


_loading = threading.Lock()
_KEPT = 2
"""Models that a process keeps: while a lane is re-embedded there are the former one and the next."""


def load_embedder(settings: Settings, *, short: bool = False) -> Embedder:
    """The embedder of this process. `short`: for queries and sentences, which may go another way.

    The first call takes 0.4 s and about 100 MB with onnx, a few seconds and 900 MB with torch. Services in
    one process share the embedder. The model of passages is closed when it has had none for a while, and
    opened again for the next; that of queries stays, for somebody waits for each. Runtimes have threads,
    which do not survive a fork: call it in the process that embeds. Raises Misconfigured if the model or the
    device is not there.
    """
    choice = _Choice(
        process=os.getpid(),
        model=settings.embedding_model,
        runtime=settings.embedding_runtime,
        short=short,
        device=settings.embedding_device,
        threads=settings.embedding_threads,
        batch_tokens=settings.embedding_batch_tokens,
        query_prefix=settings.embedding_query_prefix,
        document_prefix=settings.embedding_document_prefix,
        cache=settings.cache_dir,
        rest_after_s=0.0 if short else settings.embedding_rest_s,
    )
    with _loading:
        return _load(choice)


def load_tokenizer(settings: Settings) -> Tokenizer:
    """The model's tokenizer alone, for processes that chunk and never embed. Reads no weights."""
    return find_model(settings.embedding_model).tokenizer()


def token_limit(settings: Settings) -> int:
    """The most tokens that the model takes, including special tokens and prefix (`Embedder.max_tokens`).

    Of several models it is the least: a chunk is embedded on the next version of its lane too.
    """
    sources = [settings.embedding_model, *settings.embedding_models]
    return min(find_model(source).max_tokens for source in sources)


def warm(settings: Settings, say: Callable[[str], None]) -> bool:
    """Fetch the model, export it and choose the runtime now, so that the first `load_embedder` need not.

    True if there was work. Whatever takes long is first told to `say`, in a sentence.
    """
    runtime = settings.embedding_runtime
    if runtime == "torch" or settings.embedding_device != "cpu":
        return False
    files = find_model(settings.embedding_model)
    missing = exported(files, settings.cache_dir) is None
    model = ensure_export(files, settings.cache_dir, say)
    if runtime == "auto" and chosen_runtimes(files, settings.cache_dir, settings.embedding_threads) is None:
        missing = True
        ensure_chosen(files, model, settings.cache_dir, settings.embedding_threads, say)
    return missing


def ensure_model(settings: Settings) -> tuple[ModelFiles, Path]:
    """The files of the model and its export, which is made now if there is none. Raises Misconfigured."""
    files = find_model(settings.embedding_model)
    return files, ensure_export(files, settings.cache_dir, _log_export)


def runtime_state(settings: Settings) -> str:
    """The runtime that embeds, in a phrase for a person. Loads nothing."""
    runtime = settings.embedding_runtime
    if runtime != "auto":
        return f"{runtime}, as set"
    if settings.embedding_device != "cpu":
        return f"torch on {settings.embedding_device}"
    files = find_model(settings.embedding_model)
    found = chosen_runtimes(files, settings.cache_dir, settings.embedding_threads)
    if found is None:
        return "chosen at the first start, by timing"
    queries = "" if found.queries == found.passages else f", and queries by {found.queries}"
    return f"{found.passages}{queries}, the fastest here"


@dataclass(frozen=True, slots=True)
class _Choice:
    process: int
    model: str
    runtime: str
    short: bool
    device: str
    threads: int
    batch_tokens: int
    query_prefix: str
    document_prefix: str
    cache: Path
    rest_after_s: float


class _Runtime(NamedTuple):
    """The forward pass, the multiple of tokens to which its batches are padded, how many it takes at once."""

    forward: Forward
    width_step: int = 1
    at_once: int = 1
    slow_to_open: bool = False


@lru_cache(maxsize=_KEPT)
def _load(choice: _Choice) -> Embedder:
    files = find_model(choice.model)
    if choice.short and not _differ(files, choice):
        return _load(replace(choice, short=False))
    runtime = _resting(files, choice)
    return BatchingEmbedder(
        files,
        runtime.forward,
        width_step=runtime.width_step,
        at_once=runtime.at_once,
        query_prefix=choice.query_prefix,
        document_prefix=choice.document_prefix,
        batch_tokens=choice.batch_tokens,
    )


def _differ(files: ModelFiles, choice: _Choice) -> bool:
    """Whether what is short goes a way of its own. A process that embeds both would load one twice."""
    if choice.device != "cpu" or choice.runtime == "torch":
        return False
    named = _named(files, choice)
    if named.passages != named.queries:
        return True
    return named.queries == "onnx" and _at_once(choice) > 1


def _named(files: ModelFiles, choice: _Choice) -> Runtimes:
    if choice.runtime != "auto":
        return Runtimes(choice.runtime, choice.runtime)
    model = ensure_export(files, choice.cache, _log_export)
    return ensure_chosen(files, model, choice.cache, choice.threads, _log_export)


def _at_once(choice: _Choice) -> int:
    """The batches that are in the model at the same time.

    Threads that share a batch wait for each other at each step of the model, and so for whatever else runs on
    their cores. With a batch each they do not.
    """
    return choice.threads or usable_cores()


def _resting(files: ModelFiles, choice: _Choice) -> _Runtime:
    """The runtime, which rests when it has had nothing to do for as long as the settings say."""
    runtime = _opened(files, choice)
    # torch takes seconds to open a model.
    if not choice.rest_after_s or runtime.slow_to_open:
        return runtime
    resting = RestingForward(runtime.forward, lambda: _opened(files, choice).forward, choice.rest_after_s)
    return runtime._replace(forward=resting)


def _opened(files: ModelFiles, choice: _Choice) -> _Runtime:
    if choice.runtime == "torch" or (choice.runtime == "auto" and choice.device != "cpu"):
        # torch takes seconds and half a gigabyte: it is imported only where the settings ask for it.
        from footnote_shared.embedding.sentence_model import torch_forward  # noqa: PLC0415

        return _Runtime(torch_forward(files, choice.device, choice.threads), slow_to_open=True)
    if choice.device != "cpu":
        raise Misconfigured(
            f"FOOTNOTE_EMBEDDING_DEVICE={choice.device} needs FOOTNOTE_EMBEDDING_RUNTIME=torch."
        )
    model = ensure_export(files, choice.cache, _log_export)
    named = _named(files, choice)
    runtime = named.queries if choice.short else named.passages
    if runtime == "onnx":
        # It takes 18 MB to import, of every process that may embed and does so with another one.
        from footnote_shared.embedding.onnx_runtime import onnx_forward  # noqa: PLC0415

        if choice.short:
            # What is short comes one by one: all threads work on it. Without bfloat16 that takes long enough.
            return _Runtime(onnx_forward(model, choice.threads))
        return _Runtime(onnx_forward(model, 1), at_once=_at_once(choice))
    return _openvino(model, choice, runtime)


def _openvino(model: Path, choice: _Choice, runtime: str) -> _Runtime:
    """OpenVINO takes 30 MB to import, and need not be installed."""
    try:
        from footnote_shared.embedding.openvino_runtime import (  # noqa: PLC0415
            PRECISIONS,
            WIDTH_STEP,
            openvino_forward,
        )
    except ModuleNotFoundError as error:
        raise Misconfigured(
            f"FOOTNOTE_EMBEDDING_RUNTIME={runtime} needs the package openvino: install it, or choose onnx."
        ) from error
    at_once = _at_once(choice)
    forward = openvino_forward(model, choice.threads, PRECISIONS[runtime], at_once)
    return _Runtime(forward, WIDTH_STEP, at_once)


def _log_export(sentence: str) -> None:
    _log.info("embedding.prepare", what=sentence)
