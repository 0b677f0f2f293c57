"""Rerankers whose model runs in this process, loaded once beside the searches: a cross-encoder, or MaxSim."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from anyio import CapacityLimiter, to_thread

from footnote_retriever.rerankers.exported_cross_encoder import load_exported
from footnote_shared.contracts.search import Reranker as RerankerName
from footnote_shared.kernel.background_load import BackgroundLoad
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.models.cross_encoder import PairScorer, load_cross_encoder

PairRuntime = Literal["auto", "onnx", "openvino", "torch"]

_RETRY_S = 60.0


class LocalReranker:
    """Runs one batch at a time in a thread. A batch that its caller gave up still holds up the next one."""

    def __init__(self, name: RerankerName, load: Callable[[], PairScorer]) -> None:
        self.name: RerankerName = name
        self._model = BackgroundLoad(load, retry_s=_RETRY_S)
        self._one_at_a_time = CapacityLimiter(1)

    def begin_loading(self) -> None:
        """Load the model without waiting for it."""
        self._model.begin()

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Raises Misconfigured when the model cannot be loaded."""
        model = await self._model.get()
        return await to_thread.run_sync(
            model.score, query, texts, limiter=self._one_at_a_time, abandon_on_cancel=True
        )

    async def close(self) -> None:
        await self._model.close()


def load_pair_scorer(name: str, device: str, runtime: PairRuntime) -> PairScorer:
    """Load a cross-encoder from a folder or by its hub name. Raises Misconfigured when it cannot be run so.

    With `auto`, a folder with an export is run without torch where the device is the processor.
    """
    if runtime != "torch" and device == "cpu":
        exported = load_exported(Path(name), ("onnx", "openvino") if runtime == "auto" else (runtime,))
        if exported is not None:
            return exported
    if runtime in ("onnx", "openvino"):
        raise Misconfigured(
            f"The reranker model {name} cannot be run by {runtime}: that takes a folder with an export, and "
            "the device cpu."
        )
    return load_cross_encoder(name, device)
