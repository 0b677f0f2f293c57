"""Vectors of single tokens by the model that embeds: what its pooling makes one vector of (spec 4.2.6).

The export of a model has the pooled vector alone as its output. The vectors of tokens are what its last layer
normalises, so that is made an output too, in memory: nothing is exported again.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

from footnote_shared.embedding.batches import length_batches
from footnote_shared.embedding.load import ensure_model
from footnote_shared.embedding.model_files import ModelFiles
from footnote_shared.embedding.onnx_runtime import OnnxFailures, session_options
from footnote_shared.embedding.protocol import Vectors
from footnote_shared.kernel.errors import Misconfigured, Unavailable
from footnote_shared.settings.base import Settings

_BATCH_TOKENS = 1024
_LAST_LAYER = "LayerNormalization"


class MaxSim:
    """Scores a text by how near each token of the query comes to any of the text (Khattab and Zaharia 2020).

    The mean over the query's tokens, from -1 to 1. Safe to call from several threads, one at a time.
    """

    def __init__(self, files: ModelFiles, session: onnxruntime.InferenceSession, output: str) -> None:
        self._encode = files.encoder()
        self._pad_id = files.pad_id
        self._session = session
        self._output = output
        self._inputs = {given.name for given in session.get_inputs()}

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One finite score per text. Raises `Unavailable("rerank")` when the model fails."""
        asked = self.vectors([query])[0]
        scores = [float((asked @ own.T).max(axis=1).mean()) for own in self.vectors(texts)]
        if not np.isfinite(scores).all():
            raise Unavailable("rerank", "The model gave no usable vectors of tokens.")
        return scores

    def vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text the unit vectors of its tokens, with special ones: shape (tokens, dimension)."""
        tokens = self._encode(texts)
        found: dict[int, Vectors] = {}
        for batch in length_batches([len(ids) for ids in tokens], _BATCH_TOKENS):
            found.update(zip(batch, self._run([tokens[at] for at in batch]), strict=True))
        return [found[at] for at in range(len(tokens))]

    def _run(self, tokens: list[list[int]]) -> list[Vectors]:
        ids = np.full((len(tokens), max(map(len, tokens))), self._pad_id, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, own in enumerate(tokens):
            ids[row, : len(own)] = own
            mask[row, : len(own)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            (states,) = self._session.run(
                [self._output], {n: v for n, v in feed.items() if n in self._inputs}
            )
        except OnnxFailures as error:
            raise Unavailable("rerank", "The model failed on the tokens of the passages.") from error
        length = np.maximum(np.linalg.norm(states, axis=2, keepdims=True), 1e-12)
        unit = np.asarray(states / length, dtype=np.float32)
        return [unit[row, : len(own)] for row, own in enumerate(tokens)]


def load_max_sim(settings: Settings) -> MaxSim:
    """The model that the settings name, on the processor. Its export is made where there is none.

    Raises Misconfigured for a model whose last layer is not found.
    """
    files, export = ensure_model(settings)
    return MaxSim(files, *_open(export, files.name, settings.embedding_threads))


def _open(export: Path, name: str, threads: int) -> tuple[onnxruntime.InferenceSession, str]:
    graph = onnx.load(str(export))
    last = [node.output[0] for node in graph.graph.node if node.op_type == _LAST_LAYER][-1:]
    if not last:
        raise Misconfigured(f"The reranker late cannot find the last layer of the embedding model {name}.")
    tokens = onnx.helper.make_tensor_value_info(last[0], onnx.TensorProto.FLOAT, ["texts", "tokens", None])
    graph.graph.output.append(tokens)
    try:
        session = onnxruntime.InferenceSession(
            graph.SerializeToString(), session_options(threads), providers=["CPUExecutionProvider"]
        )
    except OnnxFailures as error:
        raise Misconfigured(
            f"The export {export} of the embedding model is damaged. Remove its folder."
        ) from error
    return session, last[0]
