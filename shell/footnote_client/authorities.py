"""Whom a client believes over TLS."""

import ssl

import httpx

_NOBODY = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def authorities_for(url: str) -> ssl.SSLContext | bool:
    """What httpx takes as `verify`: whom it believes by default, and nobody where no TLS is spoken.

    To read the authorities of the web takes some 20 ms of a processor.
    """
    return _NOBODY if httpx.URL(url).scheme == "http" else True
