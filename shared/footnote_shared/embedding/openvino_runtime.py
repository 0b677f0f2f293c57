"""The runtime over OpenVINO: several times faster than onnxruntime on processors that compute in bfloat16."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from footnote_shared.embedding.embedder import Forward, Padded
from footnote_shared.embedding.openvino_alone import openvino
from footnote_shared.embedding.openvino_weights import small_weights
from footnote_shared.embedding.processor import usable_cores
from footnote_shared.embedding.protocol import Vectors
from footnote_shared.kernel.errors import Misconfigured, OurFault

Precision: TypeAlias = Literal["bf16", "f32"]

PRECISIONS: Mapping[str, Precision] = {"openvino-bf16": "bf16", "openvino-fp32": "f32"}
"""OpenVINO's name of the precision, by the name of the runtime in our settings."""

WIDTH_STEP = 16
"""OpenVINO compiles its kernels for each shape, so widths are multiples of this to keep shapes few."""

PRIMITIVES = 512
"""Prepared parts of the model that OpenVINO keeps, some ten for each shape.

Ingest has some fifty shapes in turn. With 64, which take 9 MB less, most are prepared again in each slice.
"""


def compiled_model(
    model: Path, threads: int, precision: Precision, at_once: int = 1
) -> openvino.CompiledModel:
    """The model on the processor; `threads` 0 means as many as usable cores. Raises RuntimeError.

    `at_once` calls share the threads.
    """
    options = {
        "INFERENCE_PRECISION_HINT": precision,
        "INFERENCE_NUM_THREADS": threads or usable_cores(),
        "NUM_STREAMS": at_once,
        # Pinned threads of two processes would share one core and leave another one idle.
        "ENABLE_CPU_PINNING": False,
        "CPU_RUNTIME_CACHE_CAPACITY": PRIMITIVES,
    }
    return openvino.Core().compile_model(str(model), "CPU", options)


def openvino_forward(model: Path, threads: int, precision: Precision, at_once: int = 1) -> Forward:
    """Runs an export of `footnote_shared.embedding.onnx_export`.

    `threads` 0 means as many as there are usable cores, which `at_once` calls share. Raises Misconfigured if
    the file is damaged. A call raises OurFault if the model cannot be run.
    """
    read = small_weights(model) if precision == "bf16" else model
    try:
        compiled = compiled_model(read, threads, precision, at_once)
    except RuntimeError as error:
        raise Misconfigured(
            f"OpenVINO cannot read the export {read} of the embedding model. Remove its folder, and it will "
            "be made anew, or set FOOTNOTE_EMBEDDING_RUNTIME=onnx."
        ) from error
    wants_types = any(given.get_any_name() == "token_type_ids" for given in compiled.inputs)
    # A request belongs to one thread at a time.
    own = threading.local()

    def forward(batch: Padded) -> Vectors:
        feed = {"input_ids": batch.ids, "attention_mask": batch.mask}
        if wants_types:
            feed["token_type_ids"] = np.zeros_like(batch.ids)
        try:
            if not hasattr(own, "request"):
                own.request = compiled.create_infer_request()
            # The next call overwrites the tensor that this one returns.
            return np.array(own.request.infer(feed)["embedding"], dtype=np.float32)
        except RuntimeError as error:
            raise OurFault(f"The embedding model failed on a batch of shape {batch.ids.shape}.") from error

    return forward


def computes_bf16() -> bool:
    """Whether this processor has instructions for bfloat16. Without them it would only be slower."""
    return "BF16" in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
