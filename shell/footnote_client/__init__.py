"""The Python client of Footnote: `Footnote`, and `AsyncFootnote` for asyncio (docs/howto/python-client.md).

It needs httpx and pydantic alone, and knows nothing of the server's code.
"""

from footnote_client.aio.client import AsyncFootnote
from footnote_client.aio.turn_stream import AsyncTurnStream
from footnote_client.answer import AnswerSoFar, WholeAnswer
from footnote_client.blocking.client import Footnote
from footnote_client.blocking.turn_stream import TurnStream
from footnote_client.errors import (
    BrokenServer,
    BusyServer,
    ClientError,
    NoServer,
    RequestRefused,
    ServerError,
    TurnEnded,
    WrongAnswer,
)
from footnote_client.retrying import RetryPatience
from footnote_client.sse import TurnEvent
from footnote_client.upload_file import UploadFile

__all__ = [
    "AnswerSoFar",
    "AsyncFootnote",
    "AsyncTurnStream",
    "BrokenServer",
    "BusyServer",
    "ClientError",
    "Footnote",
    "NoServer",
    "RequestRefused",
    "RetryPatience",
    "ServerError",
    "TurnEnded",
    "TurnEvent",
    "TurnStream",
    "UploadFile",
    "WholeAnswer",
    "WrongAnswer",
]
