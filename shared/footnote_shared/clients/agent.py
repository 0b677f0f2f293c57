"""Client of the agent service."""

from footnote_shared.clients.base import ServiceClient, segment
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import ThreadMessage


class AgentClient(ServiceClient):
    service = "agent"

    async def message(self, principal: Principal, thread_id: str, message_id: str) -> ThreadMessage:
        """A message of one of the principal's own threads. Raises NotFound for any other."""
        path = f"/v1/threads/{segment(thread_id)}/messages/{segment(message_id)}"
        return await self.call(principal, "GET", path, ThreadMessage)
