"""What all answers of the server have in common."""

from pydantic import BaseModel, ConfigDict


class AnswerModel(BaseModel):
    """A frozen answer. Fields that a newer server adds are kept, as attributes without a type."""

    model_config = ConfigDict(frozen=True, extra="allow")
