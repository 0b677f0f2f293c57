"""What every message on the wire has in common."""

from datetime import datetime
from typing import Annotated, Generic, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, PlainSerializer

from footnote_shared.kernel.clock import rfc3339

Moment = Annotated[datetime, PlainSerializer(rfc3339, return_type=str, when_used="json")]

GivenMoment = Annotated[AwareDatetime, PlainSerializer(rfc3339, return_type=str, when_used="json")]
"""A moment in a request: RFC 3339 asks for an offset, and without one nobody knows which moment is meant."""


class Message(BaseModel):
    """A frozen message that ignores fields it does not know: an older reader understands a newer writer."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Request(BaseModel):
    """A frozen request body that refuses fields it does not know, so that a misspelt one is an error, not a surprise."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Item = TypeVar("Item")


class Page(Message, Generic[Item]):
    """One page of a listing; `next_cursor` is opaque and absent on the last page."""

    items: list[Item]
    next_cursor: str | None = None


class ProblemField(Message):
    field: str
    message: str


class Problem(Message):
    """RFC 9457 problem document."""

    type: str
    title: str
    status: int
    detail: str
    instance: str | None = None
    code: str
    errors: list[ProblemField] | None = None
