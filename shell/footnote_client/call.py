"""A call of the API as a value: what is sent, and what comes back. No I/O."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from footnote_client.errors import ServerError, WrongAnswer, server_error
from footnote_client.upload_file import UploadFile

Answer_ = TypeVar("Answer_", bound=BaseModel | None)
Query = Mapping[str, str | int | bool | Sequence[str] | None]

_SAFE_METHODS = ("GET", "HEAD", "PUT", "DELETE")


@dataclass(frozen=True)
class Call(Generic[Answer_]):
    """One request. `path` is a template of the API's own, and `ids` fills it.

    A POST carries an idempotency key, so that all of these may be sent twice. `answer` is the model of the
    answer's JSON; None for those without a body.
    """

    method: str
    path: str
    answer: type[Answer_]
    ids: Mapping[str, str | int] = field(default_factory=dict)
    query: Query = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    files: Sequence[UploadFile] = ()
    once: bool = False
    """Whether it must not be sent a second time when its answer was lost."""
    key: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def target(self) -> str:
        """The path with its ids, each of which is one segment whatever it holds."""
        return self.path.format_map({name: quote(str(value), safe="") for name, value in self.ids.items()})

    @property
    def params(self) -> tuple[tuple[str, str], ...]:
        """The query. What is None is left out, and what is several is repeated."""
        pairs: list[tuple[str, str]] = []
        for name, value in self.query.items():
            several = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
            pairs += [(name, _written(one)) for one in several if one is not None]
        return tuple(pairs)

    @property
    def headers(self) -> dict[str, str]:
        return {} if self.method in _SAFE_METHODS else {"Idempotency-Key": self.key}

    @property
    def content(self) -> bytes | None:
        """The body as JSON, without what is None."""
        if self.body is None:
            return None
        return as_json({name: value for name, value in self.body.items() if value is not None}).encode()

    def read(self, content: bytes) -> Answer_:
        """The answer from its bytes. Raises WrongAnswer."""
        model = self.answer
        if not issubclass(model, BaseModel):
            return None  # type: ignore[return-value]
        try:
            return model.model_validate_json(content)
        except ValidationError as error:
            raise WrongAnswer(f"{self.method} {self.path} was answered in a shape of its own.") from error


def error_from(status: int, content: bytes, retry_after: str) -> ServerError:
    """The error of an answer that is none, whoever gave it: a proxy writes no problem document."""
    try:
        problem = json.loads(content)
    except (ValueError, RecursionError):
        problem = {}
    seconds = float(retry_after) if retry_after.isdecimal() and len(retry_after) < 8 else None
    return server_error(status, problem if isinstance(problem, dict) else {}, seconds)


def as_json(value: Any) -> str:
    """JSON in UTF-8 without spaces. Raises TypeError and ValueError for what JSON has no word for."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _written(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
