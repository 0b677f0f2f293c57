"""Which addresses and ports are gone to, and which spellings of them are read at all."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.egress.addresses import is_public, networks
from footnote_shared.egress.errors import FetchRefused
from footnote_shared.egress.policy import EgressPolicy, policy_of
from footnote_shared.egress.targets import read_target
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.access import AccessSettings

PRIVATE = (
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.168.1.1",
    "192.88.99.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "2606:4700::1%eth0",
    "fec0::1",
    "ff02::1",
)
PUBLIC = ("1.1.1.1", "8.8.8.8", "100.128.0.1", "172.32.0.1", "192.0.1.1", "2606:4700:4700::1111", "2a00::1")


@pytest.mark.parametrize("address", PRIVATE)
def test_what_is_not_of_the_public_internet_is_refused(address: str) -> None:
    assert not is_public(ip_address(address))
    with pytest.raises(FetchRefused, match="public internet"):
        EgressPolicy().checked("a.test", 443, [address])


@pytest.mark.parametrize("address", PUBLIC)
def test_the_public_internet_is_gone_to(address: str) -> None:
    assert EgressPolicy().checked("a.test", 443, [address]) == [address]


@given(st.ip_addresses())
def test_nothing_that_the_standard_library_calls_local_is_public(address: object) -> None:
    found = ip_address(str(address))
    if is_public(found):
        assert not found.is_private
        assert not found.is_link_local
        assert not found.is_multicast
        assert not found.is_reserved


class TestPolicy:
    def test_only_the_public_ones_of_several_addresses_are_gone_to(self) -> None:
        assert EgressPolicy().checked("a.test", 80, ["10.0.0.1", "1.1.1.1", "1.1.1.1"]) == ["1.1.1.1"]

    def test_a_port_that_is_not_of_the_web_is_refused(self) -> None:
        with pytest.raises(FetchRefused, match=r"Port 22 .* 80, 443, 8080, 8443"):
            EgressPolicy().checked("a.test", 22, ["1.1.1.1"])

    def test_a_network_that_an_operator_allows_is_gone_to_on_any_port(self) -> None:
        policy = policy_of(AccessSettings(egress_allow="10.0.0.0/8, fd00::/8"))
        assert policy.checked("a.test", 9200, ["10.0.0.1", "fd00::1"]) == ["10.0.0.1", "fd00::1"]
        with pytest.raises(FetchRefused):
            policy.checked("a.test", 443, ["192.168.0.1"])

    def test_a_server_that_the_operator_has_named_may_stand_anywhere(self) -> None:
        policy = EgressPolicy(trusted=frozenset({("search.intern", 8888)}))
        assert policy.checked("search.intern", 8888, ["10.0.0.1"]) == ["10.0.0.1"]
        for host, port in (("search.intern", 22), ("other.intern", 8888)):
            with pytest.raises(FetchRefused):
                policy.checked(host, port, ["10.0.0.1"])

    def test_settings_that_hold_something_else_are_refused(self) -> None:
        with pytest.raises(Misconfigured, match="FOOTNOTE_EGRESS_ALLOW"):
            networks("10.0.0.1/8")
        for ports in ("http", "0", "70000", "-1"):
            with pytest.raises(Misconfigured, match="FOOTNOTE_EGRESS_PORTS"):
                policy_of(AccessSettings(egress_ports=ports))


class TestSpelling:
    @pytest.mark.parametrize(
        "url",
        [
            "http://0177.0.0.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0x7f.1/",
            "http://127.1/",
            "http://127.0.0.1.1/",
            "http://01.1.1.1/",
            "http://[fe80::1%25eth0]/",
            "http://[::1/",
            "http://[1.1.1.1]/",
            "http://a..test/",
            "http://-a.test/",
            "http://a.test\\@b.test/",
            "http://a b.test/",
            "http://a\r\nHost: b/",
            "http://a.test:99999/",
            "http://a.test:0/",
            "http:///path",
            "http://" + "a" * 64 + ".test/",
            "http://" + "a." * 130 + "test/",
            "https://user@a.test/",
            "https://user:pass@a.test/",
            "https://:pass@a.test/",
            "ftp://a.test/",
            "file:///etc/passwd",
            "gopher://a.test/",
            "javascript:alert(1)",
            "//a.test/",
            "a.test",
            "",
            "http://a.test/" + "x" * 5000,
        ],
    )
    def test_what_can_be_read_in_two_ways_is_not_read(self, url: str) -> None:
        with pytest.raises(FetchRefused):
            read_target(url)

    @pytest.mark.parametrize(
        ("url", "read"),
        [
            ("HTTP://A.Test/x?y=1#z", "http://a.test/x?y=1"),
            ("https://a.test./", "https://a.test./"),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
            ("http://1.1.1.1:8080/", "http://1.1.1.1:8080/"),
            ("http://[2606:4700::1]/", "http://[2606:4700::1]/"),
            ("  https://a_b.test/  ", "https://a_b.test/"),
        ],
    )
    def test_plain_spellings_are_read(self, url: str, read: str) -> None:
        assert str(read_target(url)) == read

    @given(st.text(max_size=60))
    def test_whatever_is_written_is_read_or_refused(self, written: str) -> None:
        for url in (written, f"http://{written}", f"http://a.test/{written}"):
            try:
                target = read_target(url)
            except FetchRefused:
                continue
            assert target.scheme in ("http", "https")
            assert target.host
            assert not target.userinfo
