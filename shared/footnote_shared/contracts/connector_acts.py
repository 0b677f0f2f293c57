"""What a connector does in its system when a person has asked for it (spec 5.5)."""

from typing import Any, Literal, get_args

from pydantic import Field

from footnote_shared.contracts.base import Moment, Request, WireModel

GithubAct = Literal["comment", "create_issue"]
SlackAct = Literal["post_message"]
JiraAct = Literal["comment"]
ActName = Literal["comment", "create_issue", "post_message"]

ACTS_OF_KINDS: dict[str, tuple[ActName, ...]] = {
    "github": get_args(GithubAct),
    "slack": get_args(SlackAct),
    "jira": get_args(JiraAct),
}
"""What connectors of each kind can do in their system. All other kinds only read."""

MAY_DO = "What may be done in the system, besides reading. Absent: nothing."
MAX_ACT_CHARS = 10_000


class ConnectorAct(Request):
    """Body of `POST /v1/connectors/{id}:act`."""

    action: ActName = Field(
        description="`comment`: under the item of a document; `create_issue`: a new one; `post_message`: "
        "into a channel, or as a reply to the thread of a document."
    )
    text: str = Field(min_length=1, max_length=MAX_ACT_CHARS, pattern=r"[^\s]")
    title: str | None = Field(
        None, min_length=1, max_length=200, pattern=r"[^\s]", description="The title of a new issue."
    )
    document_id: str | None = Field(
        None, max_length=100, description="A document of the connector, whose item is meant."
    )
    channel: str | None = Field(
        None, min_length=1, max_length=100, description="The name of a channel that the connector reads."
    )


class ConnectorActed(WireModel):
    """Answer to `POST /v1/connectors/{id}:act`: what stands there now, and where it is shown."""

    connector_id: str
    action: ActName
    reference: str = Field(description="How the system calls it, such as `#12`.")
    url: str | None = None
    acted_at: Moment


def acts_allowed(kind: str, config: dict[str, Any]) -> tuple[ActName, ...]:
    """What a connector with this configuration may do in its system."""
    allowed = config.get("actions") or ()
    return tuple(one for one in ACTS_OF_KINDS.get(kind, ()) if one in allowed)
