"""What can go wrong, by who has to act.

ClientError
|- ServerError         the server answered with a problem document (RFC 9457)
|  |- RequestRefused      4xx: change the call
|  |- BusyServer       429 or 503: the same call can succeed later; it was tried as often as is allowed
|  `- BrokenServer     any other 5xx: the server's operator has to look
|- NoServer            nothing answers at the address, or it breaks off
|- WrongAnswer         what answers is not Footnote, or not as this client knows it
`- TurnEnded           a turn ended without a whole answer
"""

from collections.abc import Mapping, Sequence
from typing import Any


class ClientError(Exception):
    """Base of all errors of this client."""


class ServerError(ClientError):
    """The server refused. `status` is that of HTTP, `code` a word for programs, `errors` names fields."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after_s: float | None = None) -> None:
        self.status = status
        self.code = str(problem.get("code", ""))
        self.title = str(problem.get("title", ""))
        self.detail = str(problem.get("detail") or self.title or f"The server answered {status}.")
        told = problem.get("errors")
        told = told if isinstance(told, list) else []
        self.errors: Sequence[Mapping[str, str]] = [one for one in told if isinstance(one, dict)]
        self.retry_after_s = retry_after_s
        fields = "; ".join(f"{error.get('field')}: {error.get('message')}" for error in self.errors)
        super().__init__(f"{self.detail} ({fields})" if fields else self.detail)


class RequestRefused(ServerError):
    """The call is at fault; sent again unchanged it is refused again. 404: not there, or not yours."""


class BusyServer(ServerError):
    """Not possible right now. `retry_after_s` says when to ask again, where the server said so."""


class BrokenServer(ServerError):
    """Something went wrong in the server; its operator has to look."""


class NoServer(ClientError):
    """Nothing answers at the address, or the connection broke."""


class WrongAnswer(ClientError):
    """The answer has a shape that this client does not know."""


class TurnEnded(ClientError):
    """A turn failed or was cancelled. `text` is what there was of its answer, `problem` says why."""

    def __init__(self, status: str, text: str, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.text = text
        self.problem = problem
        super().__init__(str(problem.get("detail") or f"The turn was {status}."))


def server_error(status: int, problem: Mapping[str, Any], retry_after_s: float | None = None) -> ServerError:
    """The error for the status of an answer."""
    if status in (429, 503):
        return BusyServer(status, problem, retry_after_s)
    return (RequestRefused if 400 <= status < 500 else BrokenServer)(status, problem, retry_after_s)
