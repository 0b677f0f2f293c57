"""The client: one object for one server and one key."""

from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import httpx

from footnote_client.answer import WholeAnswer
from footnote_client.blocking.automations import AutomationCalls
from footnote_client.blocking.connectors import ConnectorCalls
from footnote_client.blocking.conversations import ConversationCalls
from footnote_client.blocking.documents import DocumentCalls
from footnote_client.blocking.server_link import ServerLink
from footnote_client.blocking.threads import ThreadCalls
from footnote_client.blocking.tool_servers import ToolServerCalls
from footnote_client.call import Call
from footnote_client.models import (
    ApiKey,
    ApiKeyList,
    AuditEntry,
    AuditEntryList,
    AvatarCard,
    AvatarCardList,
    AvatarReceipt,
    BatchSearchResult,
    EndedSession,
    FlagList,
    KeyHolder,
    MadeApiKey,
    ModelList,
    Preset,
    PresetList,
    SearchResult,
    ToolCard,
    ToolList,
    TurnUsage,
)
from footnote_client.retrying import RetryPatience


class Footnote:
    """Footnote at `url` with an API key. Use it as a context manager, or `close` it.

    Calls that a busy server puts off are sent again, when it says so; a call is never done twice. All errors
    are kinds of ClientError.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        patience: RetryPatience = RetryPatience(),  # noqa: B008 - it is frozen
        transport: httpx.BaseTransport | None = None,
        session_id: str | None = None,
    ) -> None:
        """With a `session_id` all calls are made in that session: they see what was uploaded into it."""
        self._link = ServerLink(url, key, patience, transport, session_id)
        self.documents = DocumentCalls(self._link)
        self.connectors = ConnectorCalls(self._link)
        self.threads = ThreadCalls(self._link)
        self.automations = AutomationCalls(self._link)
        self.tool_servers = ToolServerCalls(self._link)
        self.conversations = ConversationCalls(self._link)

    def search(
        self,
        query: str,
        *,
        scope: Mapping[str, Any] | None = None,
        preset: str | None = None,
        settings: Mapping[str, Any] | None = None,
        history: Sequence[Mapping[str, str]] | None = None,
        explain: bool | None = None,
    ) -> SearchResult:
        """Passages that answer a query, best first. `degraded` names what was missing."""
        body = {
            "query": query,
            "scope": scope,
            "preset": preset,
            "settings": settings,
            "history": None if history is None else list(history),
            "explain": explain,
        }
        return self._link.send(Call("POST", "/v1/search", SearchResult, body=body))

    def search_many(self, searches: Sequence[Mapping[str, Any]]) -> BatchSearchResult:
        """Up to 32 searches at once, answered in their order. Each has the fields of `search`."""
        return self._link.send(
            Call("POST", "/v1/search:batch", BatchSearchResult, body={"searches": list(searches)})
        )

    def ask(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        mentions: Sequence[Mapping[str, str]] = (),
        preset: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> WholeAnswer:
        """The whole answer, in a thread of its own unless one is named. Raises TurnEnded where there is none.

        To see it come, ask by `client.threads.ask`.
        """
        thread = thread_id or (self.threads.create()).id
        asked = self.threads.ask(thread, question, mentions=mentions, preset=preset, settings=settings)
        return asked.answer()

    def presets(self) -> Iterator[Preset]:
        """Built-in presets, then the workspace's own by name."""
        return self._link.each(Call("GET", "/v1/presets", PresetList), PresetList)

    def store_preset(self, name: str, settings: Mapping[str, Any]) -> Preset:
        """Make a preset, or replace its settings."""
        return self._link.send(
            Call("PUT", "/v1/presets/{name}", Preset, {"name": name}, body={"settings": settings})
        )

    def delete_preset(self, name: str) -> None:
        self._link.send(Call("DELETE", "/v1/presets/{name}", type(None), {"name": name}))

    def models(self) -> ModelList:
        """The engines that can answer."""
        return self._link.send(Call("GET", "/v1/models", ModelList))

    def tools(self) -> ToolList:
        """The tools that models may call, and which of them the workspace has switched off."""
        return self._link.send(Call("GET", "/v1/tools", ToolList))

    def switch_tool(self, name: str, *, allowed: bool, ask_first: bool | None = None) -> ToolCard:
        """Switch a tool on or off for the workspace. With `ask_first` it waits for a person's word."""
        body = {"allowed": allowed, "ask_first": ask_first}
        return self._link.send(
            Call(
                "PUT",
                "/v1/tools/{name}",
                ToolCard,
                {"name": name},
                body=body,
            )
        )

    def flags(self) -> FlagList:
        """What the workspace may set in place of the operator: each value, and who decided it."""
        return self._link.send(Call("GET", "/v1/flags", FlagList))

    def set_flag(self, name: str, value: bool | float | str, *, version: int | None = None) -> FlagList:
        """Set a flag for the workspace. With `version` it fails where somebody else was first (409)."""
        body = {"value": value, "version": version}
        return self._link.send(Call("PUT", "/v1/flags/{name}", FlagList, {"name": name}, body=body))

    def clear_flag(self, name: str, *, version: int | None = None) -> FlagList:
        """Clear a flag, so that the operator's setting holds again."""
        query = {"version": version}
        return self._link.send(Call("DELETE", "/v1/flags/{name}", FlagList, {"name": name}, query=query))

    def audit(self) -> Iterator[AuditEntry]:
        """Who changed what the workspace is set to, the newest first."""
        return self._link.each(Call("GET", "/v1/audit", AuditEntryList), AuditEntryList)

    def usage(self, *, days: int = 30) -> TurnUsage:
        """Turns and tokens of the workspace in the last days, by day and by avatar."""
        return self._link.send(Call("GET", "/v1/turns:usage", TurnUsage, query={"days": days}))

    def keys(self) -> Iterator[ApiKey]:
        """The keys of the workspace, newest first. Of a key itself only the beginning is known."""
        return self._link.each(Call("GET", "/v1/keys", ApiKeyList), ApiKeyList)

    def key_holder(self) -> KeyHolder:
        """Whom the key of this client stands for, and what it may do."""
        return self._link.send(Call("GET", "/v1/keys:mine", KeyHolder))

    def make_key(
        self, name: str, *, scopes: Sequence[str] | None = None, new_avatar: str | None = None
    ) -> MadeApiKey:
        """Make a key, to read and write unless told otherwise. `key` is in this answer and in no other."""
        body = {"name": name, "scopes": None if scopes is None else list(scopes), "new_avatar": new_avatar}
        return self._link.send(Call("POST", "/v1/keys", MadeApiKey, body=body, once=True))

    def renew_key(self, key_id: str) -> MadeApiKey:
        """Give a key of your own another secret, which is in this answer and in no other.

        Without the scope `admin`, the key of this client alone: it is useless from then on.
        """
        ids = {"key_id": key_id}
        return self._link.send(Call("POST", "/v1/keys/{key_id}:renew", MadeApiKey, ids, once=True))

    def revoke_key(self, key_id: str) -> ApiKey:
        """Make a key useless from the next request on; without the scope `admin`, the key of this client."""
        return self._link.send(Call("DELETE", "/v1/keys/{key_id}", ApiKey, {"key_id": key_id}))

    def avatars(self) -> Iterator[AvatarCard]:
        """The people of the workspace, with their keys and connectors counted."""
        return self._link.each(Call("GET", "/v1/avatars", AvatarCardList), AvatarCardList)

    def delete_avatar(self, avatar_id: str, name: str, *, shared: str = "keep") -> AvatarReceipt:
        """Delete a person with all that is theirs, for ever. The name confirms it.

        What they shared with the workspace stays, unless `shared` is `delete`.
        """
        ids, query = {"avatar_id": avatar_id}, {"name": name, "shared": shared}
        return self._link.send(Call("DELETE", "/v1/avatars/{avatar_id}", AvatarReceipt, ids, query=query))

    def avatar_receipt(self, avatar_id: str) -> AvatarReceipt:
        """What has gone of a person who was deleted, store by store, and what stays."""
        return self._link.send(
            Call("GET", "/v1/avatars/{avatar_id}/receipt", AvatarReceipt, {"avatar_id": avatar_id})
        )

    def end_session(self, session_id: str) -> EndedSession:
        """Delete what was uploaded into the session. Each of the documents has a receipt."""
        return self._link.send(
            Call("DELETE", "/v1/sessions/{session_id}", EndedSession, {"session_id": session_id})
        )

    def close(self) -> None:
        """End its connections."""
        self._link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
