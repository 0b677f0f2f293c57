"""Connectors: what brings documents in from elsewhere, and the reports of its syncs."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from footnote_client.aio.server_link import AsyncServerLink
from footnote_client.call import Call
from footnote_client.models import (
    Connector,
    ConnectorActed,
    ConnectorList,
    ConnectorPreview,
    ConnectorRun,
    ConnectorRunList,
    HookToken,
    KindCard,
    KindList,
    StartedRun,
)


class AsyncConnectorCalls:
    """`client.connectors`."""

    def __init__(self, link: AsyncServerLink) -> None:
        self._link = link

    async def create(
        self,
        kind: str,
        name: str,
        *,
        config: Mapping[str, Any] | None = None,
        credentials: Mapping[str, str] | None = None,
        schedule: str | None = None,
        folder: str | None = None,
    ) -> Connector:
        """Make a connector; its first sync begins at once. `webhook_secret` is shown this once."""
        body = {
            "kind": kind,
            "name": name,
            "config": config,
            "credentials": credentials,
            "schedule": schedule,
            "folder": folder,
        }
        return await self._link.send(Call("POST", "/v1/connectors", Connector, body=body))

    async def kinds(self) -> list[KindCard]:
        """The kinds of connectors, and what each needs to know."""
        return (await self._link.send(Call("GET", "/v1/connectors:kinds", KindList))).items

    async def preview(
        self,
        kind: str,
        name: str,
        *,
        config: Mapping[str, Any] | None = None,
        credentials: Mapping[str, str] | None = None,
    ) -> ConnectorPreview:
        """The first items of a connector that is not made yet, or what is wrong with it."""
        body = {"kind": kind, "name": name, "config": config, "credentials": credentials}
        return await self._link.send(Call("POST", "/v1/connectors:preview", ConnectorPreview, body=body))

    def find(self) -> AsyncIterator[Connector]:
        """Connectors, newest first."""
        return self._link.each(Call("GET", "/v1/connectors", ConnectorList), ConnectorList)

    async def get(self, connector_id: str) -> Connector:
        return await self._link.send(
            Call("GET", "/v1/connectors/{connector_id}", Connector, _of(connector_id))
        )

    async def change(
        self,
        connector_id: str,
        *,
        name: str | None = None,
        config: Mapping[str, Any] | None = None,
        credentials: Mapping[str, str] | None = None,
        schedule: str | None = None,
        paused: bool | None = None,
        new_webhook_secret: bool | None = None,
    ) -> Connector:
        """Change a connector, or pause it. What is None stays.

        A new secret is asked for once alone: a second one would take the place of the first.
        """
        body = {
            "name": name,
            "config": config,
            "credentials": credentials,
            "schedule": schedule,
            "paused": paused,
            "new_webhook_secret": new_webhook_secret,
        }
        ids, once = _of(connector_id), bool(new_webhook_secret)
        return await self._link.send(
            Call("PATCH", "/v1/connectors/{connector_id}", Connector, ids, body=body, once=once)
        )

    async def delete(self, connector_id: str) -> Connector:
        """Delete a connector with all its documents."""
        return await self._link.send(
            Call("DELETE", "/v1/connectors/{connector_id}", Connector, _of(connector_id))
        )

    async def sync(self, connector_id: str, *, confirm_deletions_of: str | None = None) -> StartedRun:
        """Sync now; a run under way is joined. `confirm_deletions_of` names a run that was held."""
        body = {"confirm_deletions_of": confirm_deletions_of}
        return await self._link.send(
            Call("POST", "/v1/connectors/{connector_id}:sync", StartedRun, _of(connector_id), body=body)
        )

    async def act(
        self,
        connector_id: str,
        action: str,
        text: str,
        *,
        title: str | None = None,
        document_id: str | None = None,
        channel: str | None = None,
    ) -> ConnectorActed:
        """Do something in its system, such as `comment`, where its configuration allows that by `actions`."""
        body = {
            "action": action,
            "text": text,
            "title": title,
            "document_id": document_id,
            "channel": channel,
        }
        return await self._link.send(
            Call("POST", "/v1/connectors/{connector_id}:act", ConnectorActed, _of(connector_id), body=body)
        )

    async def take_token(self, connector_id: str) -> HookToken:
        """Take the token by which its system will sign web hooks. It is shown this once."""
        path = "/v1/connectors/{connector_id}:handshake"
        return await self._link.send(Call("POST", path, HookToken, _of(connector_id), once=True))

    def runs(self, connector_id: str) -> AsyncIterator[ConnectorRun]:
        """The reports of its syncs, newest first."""
        call = Call("GET", "/v1/connectors/{connector_id}/runs", ConnectorRunList, _of(connector_id))
        return self._link.each(call, ConnectorRunList)


def _of(connector_id: str) -> dict[str, str]:
    return {"connector_id": connector_id}
