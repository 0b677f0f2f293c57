"""Questions that documents do not answer, of several kinds: those that come with Footnote, or one's own."""

import tomllib
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from footnote_shared.kernel.errors import InvalidRequest

OTHER_FIELD = "other field"


class OffTopicQuestion(NamedTuple):
    """A question, and what it is beside the documents that it is asked of."""

    kind: str
    text: str


class _Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str = Field(min_length=1)
    near: str | None = None
    questions: list[str] = Field(min_length=1)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    group: list[_Group] = Field(min_length=1)


def read_off_topic(beside: str, file: Path | None = None) -> list[OffTopicQuestion]:
    """The questions of a file, as they are beside the documents of the set `beside`.

    What is near to the documents of another set is another field. Raises InvalidRequest for another file.
    """
    source = file if file is not None else Path(__file__).with_name("off_topic.toml")
    try:
        read = _File.model_validate(tomllib.loads(source.read_text("utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise InvalidRequest(f"{source} holds no groups of questions: {error}") from error
    return [
        OffTopicQuestion(group.kind if group.near in (None, beside) else OTHER_FIELD, text)
        for group in read.group
        for text in group.questions
    ]
