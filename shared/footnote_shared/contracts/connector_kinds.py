"""What each kind of connector needs to know, and by what it is let in (spec 3.7)."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Literal, get_args

from pydantic import Field, field_validator, model_validator

from footnote_shared.contracts.base import Request
from footnote_shared.contracts.connector_acts import MAY_DO, GithubAct, JiraAct, SlackAct
from footnote_shared.contracts.connectors import ConnectorKind

_ADDRESS = r"^https?://[^\s]+$"
_DAY = r"^[12][0-9]{3}-[0-9]{2}-[0-9]{2}$"
_SECRET = r"^[!-~]+$"  # noqa: S105
_FILE_ID = r"^[A-Za-z0-9_-]+$"
_REGION = r"^[A-Za-z0-9_-]+$"
_TEXT = r"^[^\x00-\x1f\x7f]*$"
_LINE = r"^[^\x00-\x1f\x7f]+$"


class FolderConfig(Request):
    """What a connector of the kind `folder` needs to know."""

    path: str = Field(max_length=1000, description="A path below the folder that the operator allows.")


class FeedConfig(Request):
    """What a connector of the kind `rss` needs to know."""

    url: str = Field(max_length=2000, pattern=_ADDRESS, description="The address of the feed.")


class SiteConfig(Request):
    """What a connector of the kind `web` needs to know."""

    url: str = Field(
        max_length=1000,
        pattern=_ADDRESS,
        description="The address of the site. Only pages below it are taken.",
    )
    max_pages: int = Field(
        500, ge=1, le=20_000, description="Most pages. A site that has more of them fails the sync."
    )
    follow_links: bool = Field(
        False, description="Follow the links of the pages although the site has a sitemap."
    )


GithubPart = Literal["files", "issues", "pulls"]


class GithubConfig(Request):
    """What a connector of the kind `github` needs to know."""

    repository: str = Field(
        max_length=200, pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$", description="`owner/name`."
    )
    parts: list[GithubPart] = Field(
        default_factory=lambda: list(get_args(GithubPart)), min_length=1, description="What is taken of it."
    )
    branch: str | None = Field(
        None, max_length=250, description="Absent: the branch that GitHub shows first."
    )
    path: str = Field("", max_length=1000, description="Only files below this folder of the repository.")
    follow_rights: bool = Field(
        False,
        description="Only the teams and the people of a private repository read it. The token has to be of "
        "somebody who may push.",
    )
    actions: list[GithubAct] = Field(default_factory=list, max_length=10, description=MAY_DO)
    api_url: str = Field(
        "https://api.github.com",
        max_length=500,
        pattern=_ADDRESS,
        description="Another one for a GitHub of your own.",
    )


class GithubCredentials(Request):
    """By what a connector of the kind `github` is let in. A public repository needs nothing."""

    token: str | None = Field(
        None,
        min_length=1,
        max_length=500,
        pattern=_SECRET,
        description="A token that may read the repository.",
    )


class SlackConfig(Request):
    """What a connector of the kind `slack` needs to know."""

    channels: list[str] = Field(
        default_factory=list,
        max_length=500,
        description="Names or ids of channels. Absent: all that the app is in.",
    )
    private: bool = Field(
        False, description="Take private channels too; only the group `slack:<id of the channel>` reads them."
    )
    since: str | None = Field(
        None, pattern=_DAY, description="Leave out what was said before this day, such as 2025-01-31."
    )
    actions: list[SlackAct] = Field(default_factory=list, max_length=10, description=MAY_DO)
    api_url: str = Field(
        "https://slack.com/api",
        max_length=500,
        pattern=_ADDRESS,
        description="Another one for a proxy of your own.",
    )

    @field_validator("since")
    @classmethod
    def _is_a_day(cls, since: str | None) -> str | None:
        if since is not None:
            date.fromisoformat(since)
        return since


class SlackCredentials(Request):
    """By what a connector of the kind `slack` is let in, and by what it knows Slack's web hooks."""

    token: str = Field(
        min_length=1, max_length=500, pattern=_SECRET, description="The token of the app, `xoxb-…`."
    )
    signing_secret: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        pattern=_SECRET,
        description="The signing secret of the app, for its events.",
    )


class NotionConfig(Request):
    """What a connector of the kind `notion` needs to know."""

    api_url: str = Field(
        "https://api.notion.com",
        max_length=500,
        pattern=_ADDRESS,
        description="Another one for a proxy of your own.",
    )


class NotionCredentials(Request):
    """By what a connector of the kind `notion` is let in."""

    token: str = Field(
        min_length=1, max_length=500, pattern=_SECRET, description="The secret of the integration, `ntn_…`."
    )


Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.~-]+$", max_length=255)]
"""The key of a space or of a project."""

FileId = Annotated[str, Field(pattern=_FILE_ID, max_length=200)]
Group = Annotated[str, Field(min_length=1, max_length=200)]
_FOLLOWS = "Only who may see the {} there reads what is in it. The account has to administer it."
_READERS = "Groups that read what the source lets everybody read. Absent: everybody of the workspace."


class AtlassianCredentials(Request):
    """By what a connector of the kinds `confluence` and `jira` is let in."""

    token: str = Field(
        min_length=1,
        max_length=1000,
        pattern=_SECRET,
        description="An API token of Atlassian's cloud, or a personal access token of your own server.",
    )
    email: str | None = Field(
        None,
        min_length=3,
        max_length=300,
        pattern=r"^[^\s:]+@[^\s:]+$",
        description="The account that an API token belongs to. Absent for your own server.",
    )


class ConfluenceConfig(Request):
    """What a connector of the kind `confluence` needs to know."""

    url: str = Field(
        max_length=500,
        pattern=_ADDRESS,
        description="The address of Confluence, such as `https://team.atlassian.net/wiki`.",
    )
    spaces: list[Key] = Field(
        default_factory=list,
        max_length=200,
        description="Keys of spaces. Absent: all but those of single people.",
    )
    follow_rights: bool = Field(False, description=_FOLLOWS.format("space"))
    readers: list[Group] = Field(default_factory=list, max_length=50, description=_READERS)


class JiraConfig(Request):
    """What a connector of the kind `jira` needs to know."""

    url: str = Field(
        max_length=500,
        pattern=_ADDRESS,
        description="The address of Jira, such as `https://team.atlassian.net`.",
    )
    projects: list[Key] = Field(
        default_factory=list, max_length=200, description="Keys of projects. Absent: all."
    )
    follow_rights: bool = Field(False, description=_FOLLOWS.format("project"))
    actions: list[JiraAct] = Field(default_factory=list, max_length=10, description=MAY_DO)
    readers: list[Group] = Field(default_factory=list, max_length=50, description=_READERS)


class ImapConfig(Request):
    """What a connector of the kind `imap` needs to know."""

    host: str = Field(
        min_length=1,
        max_length=253,
        pattern=r"^[A-Za-z0-9.:-]+$",
        description="The server of the mail, such as `imap.example.com`.",
    )
    folders: list[str] = Field(
        default_factory=list,
        max_length=500,
        description="Names of folders, with `/` between levels. Absent: all but drafts, junk and trash.",
    )
    readers: list[Group] = Field(
        default_factory=list,
        max_length=50,
        description="Groups that read the mail. Absent: everybody of the workspace.",
    )
    port: int = Field(993, ge=1, le=65_535, description="993 under TLS, 143 with STARTTLS.")
    encryption: Literal["tls", "starttls", "none"] = Field(
        "tls", description="`none` only within networks that the operator allows."
    )


class ImapCredentials(Request):
    """By what a connector of the kind `imap` is let in."""

    username: str = Field(min_length=1, max_length=300, pattern=_LINE, description="The name of the account.")
    password: str = Field(
        min_length=1,
        max_length=500,
        pattern=_LINE,
        description="Its password, or one for apps where the account has two factors.",
    )


class ObjectsConfig(Request):
    """What a connector of the kind `objects` needs to know."""

    bucket: str = Field(
        min_length=3, max_length=255, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]+$", description="The bucket."
    )
    prefix: str = Field(
        "", max_length=1000, pattern=_TEXT, description="Only objects whose key begins with it, as `docs/`."
    )
    endpoint: str | None = Field(
        None,
        max_length=500,
        pattern=_ADDRESS,
        description="The address of the store; a bucket is a path below it. Absent: Amazon's of the region.",
    )
    region: str = Field("us-east-1", max_length=100, pattern=_REGION, description="The region of the bucket.")
    readers: list[Group] = Field(
        default_factory=list,
        max_length=50,
        description="Groups that read the objects. Absent: everybody of the workspace.",
    )
    shown_at: str | None = Field(
        None,
        max_length=1000,
        pattern=_ADDRESS,
        description="Where people open the objects: a key is put behind it. Absent: citations lead nowhere.",
    )


class ObjectsCredentials(Request):
    """By what a connector of the kind `objects` is let in. A bucket that everybody reads needs nothing."""

    access_key: str | None = Field(
        None, min_length=1, max_length=200, pattern=_SECRET, description="The id of the access key."
    )
    secret_key: str | None = Field(
        None, min_length=1, max_length=500, pattern=_SECRET, description="The secret of the access key."
    )
    session_token: str | None = Field(
        None,
        min_length=1,
        max_length=4000,
        pattern=_SECRET,
        description="What comes with keys that are lent for a while.",
    )

    @model_validator(mode="after")
    def _is_whole(self) -> "ObjectsCredentials":
        if (self.access_key is None) != (self.secret_key is None):
            raise ValueError("an access key and its secret belong together")
        return self


class DriveConfig(Request):
    """What a connector of the kind `google_drive` needs to know."""

    drive: str | None = Field(
        None,
        max_length=200,
        pattern=_FILE_ID,
        description="The id of a shared drive. Absent: the account's own files and those shared with it.",
    )
    folders: list[FileId] = Field(
        default_factory=list,
        max_length=50,
        description="Ids of folders: only what lies below them. Absent: all.",
    )
    readers: list[Group] = Field(
        default_factory=list,
        max_length=50,
        description="Groups that read files of which Google does not tell who may. Absent: those stay out.",
    )
    push: bool = Field(
        False, description="Have Google tell of changes at once. This server needs an https address."
    )
    api_url: str = Field(
        "https://www.googleapis.com",
        max_length=500,
        pattern=_ADDRESS,
        description="Another one for a proxy of your own.",
    )
    token_url: str = Field(
        "https://oauth2.googleapis.com/token",
        max_length=500,
        pattern=_ADDRESS,
        description="Where access tokens are given.",
    )


class DriveCredentials(Request):
    """By what a connector of the kind `google_drive` is let in: an owner's consent."""

    client_id: str = Field(
        min_length=1, max_length=300, pattern=_SECRET, description="The id of the OAuth client."
    )
    client_secret: str = Field(
        min_length=1, max_length=300, pattern=_SECRET, description="The secret of the OAuth client."
    )
    refresh_token: str = Field(
        min_length=1,
        max_length=4000,
        pattern=_SECRET,
        description="The refresh token of the consent, for the scope drive.readonly.",
    )


class Nothing(Request):
    """The configuration of a kind that needs none."""


CREDENTIALS_ARE_FOR: Mapping[ConnectorKind, tuple[str, ...]] = {
    "github": ("api_url", "repository"),
    "slack": ("api_url",),
    "notion": ("api_url",),
    "confluence": ("url",),
    "jira": ("url",),
    "imap": ("host", "port", "encryption"),
    "objects": ("endpoint", "bucket"),
    "google_drive": ("api_url", "token_url"),
}
"""The fields of a configuration that say to whom credentials are sent, and for what."""

KIND_FIELDS: Mapping[ConnectorKind, tuple[type[Request], type[Request]]] = {
    "folder": (FolderConfig, Nothing),
    "rss": (FeedConfig, Nothing),
    "web": (SiteConfig, Nothing),
    "github": (GithubConfig, GithubCredentials),
    "slack": (SlackConfig, SlackCredentials),
    "notion": (NotionConfig, NotionCredentials),
    "confluence": (ConfluenceConfig, AtlassianCredentials),
    "jira": (JiraConfig, AtlassianCredentials),
    "imap": (ImapConfig, ImapCredentials),
    "objects": (ObjectsConfig, ObjectsCredentials),
    "google_drive": (DriveConfig, DriveCredentials),
    "push": (Nothing, Nothing),
}
"""What the configuration and the credentials of each kind hold."""
