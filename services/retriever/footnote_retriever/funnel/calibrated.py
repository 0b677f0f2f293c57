"""Which models come with a scale of the gate, made by `footnote eval gate` (docs/adr/0061)."""

from collections.abc import Mapping
from typing import get_args

from footnote_shared.contracts.search import Reranker
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.kernel.evidence_scale import Scale

SHIPPED: Mapping[str, Scale] = {"all-MiniLM-L6-v2": Scale(-11.25, 20.0, 10.0, 6.0)}


def scale_of(model: str, given: str = "") -> Scale | None:
    """The scale that is `given`, else the one that comes with the model, if one does.

    Raises Misconfigured where what is given is no scale.
    """
    if not given.strip():
        return SHIPPED.get(model)
    try:
        return Scale.read(given)
    except ValueError as error:
        said = "FOOTNOTE_GATE_SCALE takes four numbers with commas between them."
        raise Misconfigured(said) from error


def scales_of_rerankers(given: Mapping[str, str]) -> dict[Reranker, Scale]:
    """The scales for what rerankers score, by reranker. None comes with Footnote.

    Raises Misconfigured for an unknown reranker and where what is given is no scale.
    """
    known = {name: name for name in get_args(Reranker) if name not in ("auto", "none")}
    try:
        return {known[name]: Scale.read(text, reranked=True) for name, text in given.items()}
    except (KeyError, ValueError) as error:
        said = f"FOOTNOTE_GATE_RERANKER_SCALES takes five numbers for each of {', '.join(known)}."
        raise Misconfigured(said) from error
