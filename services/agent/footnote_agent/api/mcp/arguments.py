"""What the tools of the MCP server take."""

from pydantic import BaseModel, ConfigDict, Field


class _Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SearchArguments(_Arguments):
    """Arguments of `search`."""

    query: str = Field(min_length=1, max_length=2000, description="What to look for, in words.")
    top_k: int = Field(8, ge=1, le=20, description="Passages at most.")
    documents: list[str] | None = Field(
        None, max_length=50, description="Only within these documents, by their ids. Absent: everywhere."
    )


class ReadArguments(_Arguments):
    """Arguments of `read`."""

    document: str = Field(max_length=100, description="The id of a document, as `search` gives it.")
    cursor: str | None = Field(
        None, max_length=500, description="Where to go on, as the end of the part before says."
    )


class AskArguments(_Arguments):
    """Arguments of `ask`."""

    question: str = Field(min_length=1, max_length=8000, description="The question, in whole sentences.")
    thread: str | None = Field(
        None, max_length=100, description="The conversation to go on in, as an earlier answer names it."
    )
