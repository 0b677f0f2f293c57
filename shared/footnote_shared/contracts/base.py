"""What every value on the wire has in common."""

from datetime import datetime
from typing import Annotated, Generic, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    PlainSerializer,
    WithJsonSchema,
)

from footnote_shared.kernel.clock import UTC, rfc3339

_SAID = WithJsonSchema({"type": "string", "format": "date-time"}, mode="serialization")

Moment = Annotated[datetime, PlainSerializer(rfc3339, return_type=str, when_used="json"), _SAID]
"""A moment in an answer, as RFC 3339 in UTC with milliseconds."""


def _in_utc(moment: datetime) -> datetime:
    """The same moment in UTC, where the year may fall out of the range of 1 to 9999."""
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("is before the year 1 or after the year 9999 in UTC") from error


GivenMoment = Annotated[
    AwareDatetime,
    AfterValidator(_in_utc),
    PlainSerializer(rfc3339, return_type=str, when_used="json"),
]
"""A moment in a request. RFC 3339 requires an offset: without one nobody knows which moment is meant."""


class WireModel(BaseModel):
    """A frozen value that ignores unknown fields, so that an older reader understands a newer writer."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Request(BaseModel):
    """A frozen request body that refuses unknown fields, so that a misspelt one is noticed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Model = TypeVar("Model", bound=BaseModel)


def from_any_release(model: type[Model], written: object) -> Model:
    """What another release may have written into a store. Unknown fields are ignored, at every depth.

    A `Request` that is kept, or shown in an answer, refuses them otherwise: then a process of the release
    before cannot read what a newer one has written while both run. Raises ValidationError.
    """
    return model.model_validate(written, extra="ignore")


def from_json_of_any_release(model: type[Model], written: str | bytes) -> Model:
    """The same from JSON."""
    return model.model_validate_json(written, extra="ignore")


Item = TypeVar("Item")


class Page(WireModel, Generic[Item]):
    """One page of a listing; `next_cursor` is opaque and absent on the last page."""

    items: list[Item]
    next_cursor: str | None = None
