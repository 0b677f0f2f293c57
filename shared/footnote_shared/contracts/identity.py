"""Who is calling. One place makes it from a key or a signed call.

No field of a request reaches it but the session that the caller is in, which only adds what is its own.
"""

from typing import Literal

from footnote_shared.contracts.base import WireModel

Scope = Literal["read", "write", "admin"]

ServiceName = Literal["ingest", "retriever", "agent", "resolver"]
"""The four services, as they are called in addresses, tokens and logs."""


class Principal(WireModel):
    """The caller: a workspace (the tenant), an avatar in it, and what the key may do.

    `session_id` is the session that the caller says to be in (docs/adr/0065). It opens nothing but what this
    avatar itself has handed in under that name.
    """

    workspace_id: str
    avatar_id: str
    scopes: frozenset[Scope]
    groups: tuple[str, ...] = ()
    session_id: str | None = None

    def may(self, scope: Scope) -> bool:
        """Whether the caller has the scope; `admin` includes all, `write` includes `read`."""
        if "admin" in self.scopes:
            return True
        return scope in self.scopes or (scope == "read" and "write" in self.scopes)
