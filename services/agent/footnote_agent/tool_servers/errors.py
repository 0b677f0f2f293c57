"""How a server of tools fails, and who must act."""

from typing import Literal

from footnote_shared.kernel.errors import CallerError, Unavailable

PART = "tool_server"
"""Servers of tools in records and metrics."""

WhoActs = Literal["administrator", "operator", "server"]


class ToolServerRefused(CallerError):
    """The address is not permitted, or what is allowed of the server is not what it offers."""

    status = 422
    code = "tool_server_refused"
    title = "This server of tools cannot be used so"


class ToolChanged(CallerError):
    """The server describes a tool otherwise than when it was allowed. It is not called."""

    status = 409
    code = "tool_changed"
    title = "The tool is not what was allowed"


class ToolServerAway(Unavailable):
    """The server does not answer as it should. `who_acts` can change that.

    `made`: the call may have been made all the same. `rejected`: the server said that it did nothing.
    """

    code = "tool_server_away"
    title = "The server of tools does not answer as it should"

    def __init__(self, detail: str, *, who_acts: WhoActs = "server", rejected: bool = False) -> None:
        super().__init__(PART, detail, retry_after=30.0)
        self.who_acts: WhoActs = who_acts
        self.rejected = rejected
        self.made = False
