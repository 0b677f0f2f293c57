"""A small IMAP4rev1 server on loopback (RFC 3501), with what a reader of mail uses, over TLS or not."""

import base64
import re
import socketserver
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from footnote_testing.loopback_server import LOOK_S

_SEARCHED = re.compile(r"UID (\d+):(\d+|\*)")
_PARTIAL = re.compile(r"BODY\.PEEK\[HEADER\.FIELDS \(([A-Z -]+)\)\]<0\.(\d+)>")


@dataclass
class ServedMail:
    """One message: its bytes, its flags, and when the server took it."""

    content: bytes
    flags: str = ""
    arrived: str = "01-Mar-2026 09:00:00 +0000"


@dataclass
class ServedFolder:
    """A folder, with the numbers that it gives. `marks` are the attributes that LIST names."""

    marks: str = ""
    validity: int = 7
    following: int = 1
    mails: dict[int, ServedMail] = field(default_factory=dict)


@dataclass
class LocalImap:
    """One account. `before` sees each command first: what it returns is sent in place of the answer, and
    with None the answer follows. `said` is every command, without its tag."""

    folders: dict[str, ServedFolder] = field(default_factory=lambda: {"INBOX": ServedFolder()})
    login: tuple[str, str] = ("ana@example.org", "geheim")
    capabilities: str = "IMAP4rev1 AUTH=PLAIN"
    before: Callable[[str], bytes | None] = lambda command: None
    said: list[str] = field(default_factory=list)
    tls: ssl.SSLContext | None = None
    before_tls: bytes = b""
    port: int = 0

    def put(self, content: bytes, folder: str = "INBOX", **about: str) -> int:
        """A new message; returns its number."""
        into = self.folders[folder]
        uid, into.following = into.following, into.following + 1
        into.mails[uid] = ServedMail(content, **about)
        return uid

    def move(self, uid: int, folder: str, to: str) -> int:
        """Move a message, which keeps its flags and its moment; returns its number there."""
        mail = self.folders[folder].mails.pop(uid)
        return self.put(mail.content, to, flags=mail.flags, arrived=mail.arrived)


class _Session(socketserver.StreamRequestHandler):
    """One connection."""

    account: LocalImap

    def handle(self) -> None:
        self.known = False
        self.chosen: ServedFolder | None = None
        self.wfile.write(f"* OK [CAPABILITY {self.account.capabilities}] ready\r\n".encode())
        while line := self.rfile.readline():
            tag, _, command = line.decode("utf-8", "replace").strip().partition(" ")
            self.account.said.append(command)
            instead = self.account.before(command)
            if instead is not None:
                self.wfile.write(instead.replace(b"TAG", tag.encode()))
                if not instead or instead.startswith(b"* BYE"):
                    return
                continue
            if not self._answer(tag, command):
                return

    def _answer(self, tag: str, command: str) -> bool:
        name, _, rest = command.partition(" ")
        match name.upper():
            case "CAPABILITY":
                self._say(f"* CAPABILITY {self.account.capabilities}", f"{tag} OK done")
            case "LOGOUT":
                self._say("* BYE", f"{tag} OK done")
                return False
            case "STARTTLS" if self.account.tls is not None:
                letters = tag.rstrip("0123456789")
                following = f"{letters}{int(tag.removeprefix(letters)) + 1}"
                said_between = self.account.before_tls.replace(b"NEXT", following.encode())
                self.wfile.write(f"{tag} OK begin\r\n".encode() + said_between)
                self.request = self.account.tls.wrap_socket(self.request, server_side=True)
                self.setup()
            case "LOGIN":
                name, _, secret = rest.partition('" "')
                self._let_in(tag, name.strip('"'), secret.strip('"'))
            case "AUTHENTICATE":
                self._say("+ ")
                _, username, password = base64.b64decode(self.rfile.readline()).decode().split("\0")
                self._let_in(tag, username, password)
            case _ if not self.known:
                self._say(f"{tag} NO [AUTHENTICATIONFAILED] who are you")
            case "LIST":
                lines = [f'* LIST ({one.marks}) "." "{raw}"' for raw, one in self.account.folders.items()]
                self._say(*lines, f"{tag} OK done")
            case "STATUS":
                self._status(tag, rest)
            case "EXAMINE":
                self._examine(tag, rest)
            case "UID" if self.chosen is not None:
                self._uid(tag, rest, self.chosen)
            case _:
                self._say(f"{tag} BAD what is that")
        return True

    def _let_in(self, tag: str, username: str, password: str) -> None:
        self.known = (username, password) == self.account.login
        self._say(f"{tag} OK done" if self.known else f"{tag} NO [AUTHENTICATIONFAILED] wrong")

    def _status(self, tag: str, rest: str) -> None:
        raw = rest.rpartition(" (")[0]
        folder = self.account.folders.get(raw.strip('"'))
        if folder is None:
            self._say(f"{tag} NO [NONEXISTENT] no such folder")
            return
        facts = f"MESSAGES {len(folder.mails)} UIDNEXT {folder.following} UIDVALIDITY {folder.validity}"
        self._say(f"* STATUS {raw} ({facts})", f"{tag} OK done")

    def _examine(self, tag: str, rest: str) -> None:
        folder = self.chosen = self.account.folders.get(rest.strip('"'))
        if folder is None:
            self._say(f"{tag} NO [NONEXISTENT] no such folder")
            return
        self._say(
            "* FLAGS (\\Seen \\Deleted)",
            f"* {len(folder.mails)} EXISTS",
            f"* OK [UIDVALIDITY {folder.validity}] is",
            f"* OK [UIDNEXT {folder.following}] is",
            f"{tag} OK [READ-ONLY] done",
        )

    def _uid(self, tag: str, rest: str, folder: ServedFolder) -> None:
        command, _, asked = rest.partition(" ")
        if command == "SEARCH":
            found = _SEARCHED.match(asked)
            assert found is not None
            first, last = sorted(map(int, found.groups()))
            numbers = " ".join(str(uid) for uid in folder.mails if first <= uid <= last)
            self._say(f"* SEARCH {numbers}".rstrip(), f"{tag} OK done")
            return
        numbers, _, wanted = asked.partition(" ")
        for uid in map(int, numbers.split(",")):
            if uid in folder.mails:
                place = list(folder.mails).index(uid) + 1
                self.wfile.write(_fetched(place, uid, folder.mails[uid], wanted))
        self._say(f"{tag} OK done")

    def _say(self, *lines: str) -> None:
        self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())


def _fetched(place: int, uid: int, mail: ServedMail, wanted: str) -> bytes:
    head = _PARTIAL.search(wanted)
    if head is None:
        name, body = "BODY[]", mail.content
        facts = f"UID {uid}"
    else:
        name, body = f"BODY[HEADER.FIELDS ({head[1]})]<0>", _head(mail.content, head[1].split())
        body = body[: int(head[2])]
        facts = (
            f'UID {uid} FLAGS ({mail.flags}) INTERNALDATE "{mail.arrived}" RFC822.SIZE {len(mail.content)}'
        )
    return f"* {place} FETCH ({facts} {name} {{{len(body)}}}\r\n".encode() + body + b")\r\n"


def _head(content: bytes, names: list[str]) -> bytes:
    """The headers of these names, with the lines that go on, and the empty line that ends them."""
    kept, taking = [], False
    for line in content.partition(b"\r\n\r\n")[0].split(b"\r\n"):
        if not line[:1].isspace():
            taking = line.partition(b":")[0].decode("ascii", "replace").upper() in names
        if taking:
            kept.append(line + b"\r\n")
    return b"".join(kept) + b"\r\n"


@contextmanager
def serving_mail(account: LocalImap | None = None, *, implicit_tls: bool = False) -> Iterator[LocalImap]:
    """The account while its server runs. With `implicit_tls` its first byte is under TLS already."""
    served = account or LocalImap()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

        def get_request(self) -> tuple[Any, Any]:
            connection, address = self.socket.accept()
            if implicit_tls:
                assert served.tls is not None
                connection.settimeout(30)
                return served.tls.wrap_socket(connection, server_side=True), address
            return connection, address

        def handle_error(self, request: Any, client_address: Any) -> None:
            if not isinstance(sys.exception(), (ConnectionError, ssl.SSLError)):
                super().handle_error(request, client_address)

    handler = type("Session", (_Session,), {"account": served})
    with Server(("127.0.0.1", 0), handler) as server:
        served.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, args=(LOOK_S,), daemon=True).start()
        yield served
        server.shutdown()
