"""One export of a model to ONNX, checked against torch.

It runs as a process of its own, because it needs torch and its caller does not. `python -m
footnote_shared.embedding.onnx_trace MODEL_FOLDER TARGET_FOLDER` writes `model.onnx`, `model.weights` beside
it, and `export.json`.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from sentence_transformers import SentenceTransformer

from footnote_shared.embedding.embedder import BatchingEmbedder
from footnote_shared.embedding.model_files import ModelFiles, read_model
from footnote_shared.embedding.onnx_runtime import onnx_forward
from footnote_shared.embedding.probes import PROBES
from footnote_shared.embedding.sentence_model import load_sentence_model, wants_token_types
from footnote_shared.kernel.errors import FootnoteError, Misconfigured

LEAST_COSINE = 0.9999
_OPSET = 17
_WEIGHTS = "model.weights"
_SMALL_BYTES = 1024
"""Smaller tensors stay in the graph: runtimes look at the values of some while they open it."""


class _Pooled(torch.nn.Module):
    """A whole sentence-transformers model, with any pooling and projection, as one function of tensors."""

    def __init__(self, model: SentenceTransformer) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor | None = None
    ) -> torch.Tensor:
        features = {"input_ids": ids, "attention_mask": mask}
        if types is not None:
            features["token_type_ids"] = types
        embedding: torch.Tensor = self.model(features)["sentence_embedding"]
        return embedding


def trace(files: ModelFiles, target: Path) -> float:
    """Write the export into `target`.

    Returns its least cosine to torch; raises Misconfigured below 0.9999.
    """
    # The fused attention of torch would be traced with sums over shapes, and masks that are looked at one by
    # one, which no runtime joins again.
    model = load_sentence_model(files.folder, files.max_tokens, plain_attention=True)
    path = target / "model.onnx"
    _export(model, path)
    _part_weights(path)
    cosine = _least_cosine(model, BatchingEmbedder(files, onnx_forward(path, threads=0)))
    if not cosine >= LEAST_COSINE:
        raise Misconfigured(
            f"The ONNX export of {files.name} differs from torch (cosine {cosine:.5f}). "
            "Set FOOTNOTE_EMBEDDING_RUNTIME=torch."
        )
    (target / "export.json").write_text(
        json.dumps({"cosine": round(cosine, 7), "torch": torch.__version__, "opset": _OPSET})
    )
    return cosine


def _export(model: SentenceTransformer, path: Path) -> None:
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if wants_token_types(model) else [])]
    ids = torch.arange(1000, 1014).reshape(2, 7) % len(model.tokenizer)
    mask = torch.ones_like(ids)
    mask[1, 4:] = 0
    example = (ids, mask, torch.zeros_like(ids))[: len(names)]
    with warnings.catch_warnings(), torch.inference_mode():
        # torch calls the tracing exporter deprecated. The new one makes the same graph in four times the time
        # and needs onnxscript; the pinned torch has both. The comparison finds whatever tracing gets wrong.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            _Pooled(model).eval(),
            example,
            str(path),
            dynamo=False,
            opset_version=_OPSET,
            input_names=names,
            output_names=["embedding"],
            dynamic_axes={**{name: {0: "texts", 1: "tokens"} for name in names}, "embedding": {0: "texts"}},
        )


def _part_weights(path: Path) -> None:
    """Move the weights of an export into a file of their own, which runtimes map.

    All processes that embed share its pages, and have in memory what they use of it. A runtime that reads
    weights from within the graph has a copy of its own.
    """
    model = onnx.load(path)
    # Of a model above 2 GB torch has written each tensor into a file of its own.
    for part in path.parent.iterdir():
        part.unlink()
    onnx.save_model(
        model,
        str(path),
        save_as_external_data=True,
        location=_WEIGHTS,
        size_threshold=_SMALL_BYTES,
    )
    # The library keeps the weights to their owner. An image makes them as one user and runs as another.
    path.with_name(_WEIGHTS).chmod(path.stat().st_mode & 0o777)


def _least_cosine(model: SentenceTransformer, exported: BatchingEmbedder) -> float:
    given = [exported.fingerprint.document_prefix + probe for probe in PROBES]
    reference = np.asarray(model.encode(given, prompt="", normalize_embeddings=True, show_progress_bar=False))
    return float((reference * exported.embed_documents(PROBES)).sum(axis=1).min())


def main() -> None:
    """Exits with 1, and one line on the error stream, if the model cannot be exported."""
    folder, target = Path(sys.argv[1]), Path(sys.argv[2])
    try:
        trace(read_model(folder, folder.name), target)
    except FootnoteError as error:
        sys.exit(error.detail)
    except (torch.onnx.OnnxExporterError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        sys.exit(
            f"torch cannot export the model in {folder} to ONNX ({reason}). "
            "Set FOOTNOTE_EMBEDDING_RUNTIME=torch."
        )


if __name__ == "__main__":
    main()
