"""Who is calling. One place makes it from a key or a signed call; no field of a request reaches it."""

from typing import Literal

from footnote_shared.contracts.base import WireModel

Scope = Literal["read", "write", "admin"]

ServiceName = Literal["ingest", "retriever", "agent", "resolver"]
"""The four services, as they are called in addresses, tokens and logs."""


class Principal(WireModel):
    """The caller: a workspace (the tenant), an avatar in it, and what the key may do."""

    workspace_id: str
    avatar_id: str
    scopes: frozenset[Scope]
    groups: tuple[str, ...] = ()

    def may(self, scope: Scope) -> bool:
        """Whether the caller has the scope; `admin` includes all, `write` includes `read`."""
        if "admin" in self.scopes:
            return True
        return scope in self.scopes or (scope == "read" and "write" in self.scopes)
