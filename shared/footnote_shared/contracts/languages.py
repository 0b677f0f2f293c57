"""In which language a text is."""

from pydantic import Field

from footnote_shared.contracts.base import WireModel


class Languages(WireModel):
    """The language of a chunk, or the programming language of its code. A message of a chunk inherits it."""

    language: str | None = Field(
        None,
        description="ISO 639 code of the text's language; null for code, and where it could not be told.",
    )
    code_language: str | None = Field(
        None, description="Programming language of a chunk of code, such as `python`, where it is known."
    )
