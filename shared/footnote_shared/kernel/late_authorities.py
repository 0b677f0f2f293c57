"""Authorities of TLS that are read when TLS is first spoken.

To read those of the web takes some 20 ms of a processor. Many a client never needs them: it speaks plain HTTP
to a service, a store or a model beside it.
"""

import ssl
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, Self


class LateAuthorities(ssl.SSLContext):
    """Connects as the context does that `read` returns, which is called for the first connection.

    For the client's side alone. What is set here, but for the protocols, is not handed on.
    """

    def __new__(cls, *_: object) -> Self:
        return super().__new__(cls, ssl.PROTOCOL_TLS_CLIENT)

    def __init__(self, read: Callable[[], ssl.SSLContext]) -> None:
        self._read = read
        self._protocols: list[str] | None = None

    def set_alpn_protocols(self, alpn_protocols: Iterable[str]) -> None:
        """The protocols that the next connections offer. It reads nothing: it is called on event loops."""
        self._protocols = list(alpn_protocols)

    def wrap_socket(self, *given: Any, **named: Any) -> ssl.SSLSocket:
        return self._ready().wrap_socket(*given, **named)

    def wrap_bio(self, *given: Any, **named: Any) -> ssl.SSLObject:
        return self._ready().wrap_bio(*given, **named)

    def _ready(self) -> ssl.SSLContext:
        if self._protocols is not None:
            self._known.set_alpn_protocols(self._protocols)
        return self._known

    @cached_property
    def _known(self) -> ssl.SSLContext:
        return self._read()
