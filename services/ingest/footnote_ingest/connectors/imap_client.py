"""`imaplib` behind the guard: pinned to the address that was checked, and bounded in bytes and in time.

The library alone resolves the name itself, waits as long as a server drips, and keeps whatever it sends.
`imap-tools` sits on the same client, and reads what servers say by expressions that can backtrack.
"""

import imaplib
import socket
import ssl
import time
from collections.abc import Callable

_PIECE = 2**16


class GuardedClient(imaplib.IMAP4):
    """One connection. `allow` is to be called before each command.

    Raises `imaplib.IMAP4.error`, its `abort`, and OSError.
    """

    def __init__(self, connected: Callable[[], socket.socket], allowed_s: float, allowed_bytes: int) -> None:
        self._connected = connected
        self._left = bytearray()
        self._left_of: socket.socket | None = None
        self.allow(allowed_s, allowed_bytes)
        super().__init__()

    def allow(self, seconds: float, most_bytes: int) -> None:
        """What the answers to the next command may take."""
        self._ends_at = time.monotonic() + seconds
        self._most_bytes = most_bytes

    def open(self, host: str = "", port: int = 0, timeout: float | None = None) -> None:
        """Called by the library when it is made."""
        self.sock = self._connected()

    def read(self, size: int) -> bytes:
        """The bytes of a literal, as many as were announced."""
        if size > self._most_bytes:
            raise self.abort("The server sends more than was asked for.")
        while len(self._left) < size:
            self._receive()
        return self._taken(size)

    def readline(self) -> bytes:
        """A line with its end."""
        looked = 0
        while (end := self._left.find(b"\n", looked)) < 0:
            looked = len(self._left)
            self._receive()
        return self._taken(end + 1)

    def shutdown(self) -> None:
        """End the connection, whatever state it is in."""
        self.sock.close()

    def start_tls(self, context: ssl.SSLContext, host: str) -> None:
        """Go on under TLS. What came before it, unprotected, is thrown away."""
        done, _ = self._simple_command("STARTTLS")
        if done != "OK":
            raise self.error("The server refuses STARTTLS.")
        self.sock = context.wrap_socket(self.sock, server_hostname=host)
        self._tls_established = True
        self._left.clear()
        self.untagged_responses.clear()
        self._get_capabilities()

    def _receive(self) -> None:
        seconds = self._ends_at - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("The server did not answer in time.")
        self.sock.settimeout(seconds)
        piece = self.sock.recv(_PIECE)
        if not piece:
            raise self.abort("The server has ended the connection.")
        self._most_bytes -= len(piece)
        if self._most_bytes < 0:
            raise self.abort("The server sends more than was asked for.")
        self._left += piece

    def _taken(self, size: int) -> bytes:
        taken = bytes(self._left[:size])
        del self._left[:size]
        return taken
