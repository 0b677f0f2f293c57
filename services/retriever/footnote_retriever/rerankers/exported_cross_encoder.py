"""Cross-encoders whose folder has an export, run by onnxruntime or OpenVINO: no torch in the process.

The files are where sentence-transformers and Optimum put them: `onnx/model.onnx` or `model.onnx`, and
`openvino/openvino_model.xml` or `openvino_model.xml`, beside `tokenizer.json` and `config.json`.
"""

import json
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

from footnote_shared.embedding.batches import length_batches
from footnote_shared.kernel.errors import Misconfigured, Unavailable

Feed: TypeAlias = Mapping[str, npt.NDArray[np.int64]]
PairForward: TypeAlias = Callable[[Feed], npt.NDArray[np.float32]]
"""Takes token ids, their mask and types, each of shape (pairs, longest), to logits of shape (pairs, outputs).

Raises `Unavailable("rerank")` when the model fails.
"""

_PLACES: Mapping[str, Sequence[str]] = {
    "onnx": ("onnx/model.onnx", "model.onnx"),
    "openvino": ("openvino/openvino_model.xml", "openvino_model.xml"),
}
_BATCH_TOKENS = 4096
_LONGEST = 512
_POSITIONS_FROM_PADDING = ("roberta", "xlm-roberta", "camembert", "mpnet")
"""Kinds of models that count positions from behind the number of the padding token."""


def find_export(folder: Path, runtimes: Sequence[str]) -> tuple[str, Path] | None:
    """The first of the runtimes that the folder has a file for, and the file."""
    for runtime in runtimes:
        for place in _PLACES[runtime]:
            if (folder / place).is_file():
                return runtime, folder / place
    return None


class ExportedCrossEncoder:
    """Scores pairs by an export with a single output. The scores are logits: their order is all they tell."""

    def __init__(self, folder: Path, forward: PairForward) -> None:
        """Raises Misconfigured where the folder lacks a tokenizer, or the model has several outputs."""
        self._forward = forward
        config, told = _json(folder / "config.json"), _json(folder / "tokenizer_config.json")
        if "model" not in _json(folder / "tokenizer.json"):
            raise Misconfigured(f"The reranker model {folder} has no tokenizer.json.")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._pad = _pad_id(told, self._tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_limit(config, told, self._pad))
        outputs = self._logits([self._tokenizer.encode("a", "a")]).shape[1]
        if outputs != 1:
            raise Misconfigured(f"The reranker model {folder} has {outputs} outputs; one is needed.")

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One finite score per text. Raises `Unavailable("rerank")` when the model fails."""
        pairs = [(_plain(query), _plain(text)) for text in texts]
        encoded = self._tokenizer.encode_batch(pairs)
        scores = [0.0] * len(encoded)
        for batch in length_batches([len(one.ids) for one in encoded], _BATCH_TOKENS):
            logits = self._logits([encoded[at] for at in batch])
            for row, at in enumerate(batch):
                scores[at] = float(logits[row, 0])
        if not all(map(math.isfinite, scores)):
            raise Unavailable("rerank", "The reranker gave no usable scores.")
        return scores

    def _logits(self, encoded: Sequence[Encoding]) -> npt.NDArray[np.float32]:
        width = max(len(one.ids) for one in encoded)
        ids = np.full((len(encoded), width), self._pad, dtype=np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, one in enumerate(encoded):
            ids[row, : len(one.ids)] = one.ids
            mask[row, : len(one.ids)] = 1
            types[row, : len(one.ids)] = one.type_ids
        logits = self._forward({"input_ids": ids, "attention_mask": mask, "token_type_ids": types})
        return logits.reshape(len(encoded), -1)


def load_exported(folder: Path, runtimes: Sequence[str]) -> ExportedCrossEncoder | None:
    """The model by the first of the runtimes that the folder has a file for; None where it has none.

    Raises Misconfigured for files that cannot be used.
    """
    found = find_export(folder, runtimes)
    if found is None:
        return None
    runtime, model = found
    return ExportedCrossEncoder(folder, onnx_pairs(model) if runtime == "onnx" else openvino_pairs(model))


def onnx_pairs(model: Path) -> PairForward:
    """Runs on the processor with onnxruntime. Raises Misconfigured for a file that it cannot read."""
    # It takes 18 MB to import, and few have such a reranker.
    from footnote_shared.embedding.onnx_runtime import OnnxFailures, open_session  # noqa: PLC0415

    try:
        session = open_session(model, threads=0)
    except OnnxFailures as error:
        raise _unreadable(model, "onnxruntime") from error
    wanted = {given.name for given in session.get_inputs()}

    def forward(feed: Feed) -> npt.NDArray[np.float32]:
        try:
            found = session.run(None, {name: values for name, values in feed.items() if name in wanted})
        except OnnxFailures as error:
            raise Unavailable("rerank", "The reranker failed.") from error
        return np.asarray(found[0], dtype=np.float32)

    return forward


def openvino_pairs(model: Path) -> PairForward:
    """Runs on the processor with OpenVINO, in 32-bit floats. Raises Misconfigured where it cannot."""
    try:
        # It takes 30 MB to import, and need not be installed.
        from footnote_shared.embedding.openvino_runtime import compiled_model  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise Misconfigured(
            f"The reranker {model} needs the package openvino: install it, or set "
            "FOOTNOTE_RERANKER_RUNTIME=torch."
        ) from error
    try:
        compiled = compiled_model(model, 0, "f32")
    except RuntimeError as error:
        raise _unreadable(model, "OpenVINO") from error
    wanted = {given.get_any_name() for given in compiled.inputs}
    one_at_a_time = threading.Lock()

    def forward(feed: Feed) -> npt.NDArray[np.float32]:
        try:
            with one_at_a_time:
                found = compiled({name: values for name, values in feed.items() if name in wanted})
                # The next call overwrites the tensor that this one returns.
                return np.array(found[0], dtype=np.float32)
        except RuntimeError as error:
            raise Unavailable("rerank", "The reranker failed.") from error

    return forward


def _unreadable(model: Path, runtime: str) -> Misconfigured:
    return Misconfigured(f"{runtime} cannot read the reranker {model}.")


def _limit(config: Mapping[str, Any], told: Mapping[str, Any], pad: int) -> int:
    """The most tokens of a pair. Some models say 1e30 in one place and the truth in another."""
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and config.get("model_type") in _POSITIONS_FROM_PADDING:
        positions -= pad + 1
    given = [told.get("model_max_length"), positions]
    return int(min([_LONGEST, *(limit for limit in given if isinstance(limit, int | float) and limit > 2)]))


def _pad_id(told: Mapping[str, Any], tokenizer: Tokenizer) -> int:
    token = told.get("pad_token")
    if isinstance(token, dict):
        token = token.get("content")
    found = tokenizer.token_to_id(str(token)) if token is not None else None
    if found is None and tokenizer.padding:
        found = tokenizer.padding["pad_id"]
    return 0 if found is None else int(found)


def _plain(text: str) -> str:
    """Text from outside can hold half a surrogate pair, at which the tokenizer would raise."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _json(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    except ValueError as error:
        raise Misconfigured(f"{path} of the reranker model is not valid JSON.") from error
    return content if isinstance(content, dict) else {}
