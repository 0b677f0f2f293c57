"""Every kind of connector: what it needs to know, and what brings its items in."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from footnote_ingest.connectors.atlassian_wire import AtlassianWire
from footnote_ingest.connectors.confluence import ConfluenceItems
from footnote_ingest.connectors.drive_channel import Listening
from footnote_ingest.connectors.drive_wire import DriveWire
from footnote_ingest.connectors.errors import OwnerMustAct
from footnote_ingest.connectors.feed import FeedItems
from footnote_ingest.connectors.folder import FolderItems
from footnote_ingest.connectors.github import GithubItems
from footnote_ingest.connectors.github_wire import GithubWire
from footnote_ingest.connectors.google_drive import DriveItems
from footnote_ingest.connectors.imap import ImapItems
from footnote_ingest.connectors.imap_wire import ImapWire
from footnote_ingest.connectors.jira import JiraItems
from footnote_ingest.connectors.kept_grants import GrantOfConnector
from footnote_ingest.connectors.notion import NotionItems
from footnote_ingest.connectors.notion_wire import NotionWire
from footnote_ingest.connectors.oauth import AccessTokens, GrantInHand, KeptGrant, TokenService
from footnote_ingest.connectors.objects import ObjectItems
from footnote_ingest.connectors.outside import Outside, OutsideResources
from footnote_ingest.connectors.protocol import ItemSource
from footnote_ingest.connectors.s3_signing import S3Keys
from footnote_ingest.connectors.s3_wire import S3Wire
from footnote_ingest.connectors.sealed_places import credentials_place, hook_secret_place
from footnote_ingest.connectors.signatures import channel_token
from footnote_ingest.connectors.site import SitePages
from footnote_ingest.connectors.slack import SlackItems
from footnote_ingest.connectors.slack_wire import SlackWire
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_shared.contracts.base import from_any_release
from footnote_shared.contracts.connector_kinds import (
    CREDENTIALS_ARE_FOR,
    KIND_FIELDS,
    AtlassianCredentials,
    ConfluenceConfig,
    DriveConfig,
    DriveCredentials,
    FeedConfig,
    FolderConfig,
    GithubConfig,
    GithubCredentials,
    ImapConfig,
    ImapCredentials,
    JiraConfig,
    NotionConfig,
    NotionCredentials,
    ObjectsConfig,
    ObjectsCredentials,
    SiteConfig,
    SlackConfig,
    SlackCredentials,
)
from footnote_shared.contracts.connectors import ConnectorKind
from footnote_shared.db.engine import Database
from footnote_shared.egress.web_authorities import web_authorities
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.security.sealing import Seals
from footnote_shared.settings.base import Settings

_MOST_JSON = 16 * 2**20
"""Bytes of one answer in JSON. Two hundred of the longest messages of Slack fit in."""


@dataclass(frozen=True, slots=True)
class SourceResources:
    """What sources are given beside their own configuration. `folders` is the root that the operator allows,
    with `{workspace}` in it for the id of the workspace; empty for none. `database` keeps the tokens of
    connectors that sync; None where none does. `url` is where others reach this server."""

    seals: Seals
    folders: str
    max_bytes: int
    outside: OutsideResources = field(default_factory=OutsideResources)
    database: Database | None = None
    url: str = ""

    @classmethod
    def from_settings(cls, settings: Settings, database: Database | None = None) -> "SourceResources":
        return cls(
            Seals.from_settings(settings),
            settings.connector_folders,
            settings.max_upload_bytes,
            OutsideResources.from_settings(settings),
            database,
            settings.public_url,
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """What a connector was made with: its workspace, its configuration, and its credentials in the clear.

    `grant` is where the tokens of an owner's consent are kept, and `listening` where the connector is told of
    changes; None for a connector that is not made yet.
    """

    workspace_id: str
    config: Mapping[str, Any]
    credentials: Mapping[str, str]
    grant: KeptGrant | None = None
    listening: Listening | None = None


def _folder(resources: SourceResources, asked: Asked) -> ItemSource:
    if not resources.folders:
        raise OwnerMustAct(
            "Folders of the server are not open to connectors. The operator sets FOOTNOTE_CONNECTOR_FOLDERS."
        )
    root = Path(resources.folders.replace("{workspace}", asked.workspace_id))
    config = from_any_release(FolderConfig, asked.config)
    return FolderItems(root, config.path, resources.max_bytes)


def _feed(resources: SourceResources, asked: Asked) -> ItemSource:
    return FeedItems(Outside(resources.outside), from_any_release(FeedConfig, asked.config).url)


def _site(resources: SourceResources, asked: Asked) -> ItemSource:
    return SitePages(Outside(resources.outside), from_any_release(SiteConfig, asked.config))


def github_wire(resources: SourceResources, asked: Asked) -> GithubWire:
    """The way to a repository."""
    config = from_any_release(GithubConfig, asked.config)
    token = from_any_release(GithubCredentials, asked.credentials).token
    return GithubWire(Outside(resources.outside), config.api_url, config.repository, token)


def _github(resources: SourceResources, asked: Asked) -> ItemSource:
    config = from_any_release(GithubConfig, asked.config)
    return GithubItems(github_wire(resources, asked), config, resources.max_bytes)


def slack_wire(resources: SourceResources, asked: Asked) -> SlackWire:
    """The way to a workspace of Slack."""
    token = from_any_release(SlackCredentials, asked.credentials).token
    return SlackWire(_for_json(resources), from_any_release(SlackConfig, asked.config).api_url, token)


def _slack(resources: SourceResources, asked: Asked) -> ItemSource:
    return SlackItems(slack_wire(resources, asked), from_any_release(SlackConfig, asked.config))


def _notion(resources: SourceResources, asked: Asked) -> ItemSource:
    config = from_any_release(NotionConfig, asked.config)
    token = from_any_release(NotionCredentials, asked.credentials).token
    return NotionItems(NotionWire(_for_json(resources), config.api_url, token))


def _confluence(resources: SourceResources, asked: Asked) -> ItemSource:
    config = from_any_release(ConfluenceConfig, asked.config)
    return ConfluenceItems(atlassian_wire(resources, "Confluence", config.url, asked), config)


def _jira(resources: SourceResources, asked: Asked) -> ItemSource:
    config = from_any_release(JiraConfig, asked.config)
    return JiraItems(atlassian_wire(resources, "Jira", config.url, asked), config)


def atlassian_wire(resources: SourceResources, product: str, url: str, asked: Asked) -> AtlassianWire:
    """The way to a site of Atlassian."""
    known = from_any_release(AtlassianCredentials, asked.credentials)
    return AtlassianWire(_for_json(resources), product, url, known.email, known.token)


def _imap(resources: SourceResources, asked: Asked) -> ItemSource:
    config = from_any_release(ImapConfig, asked.config)
    known = from_any_release(ImapCredentials, asked.credentials)
    outside = resources.outside
    wire = ImapWire(
        config, known, outside.policy, outside.limits, tls=web_authorities(), within_s=outside.within_s
    )
    return ImapItems(wire, config, resources.max_bytes)


def _google_drive(resources: SourceResources, asked: Asked) -> ItemSource:
    config = from_any_release(DriveConfig, asked.config)
    known = from_any_release(DriveCredentials, asked.credentials)
    if config.push and not resources.url.startswith("https://"):
        raise OwnerMustAct(
            "Google tells of changes at an https address alone, and this server has none. "
            "The operator sets FOOTNOTE_PUBLIC_URL, or `push` is left out."
        )
    outside = Outside(resources.outside)
    service = TokenService("Google", config.token_url, known.client_id, known.client_secret)
    tokens = AccessTokens(outside, service, asked.grant or GrantInHand(known.refresh_token))
    wire = DriveWire(outside, config.api_url, tokens, config.drive)
    return DriveItems(wire, config, resources.max_bytes, asked.listening if config.push else None)


def _objects(resources: SourceResources, asked: Asked) -> ItemSource:
    config = from_any_release(ObjectsConfig, asked.config)
    known = from_any_release(ObjectsCredentials, asked.credentials)
    keys = None
    if known.access_key is not None and known.secret_key is not None:
        keys = S3Keys(known.access_key, known.secret_key, known.session_token)
    outside = Outside(resources.outside)
    endpoint = config.endpoint or f"https://s3.{config.region}.amazonaws.com"
    wire = S3Wire(outside, endpoint, config.region, config.bucket, keys)
    return ObjectItems(wire, config, resources.max_bytes)


def _for_json(resources: SourceResources) -> Outside:
    """A client for answers that are read as a whole: none is as large as a file may be."""
    limits = replace(resources.outside.limits, max_bytes=min(_MOST_JSON, resources.outside.limits.max_bytes))
    return Outside(replace(resources.outside, limits=limits))


_OPENS: Mapping[ConnectorKind, Callable[[SourceResources, Asked], ItemSource] | None] = {
    "folder": _folder,
    "rss": _feed,
    "web": _site,
    "github": _github,
    "slack": _slack,
    "notion": _notion,
    "confluence": _confluence,
    "jira": _jira,
    "imap": _imap,
    "objects": _objects,
    "google_drive": _google_drive,
    # Its items come by its web hook alone.
    "push": None,
}


def check_asked(resources: SourceResources, kind: str, asked: Asked) -> None:
    """Raises InvalidRequest, with the fields, for what no connector of this kind can work with."""
    known = _known(kind)
    config, credentials = KIND_FIELDS[known]
    errors: list[FieldError] = []
    for name, model, given in (
        ("config", config, asked.config),
        ("credentials", credentials, asked.credentials),
    ):
        try:
            model.model_validate(given)
        except ValidationError as error:
            # The message names the field and what is wrong with it, never the value: it may be a secret.
            errors += [FieldError(".".join([name, *map(str, e["loc"])]), e["msg"]) for e in error.errors()]
    if errors:
        raise InvalidRequest(f"Not valid: {', '.join(error.field for error in errors)}.", errors=errors)
    if has_source(known):
        try:
            source = opened_source(resources, known, asked)
            assert source is not None, "it has one"
            source.close()
        except OwnerMustAct as refused:
            raise InvalidRequest(refused.reason, errors=[FieldError("config", refused.reason)]) from refused


def check_credentials_stay(row: ConnectorRow, config: Mapping[str, Any]) -> None:
    """Raises InvalidRequest if credentials would be sent elsewhere than to what they were given for.

    Whoever changes a configuration need not be the one who knows them: led to another address, they would be
    told there.
    """
    kind = _known(row.kind)
    fields = KIND_FIELDS[kind][0].model_fields
    moved = [
        name
        for name in CREDENTIALS_ARE_FOR.get(kind, ())
        if config.get(name, fields[name].default) != row.config.get(name, fields[name].default)
    ]
    if row.credentials is not None and moved:
        message = f"have to be given again, since they were given for another {' and '.join(moved)}"
        raise InvalidRequest(f"The credentials {message}.", errors=[FieldError("credentials", message)])


def has_source(kind: str) -> bool:
    """Whether connectors of this kind sync. Others only take what web hooks bring."""
    return _OPENS[_known(kind)] is not None


def opened_source(resources: SourceResources, kind: ConnectorKind, asked: Asked) -> ItemSource | None:
    """The source of a connector that is not made yet; None if its items come by web hooks alone."""
    opens = _OPENS[kind]
    if opens is None:
        return None
    outside = replace(resources.outside, account=asked.workspace_id)
    return opens(replace(resources, outside=outside), asked)


def open_source(resources: SourceResources, row: ConnectorRow) -> ItemSource:
    """The source of a connector, with its credentials. Raises OwnerMustAct if it can have none."""
    database = resources.database
    grant = None if database is None else GrantOfConnector(database, resources.seals, row.id)
    secret = resources.seals.open(row.hook_secret, hook_secret_place(row.id)) if row.hook_secret else ""
    listening = Listening(f"{resources.url}/v1/webhooks/{row.id}", partial(channel_token, secret))
    asked = Asked(row.workspace_id, row.config, opened_credentials(resources, row), grant, listening)
    found = opened_source(resources, _known(row.kind), asked)
    if found is None:
        raise OwnerMustAct("The items of this connector come by its web hook alone.")
    return found


def opened_credentials(resources: SourceResources, row: ConnectorRow) -> dict[str, str]:
    """The credentials in the clear; empty if it has none."""
    if row.credentials is None:
        return {}
    found: dict[str, str] = json.loads(resources.seals.open(row.credentials, credentials_place(row.id)))
    return found


def _known(kind: str) -> ConnectorKind:
    return next(known for known in _OPENS if known == kind)
