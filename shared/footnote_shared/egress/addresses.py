"""Which addresses the guard goes to: those of the public internet, and those that an operator allows.

The lists follow the special-purpose registries of IANA (RFC 6890 and its updates).
"""

from collections.abc import Iterable, Sequence
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from footnote_shared.kernel.errors import Misconfigured

Network = IPv4Network | IPv6Network

_REFUSED_V4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by the customers of a carrier
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # the host of a virtual machine at Azure
            "169.254.0.0/16",  # link-local, the metadata of most clouds among it
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # relays of 6to4
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)

_GLOBAL_V6 = IPv6Network("2000::/3")
"""All that is handed out. Mapped and translated addresses, local ones and multicast lie outside of it."""

_REFUSED_V6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments, Teredo among them
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4, which leads to an IPv4 address
            "3fff::/20",  # documentation
        ),
    )
)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address belongs to the public internet, and to it alone."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _REFUSED_V4)
    # An address with a zone is of this link, whatever its digits say.
    return (
        address.scope_id is None
        and address in _GLOBAL_V6
        and not any(address in network for network in _REFUSED_V6)
    )


def networks(written: str) -> tuple[Network, ...]:
    """Networks from a setting: addresses or CIDR ranges, separated by commas. Raises Misconfigured."""
    try:
        return tuple(ip_network(one.strip()) for one in written.split(",") if one.strip())
    except ValueError as error:
        raise Misconfigured(f"FOOTNOTE_EGRESS_ALLOW holds what is no network: {error}.") from error


def is_within(address: IPv4Address | IPv6Address, allowed: Sequence[Network]) -> bool:
    """Whether one of the networks holds the address."""
    return any(address.version == network.version and address in network for network in allowed)


def read_addresses(written: Iterable[str]) -> list[IPv4Address | IPv6Address]:
    """Addresses as a resolver gives them, each once. What is none is left out."""
    found: dict[IPv4Address | IPv6Address, None] = {}
    for one in written:
        try:
            found[ip_address(one)] = None
        except ValueError:
            continue
    return list(found)
