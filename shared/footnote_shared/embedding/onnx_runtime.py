"""The runtime over onnxruntime: fast on every processor, and without torch in the process."""

from pathlib import Path

import numpy as np
import onnxruntime

from footnote_shared.embedding.embedder import Forward, Padded
from footnote_shared.embedding.processor import usable_cores
from footnote_shared.embedding.protocol import Vectors
from footnote_shared.kernel.errors import Misconfigured, OurFault

# The errors of onnxruntime have no base class of their own.
OnnxFailures = (
    onnxruntime.capi.onnxruntime_pybind11_state.Fail,
    onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument,
    onnxruntime.capi.onnxruntime_pybind11_state.InvalidGraph,
    onnxruntime.capi.onnxruntime_pybind11_state.InvalidProtobuf,
    onnxruntime.capi.onnxruntime_pybind11_state.NoSuchFile,
    onnxruntime.capi.onnxruntime_pybind11_state.RuntimeException,
)


def open_session(model: Path, threads: int) -> onnxruntime.InferenceSession:
    """The model on the processor; `threads` 0 means as many as usable cores. Raises OnnxFailures."""
    options = session_options(threads)
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def session_options(threads: int) -> onnxruntime.SessionOptions:
    """How every model runs on the processor."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads = threads or usable_cores()
    options.log_severity_level = 3
    # Threads that spin while they wait take the processor away from the web process and the stores.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def onnx_forward(model: Path, threads: int) -> Forward:
    """Runs an export of `footnote_shared.embedding.onnx_export`.

    `threads` 0 means as many as there are usable cores. Raises Misconfigured if the file is damaged. A call
    raises OurFault if the model cannot be run.
    """
    try:
        session = open_session(model, threads)
    except OnnxFailures as error:
        raise Misconfigured(
            f"The export {model} of the embedding model is damaged. Remove its folder, and it will be made "
            "anew."
        ) from error
    wants_types = any(given.name == "token_type_ids" for given in session.get_inputs())

    def forward(batch: Padded) -> Vectors:
        feed = {"input_ids": batch.ids, "attention_mask": batch.mask}
        if wants_types:
            feed["token_type_ids"] = np.zeros_like(batch.ids)
        try:
            (pooled,) = session.run(["embedding"], feed)
        except OnnxFailures as error:
            raise OurFault(f"The embedding model failed on a batch of shape {batch.ids.shape}.") from error
        return np.asarray(pooled, dtype=np.float32)

    return forward
