"""An answer that its avatar has shared with the workspace."""

from footnote_shared.contracts.base import WireModel
from footnote_shared.contracts.turns import ThreadMessage


class Sharing(WireModel):
    """Body of `POST /v1/threads/{id}/messages/{id}:share`. With `shared` false it is taken back."""

    shared: bool = True


class SharedMessage(WireModel):
    """A shared answer as its reader may see it. `mine`: it stands in a conversation of the reader's own."""

    question: str
    message: ThreadMessage
    mine: bool
