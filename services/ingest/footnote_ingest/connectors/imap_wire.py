"""A mailbox over IMAP4rev1 (RFC 3501): folders, what is in them, and messages. Nothing there is changed."""

import imaplib
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from footnote_ingest.connectors.errors import OwnerMustAct, SourceDown
from footnote_ingest.connectors.imap_answers import (
    NotImap,
    Value,
    answers,
    arrival,
    flags,
    folder_name,
    named_values,
    number,
)
from footnote_ingest.connectors.imap_client import GuardedClient
from footnote_ingest.connectors.sockets import is_of_the_own_network, open_socket
from footnote_shared.contracts.connector_kinds import ImapConfig, ImapCredentials
from footnote_shared.egress.client import FetchLimits
from footnote_shared.egress.errors import FetchRefused
from footnote_shared.egress.policy import EgressPolicy
from footnote_shared.kernel.errors import Unavailable

_PORTS = frozenset({143, 993})
_SECONDS = 60.0
_MOST_LISTED_BYTES = 16 * 2**20
"""Bytes of one answer that lists. The numbers of a million messages fit in."""

_MOST_FOLDERS = 2000
_HEAD_BYTES = 4096
_HEAD = "BODY.PEEK[HEADER.FIELDS (MESSAGE-ID DATE FROM SUBJECT)]<0.{}>"
_LATER = ("[UNAVAILABLE]", "[INUSE]", "[LIMIT]", "[THROTTLED]", "[CONTACTADMIN]")
Said = Sequence[bytes | tuple[bytes, bytes] | None]
Answered = tuple[str, Said]
"""The server's last word, and what it said before as `imaplib` gives it."""

_A = TypeVar("_A")
_B = TypeVar("_B")


@dataclass(frozen=True, slots=True)
class MailFolder:
    """`raw` is the name as the server knows it, `name` as people read it, with `/` between its levels."""

    raw: str
    name: str
    marks: frozenset[str]


@dataclass(frozen=True, slots=True)
class MailFolderState:
    """Two equal ones of a folder hold the same messages: each that came raised `following`, each that went
    lowered `count`. Another `validity` gives all messages other numbers."""

    validity: int
    following: int
    count: int


@dataclass(frozen=True, slots=True)
class MailHead:
    """What is known of a message without reading it. `size` is in bytes, `head` the first of its headers."""

    number: int
    flags: frozenset[str]
    arrived: datetime | None
    size: int
    head: bytes


class ImapWire:
    """One account. Nothing is opened before it is asked for.

    `tls`: the authorities that are believed. Raises SourceDown and OwnerMustAct.
    """

    def __init__(
        self,
        config: ImapConfig,
        credentials: ImapCredentials,
        policy: EgressPolicy,
        limits: FetchLimits,
        *,
        tls: ssl.SSLContext,
        within_s: float | None = None,
    ) -> None:
        self._config = config
        self._credentials = credentials
        self._policy = policy
        self._limits = limits
        self._tls = tls
        self._ends_at = None if within_s is None else time.monotonic() + within_s
        self._client: GuardedClient | None = None
        self._chosen = ""
        self._validity = 0

    def folders(self) -> list[MailFolder]:
        """All folders that can hold messages."""
        found: list[MailFolder] = []
        for answer in self._values(self._done(self._ask(lambda client: client.list('""', '"*"')))):
            match answer:
                case [marks, bytes() as between, bytes() as raw]:
                    found += _folder(flags(marks), between, raw)
                case _:
                    raise _no_sense()
        if len(found) > _MOST_FOLDERS:
            raise OwnerMustAct(f"The account has more than {_MOST_FOLDERS} folders. Name some in `folders`.")
        return found

    def state(self, folder: MailFolder) -> MailFolderState:
        """What the folder holds now."""
        reply = self._done(
            self._ask(lambda client: client.status(_quoted(folder.raw), "(MESSAGES UIDNEXT UIDVALIDITY)"))
        )
        for answer in self._values(reply):
            said = _checked(named_values, answer)
            return MailFolderState(
                _checked(number, said.get("UIDVALIDITY")),
                _checked(number, said.get("UIDNEXT")),
                _checked(number, said.get("MESSAGES")),
            )
        raise _no_sense()

    def choose(self, folder: MailFolder) -> int:
        """Open the folder for reading alone, if it is not open; return its validity."""
        if self._chosen != folder.raw:
            self._chosen = ""
            self._done(self._ask(lambda client: self._examine(client, folder.raw)))
            self._chosen = folder.raw
        return self._validity

    def numbers(self, first: int, before: int) -> list[int]:
        """The messages of the open folder whose numbers lie between the two."""
        if first >= before:
            return []
        found: list[int] = []
        reply = self._done(self._ask(lambda client: client.uid("SEARCH", f"UID {first}:{before - 1}")))
        for answer in self._values(reply):
            found += [_checked(number, one) for one in answer]
        return sorted({one for one in found if first <= one < before})

    def heads(self, numbers: Sequence[int]) -> list[MailHead]:
        """What the server says of these messages of the open folder, as far as they are still there."""
        wanted = f"(UID FLAGS INTERNALDATE RFC822.SIZE {_HEAD.format(_HEAD_BYTES)})"
        reply = self._done(self._ask(lambda client: client.uid("FETCH", ",".join(map(str, numbers)), wanted)))
        found: dict[int, MailHead] = {}
        for answer in self._values(reply):
            said = _checked(named_values, answer)
            head = next((value for name, value in said.items() if name.startswith("BODY[")), None)
            # A server may tell of other changes in between, which name no message in full.
            if not isinstance(head, bytes) or "RFC822.SIZE" not in said or "UID" not in said:
                continue
            uid = _checked(number, said["UID"])
            found[uid] = MailHead(
                uid,
                _checked(flags, said.get("FLAGS")),
                arrival(said.get("INTERNALDATE")),
                _checked(number, said["RFC822.SIZE"]),
                head[:_HEAD_BYTES],
            )
        return [found[uid] for uid in numbers if uid in found]

    def message(self, uid: int) -> bytes | None:
        """A message of the open folder as it was sent; None if it has gone."""
        most = self._limits.max_bytes + _MOST_LISTED_BYTES
        reply = self._done(
            self._ask(lambda client: client.uid("FETCH", str(uid), "(UID BODY.PEEK[])"), most_bytes=most)
        )
        for answer in self._values(reply):
            said = _checked(named_values, answer)
            body = said.get("BODY[]")
            if isinstance(body, bytes) and said.get("UID") == str(uid).encode():
                return body
        return None

    def close(self) -> None:
        client, self._client, self._chosen = self._client, None, ""
        if client is not None:
            client.shutdown()

    def _examine(self, client: GuardedClient, raw: str) -> Answered:
        answered = client.select(_quoted(raw), readonly=True)
        said = client.response("UIDVALIDITY")[1]
        self._validity = _checked(number, said[-1] if said else None)
        return answered

    def _ask(
        self, command: Callable[[GuardedClient], Answered], most_bytes: int = _MOST_LISTED_BYTES
    ) -> Answered:
        """The server's word and its answers to one command."""
        try:
            client = self._client = self._client or self._connected()
            client.allow(self._seconds(), most_bytes)
            return command(client)
        except ssl.SSLCertVerificationError as error:
            raise OwnerMustAct(f"The certificate of {self._config.host} is not valid for it.") from error
        except (imaplib.IMAP4.abort, OSError) as error:
            self.close()
            raise SourceDown(f"{self._config.host} broke off, or did not answer in time.") from error
        except (imaplib.IMAP4.error, ValueError) as error:
            # The library reads numbers of any length, and text that is none, without a word.
            self.close()
            raise SourceDown(
                f"{self._config.host} does not take a command, or answers in no IMAP."
            ) from error

    def _done(self, answered: Answered) -> Said:
        done, reply = answered
        if done != "OK":
            raise SourceDown(f"{self._config.host} cannot do now what it is asked for.")
        return reply

    def _values(self, reply: Said) -> list[list[Value]]:
        return _checked(lambda said: list(answers(said)), reply)

    def _seconds(self) -> float:
        left = _SECONDS if self._ends_at is None else self._ends_at - time.monotonic()
        if left <= 0:
            raise SourceDown(f"{self._config.host} did not answer in time.")
        return min(_SECONDS, left)

    def _connected(self) -> GuardedClient:
        client = GuardedClient(self._opened, self._seconds(), _MOST_LISTED_BYTES)
        try:
            if self._config.encryption == "starttls":
                client.start_tls(self._tls, self._config.host)
            self._let_in(client)
        except BaseException:
            client.shutdown()
            raise
        return client

    def _opened(self) -> socket.socket:
        config = self._config
        try:
            plain = open_socket(
                config.host, config.port, self._policy, ports=_PORTS, timeout_s=min(10.0, self._seconds())
            )
        except FetchRefused as refused:
            raise OwnerMustAct(f"{config.host} is not asked: {refused.detail}") from refused
        except Unavailable as down:
            raise SourceDown(f"{config.host}: {down.detail}") from down
        try:
            if config.encryption == "none" and not is_of_the_own_network(plain, self._policy):
                raise OwnerMustAct(
                    "A password goes through the internet under TLS alone: change `encryption`."
                )
            if config.encryption == "tls":
                return self._tls.wrap_socket(plain, server_hostname=config.host)
        except BaseException:
            plain.close()
            raise
        return plain

    def _let_in(self, client: GuardedClient) -> None:
        """Say who we are. Raises OwnerMustAct where the server does not know us."""
        name, secret = self._credentials.username, self._credentials.password
        try:
            if "AUTH=PLAIN" in client.capabilities:
                said = f"\0{name}\0{secret}".encode()
                client.authenticate("PLAIN", lambda _: said)
            elif "LOGINDISABLED" in client.capabilities or not f"{name}{secret}".isascii():
                raise OwnerMustAct(
                    f"{self._config.host} takes no password like this. Look after `encryption`."
                )
            else:
                client.login(_quoted(name), secret)
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error as error:
            if any(word in str(error).upper() for word in _LATER):
                raise SourceDown(f"{self._config.host} lets nobody in now.") from error
            raise OwnerMustAct(
                f"{self._config.host} does not know the name or the password. Where the account has two "
                "factors, make a password for apps."
            ) from error


def _folder(marks: frozenset[str], between: bytes, raw: bytes) -> list[MailFolder]:
    """The folder if messages can be in it and its name can be said back to the server."""
    text = raw.decode("ascii", "replace")
    if "\\noselect" in marks or "\\nonexistent" in marks or not text.isprintable() or not text.isascii():
        return []
    name = folder_name(text)
    if between != b"NIL" and between not in (b"/", b""):
        parts = name.split(between.decode("ascii", "replace"))
        name = "/".join(part.replace("/", "∕") for part in parts)
    return [MailFolder(text, name, marks)]


def _quoted(raw: str) -> str:
    escaped = raw.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _checked(read: Callable[[_A], _B], said: _A) -> _B:
    """What the reader makes of it. Raises SourceDown for what is no answer of IMAP."""
    try:
        return read(said)
    except NotImap as error:
        raise _no_sense() from error


def _no_sense() -> SourceDown:
    return SourceDown("The server answers in no IMAP.")
