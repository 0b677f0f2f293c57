"""Cross-encoders of sentence-transformers: models that read two texts together and judge the pair."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from footnote_shared.kernel.errors import Misconfigured, Unavailable

_BATCH = 16
_ENTAILED, _CONTRADICTED = "entail", "contra"
_NOT = ("not", "non")


class PairScorer(Protocol):
    """Scores texts against a query; higher fits better. Safe to call from several threads, one at a time."""

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One finite score per text. Raises `Unavailable("rerank")` when the model fails."""


@dataclass(frozen=True, slots=True)
class Entailment:
    """How probable it is that a hypothesis follows from its premise, and that it contradicts it."""

    entailed: float
    contradicted: float


class PairClassifier(Protocol):
    """Natural language inference over pairs of premise and hypothesis."""

    def classify(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """One answer per pair. Raises `Unavailable("nli")` when the model fails."""


class CrossEncoderModel:
    """A sentence-transformers CrossEncoder with a single output."""

    def __init__(self, name: str, device: str) -> None:
        self._model = _load(name, device, "reranker")
        if self._model.num_labels != 1:
            raise Misconfigured(
                f"The reranker model {name} has {self._model.num_labels} outputs; one is needed."
            )

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        try:
            found = self._model.predict(
                [(query, text) for text in texts], batch_size=_BATCH, show_progress_bar=False
            )
        except (RuntimeError, ValueError, IndexError) as error:
            raise Unavailable("rerank", "The reranker failed.") from error
        scores = [float(score) for score in found]
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise Unavailable("rerank", "The reranker gave no usable scores.")
        return scores


class NliModel:
    """A sentence-transformers CrossEncoder whose labels, by the names in its configuration, are those of NLI.

    A model of two labels (entailment and not) never says that something is contradicted.
    """

    def __init__(self, name: str, device: str) -> None:
        self._model = _load(name, device, "NLI")
        labels = {int(at): str(label).lower() for at, label in self._model.config.id2label.items()}
        entailed = [at for at, label in labels.items() if _ENTAILED in label and not label.startswith(_NOT)]
        contradicted = [at for at, label in labels.items() if _CONTRADICTED in label]
        if len(entailed) != 1 or len(contradicted) > 1 or len(labels) != self._model.num_labels:
            raise Misconfigured(
                f"The NLI model {name} has the labels {', '.join(labels.values())}; "
                "one named entailment is needed."
            )
        self._entailed = entailed[0]
        self._contradicted = contradicted[0] if contradicted else None

    def classify(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        if not pairs:
            return []
        # Batches of like length pad least; the model itself truncates what is too long for it.
        order = sorted(range(len(pairs)), key=lambda at: sum(map(len, pairs[at])))
        try:
            found = self._model.predict(
                [pairs[at] for at in order], batch_size=_BATCH, show_progress_bar=False, apply_softmax=True
            )
        except (RuntimeError, ValueError, IndexError) as error:
            raise Unavailable("nli", "The NLI model failed.") from error
        answers: dict[int, Entailment] = {}
        for at, row in zip(order, found, strict=True):
            contradicted = 0.0 if self._contradicted is None else float(row[self._contradicted])
            answers[at] = Entailment(float(row[self._entailed]), contradicted)
        if not all(math.isfinite(a.entailed + a.contradicted) for a in answers.values()):
            raise Unavailable("nli", "The NLI model gave no usable answers.")
        return [answers[at] for at in range(len(pairs))]


def load_cross_encoder(name: str, device: str) -> PairScorer:
    """Load a model from a folder or by its hub name. Raises Misconfigured when that is not possible."""
    return CrossEncoderModel(name, device)


def load_nli(name: str, device: str) -> PairClassifier:
    """Load a model from a folder or by its hub name. Raises Misconfigured when it cannot be loaded, or when
    its labels are not those of NLI.
    """
    return NliModel(name, device)


def _load(name: str, device: str, role: str) -> Any:
    folder = Path(name)
    if (folder.is_absolute() or folder.is_dir()) and not (folder / "config.json").is_file():
        raise Misconfigured(f"The {role} model {name} cannot be loaded: there is no config.json in it.")
    # Heavy: the import alone takes seconds and hundreds of MiB, and few deployments have such a model.
    from sentence_transformers import CrossEncoder  # noqa: PLC0415

    try:
        return CrossEncoder(name, device=device)
    except (OSError, ValueError, RuntimeError) as error:
        raise Misconfigured(f"The {role} model {name} cannot be loaded: {error}") from error
