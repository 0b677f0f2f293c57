"""A reranker over HTTP in the shapes that providers have, as strict about requests as they are."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from footnote_testing.served_app import ServedApp

KEY = "the key of the reranker"
MODEL = "reranker-of-tests"

Scored = list[dict[str, Any]]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    query: str = Field(min_length=1)


class _Tei(_Asked):
    texts: list[str] = Field(min_length=1)
    raw_scores: bool = False
    return_text: bool = False
    truncate: bool = False


class _Cohere(_Asked):
    model: Literal["reranker-of-tests"]
    documents: list[str] = Field(min_length=1)
    top_n: int | None = Field(None, ge=1)
    max_tokens_per_doc: int | None = None


class _Jina(_Asked):
    model: Literal["reranker-of-tests"]
    documents: list[str] = Field(min_length=1)
    top_n: int | None = Field(None, ge=1)
    return_documents: bool = True


class _Voyage(_Asked):
    model: Literal["reranker-of-tests"]
    documents: list[str] = Field(min_length=1, max_length=1000)
    top_k: int | None = Field(None, ge=1)
    return_documents: bool = False
    truncation: bool = True


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one provider is asked and answers: `answer` makes the body of scores, `error` that of a refusal."""

    path: str
    request: type[_Asked]
    texts: str
    score: str
    answer: Callable[[Scored], Any]
    error: Callable[[str], Any]
    invalid: int
    most_texts: int = 1000


DIALECTS: Mapping[str, Dialect] = {
    "tei": Dialect(
        path="/rerank",
        request=_Tei,
        texts="texts",
        score="score",
        answer=lambda scored: scored,
        error=lambda message: {"error": message, "error_type": "Validation"},
        invalid=413,
        most_texts=32,
    ),
    "cohere": Dialect(
        path="/v2/rerank",
        request=_Cohere,
        texts="documents",
        score="relevance_score",
        answer=lambda scored: {
            "id": "07734bd2-2473-4f07-94e1-0d9f0e6843cf",
            "results": scored,
            "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}},
        },
        error=lambda message: {"id": "07734bd2", "message": message},
        invalid=400,
    ),
    "jina": Dialect(
        path="/v1/rerank",
        request=_Jina,
        texts="documents",
        score="relevance_score",
        answer=lambda scored: {
            "model": MODEL,
            "object": "list",
            "usage": {"total_tokens": 815},
            "results": scored,
        },
        error=lambda message: {"detail": message},
        invalid=422,
    ),
    "voyage": Dialect(
        path="/v1/rerank",
        request=_Voyage,
        texts="documents",
        score="relevance_score",
        answer=lambda scored: {
            "object": "list",
            "data": scored,
            "model": MODEL,
            "usage": {"total_tokens": 26},
        },
        error=lambda message: {"detail": message},
        invalid=400,
    ),
}


def worth(text: str) -> float:
    """The score of a text, whatever the query is: it prefers the letter z, as no model would."""
    return text.count("z") / 64


@dataclass(slots=True)
class Refusal:
    """What the server answers instead of scores."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)


class RerankServer:
    """Notes each query and its texts in `seen`. `spoil` changes the scores that it answers."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self._dialect = DIALECTS[dialect]
        self._served = ServedApp(
            Starlette(routes=[Route(self._dialect.path, self._rerank, methods=["POST"])])
        )
        self.url = self._served.url
        self.reset()

    def reset(self) -> None:
        """Forget what was asked, and answer well again."""
        self.seen: list[tuple[str, list[str]]] = []
        self.asked = 0
        self.refusal: Refusal | None = None
        self.spoil: Callable[[Scored], Scored] | None = None
        self.body: bytes | None = None

    def __enter__(self) -> Self:
        self._served.start()
        return self

    def __exit__(self, *gone: object) -> None:
        self._served.stop()

    @property
    def texts(self) -> list[str]:
        """Every text that it was shown, in order."""
        return [text for _, texts in self.seen for text in texts]

    async def _rerank(self, request: Request) -> Response:
        self.asked += 1
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return self._refused(401, "invalid api token")
        if self.refusal is not None:
            answer = self._refused(self.refusal.status, "not now")
            answer.headers.update(self.refusal.headers)
            return answer
        try:
            asked = self._dialect.request.model_validate_json(await request.body())
        except ValidationError as error:
            return self._refused(self._dialect.invalid, str(error))
        texts: list[str] = getattr(asked, self._dialect.texts)
        if len(texts) > self._dialect.most_texts:
            message = f"batch size {len(texts)} > maximum allowed batch size {self._dialect.most_texts}"
            return self._refused(self._dialect.invalid, message)
        self.seen.append((asked.query, texts))
        if self.body is not None:
            return Response(self.body, media_type="application/json")
        return Response(json.dumps(self._dialect.answer(self._scored(texts))), media_type="application/json")

    def _scored(self, texts: list[str]) -> Scored:
        """Best first, as all four answer."""
        scored: Scored = [{"index": at, self._dialect.score: worth(text)} for at, text in enumerate(texts)]
        scored.sort(key=lambda one: -one[self._dialect.score])
        return scored if self.spoil is None else self.spoil(scored)

    def _refused(self, status: int, message: str) -> JSONResponse:
        return JSONResponse(self._dialect.error(message), status)
