"""Following many documents: what is asked, and what is answered."""

from pydantic import Field

from footnote_shared.contracts.base import Request, WireModel
from footnote_shared.contracts.documents import Document


class DocumentsInWork(Request):
    """Body of `POST /v1/documents:progress`."""

    ids: list[str] = Field(max_length=1000)
    wait_s: float = Field(
        0.0, ge=0.0, le=20.0, description="With `cursor`: wait up to so many seconds for something to change."
    )
    cursor: str | None = Field(
        None,
        max_length=64,
        description="That of the answer before, to the same documents but those that ended.",
    )

    @property
    def waits(self) -> bool:
        """Whether the answer may wait for a change."""
        return self.wait_s > 0 and self.cursor is not None


class DocumentProgress(WireModel):
    """How far the documents of a request are.

    `waiting` counts those in work by status. `ended` are those that have ended. `absent` are those that are
    not there for the caller, for instance because somebody deleted them. `cursor` is opaque and stands for
    what those in work look like in this answer.
    """

    waiting: dict[str, int]
    ended: list[Document]
    absent: list[str]
    cursor: str
