"""The address of a fetch, read once: what is checked here is what the connection is made from."""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address

import httpx

from footnote_shared.egress.errors import FetchRefused

LONGEST_URL = 4096
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_LONGEST_HOST = 253
_PORTS = {"http": 80, "https": 443}
_NO_HOST = "The host of the address is neither a name nor a plain IP address."


def read_target(written: str) -> httpx.URL:
    """The URL that may be looked up, without its fragment. Raises FetchRefused.

    Spellings that one reader takes for a name and the next one for an address are refused: octal, decimal
    and hexadecimal numbers, missing parts, zones.
    """
    if len(written) > LONGEST_URL:
        raise FetchRefused(f"The address is longer than {LONGEST_URL} characters.")
    try:
        url = httpx.URL(written.strip())
        # Whoever asks the URL for its host gets it decoded, and not every `xn--` label can be.
        has_host = bool(url.host)
    except (httpx.InvalidURL, UnicodeError) as error:
        raise FetchRefused("That is no address of the web.") from error
    if url.scheme not in _PORTS:
        raise FetchRefused("Only addresses that begin with http:// or https:// are fetched.")
    if url.userinfo:
        raise FetchRefused("An address that holds a name or a password is not fetched.")
    if not 0 < port_of(url) < 2**16:
        raise FetchRefused("The port of the address is none.")
    if not has_host:
        raise FetchRefused(_NO_HOST)
    _check_host(url.raw_host.decode("ascii"))
    return url.copy_with(fragment=None)


def origin_of(url: httpx.URL) -> tuple[str, str, int]:
    """Scheme, host and port: what a secret of the caller may be sent to."""
    return url.scheme, url.host, port_of(url)


def port_of(url: httpx.URL) -> int:
    """The port that the connection goes to."""
    return _PORTS[url.scheme] if url.port is None else url.port


def _check_host(host: str) -> None:
    refused = FetchRefused(_NO_HOST)
    if ":" in host:
        try:
            if IPv6Address(host).scope_id is not None:
                raise refused
        except AddressValueError as error:
            raise refused from error
        return
    labels = host.removesuffix(".").split(".")
    if len(host) > _LONGEST_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        raise refused
    if labels[-1].isdigit() or labels[-1].startswith("0x"):
        try:
            IPv4Address(host)
        except AddressValueError as error:
            raise refused from error
