"""The shapes in which rerankers are asked over HTTP, and in which they answer. Pure.

Text Embeddings Inference (`POST /rerank`), Cohere (`POST /v2/rerank`), Jina and Voyage (`POST /v1/rerank`),
as their references describe them. vLLM and others speak those of Cohere and Jina.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from footnote_shared.kernel.errors import Unavailable

ShapeName = Literal["tei", "cohere", "jina", "voyage"]

Index = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
"""A number that errors can name: a hostile one could have thousands of digits."""


@dataclass(frozen=True, slots=True)
class RerankShape:
    """`address` is the provider's own, empty where it has none. One request takes `most_texts`."""

    address: str
    path: str
    most_texts: int
    body: Callable[[str, str, Sequence[str]], BaseModel]
    """The request, made of the model's name, the query and the texts. It asks for a score of every text."""
    read: Callable[[bytes], "list[TextScore]"]
    """The scores of an answer in the order of the answer. Raises ValidationError for another shape."""
    names_model: bool = True


class _OfOthers(BaseModel):
    """What a provider says beside the scores is left aside. Texts and truth values are no numbers."""

    model_config = ConfigDict(extra="ignore", strict=True)


class TextScore(_OfOthers):
    """The score of one text; `index` counts the texts of the request from 0."""

    index: Index
    score: float


class _TeiRequest(BaseModel):
    query: str
    texts: list[str]
    raw_scores: bool = True
    """Without it scores go through a sigmoid, after which the best ones are all 1."""
    truncate: bool = True


class _CohereRequest(BaseModel):
    model: str
    query: str
    documents: list[str]
    top_n: int


class _JinaRequest(_CohereRequest):
    return_documents: bool = False


class _VoyageRequest(BaseModel):
    model: str
    query: str
    documents: list[str]
    top_k: int
    return_documents: bool = False
    truncation: bool = True


class _Relevance(_OfOthers):
    index: Index
    relevance_score: float


class _Results(_OfOthers):
    results: list[_Relevance]


class _Data(_OfOthers):
    data: list[_Relevance]


_TEI_ANSWER = TypeAdapter(list[TextScore])


def _scores(found: Sequence[_Relevance]) -> list[TextScore]:
    return [TextScore(index=one.index, score=one.relevance_score) for one in found]


def _of_results(body: bytes) -> list[TextScore]:
    return _scores(_Results.model_validate_json(body).results)


SHAPES: Mapping[ShapeName, RerankShape] = {
    # 32 is what TEI takes unless it was started with --max-client-batch-size.
    "tei": RerankShape(
        address="",
        path="/rerank",
        most_texts=32,
        body=lambda model, query, texts: _TeiRequest(query=query, texts=list(texts)),
        read=_TEI_ANSWER.validate_json,
        names_model=False,
    ),
    "cohere": RerankShape(
        address="https://api.cohere.com",
        path="/v2/rerank",
        most_texts=1000,
        body=lambda model, query, texts: _CohereRequest(
            model=model, query=query, documents=list(texts), top_n=len(texts)
        ),
        read=_of_results,
    ),
    "jina": RerankShape(
        address="https://api.jina.ai",
        path="/v1/rerank",
        most_texts=1000,
        body=lambda model, query, texts: _JinaRequest(
            model=model, query=query, documents=list(texts), top_n=len(texts)
        ),
        read=_of_results,
    ),
    "voyage": RerankShape(
        address="https://api.voyageai.com",
        path="/v1/rerank",
        most_texts=1000,
        body=lambda model, query, texts: _VoyageRequest(
            model=model, query=query, documents=list(texts), top_k=len(texts)
        ),
        read=lambda body: _scores(_Data.model_validate_json(body).data),
    ),
}


def scores_in(body: bytes, shape: RerankShape, count: int) -> list[float]:
    """The scores of an answer, in the order of the `count` texts that were asked about.

    Raises `Unavailable("rerank")`, which says what is wrong: another shape, a text that is missing, is there
    twice or was never sent, or a score that is no finite number.
    """
    try:
        found = shape.read(body)
    except ValidationError as error:
        raise _unusable("is not in the shape that was agreed") from error
    by_index: dict[int, float] = {}
    for one in found:
        if not 0 <= one.index < count:
            raise _unusable(f"scores text {one.index} of {count}")
        if one.index in by_index:
            raise _unusable(f"scores text {one.index} twice")
        if not math.isfinite(one.score):
            raise _unusable("holds a score that is no finite number")
        by_index[one.index] = one.score
    if len(by_index) < count:
        raise _unusable(f"scores {len(by_index)} of {count} texts")
    return [by_index[index] for index in range(count)]


def _unusable(how: str) -> Unavailable:
    return Unavailable("rerank", f"The answer of the reranker {how}.")
