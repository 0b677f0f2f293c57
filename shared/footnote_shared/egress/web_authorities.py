"""The authorities whose certificates are believed, whatever the environment says."""

import ssl
from functools import cache, partial

import httpx

from footnote_shared.kernel.late_authorities import LateAuthorities


@cache
def web_authorities() -> ssl.SSLContext:
    """Those of the web. All clients of a process share them, and they are read when TLS is first spoken."""
    return LateAuthorities(partial(httpx.create_ssl_context, trust_env=False))
