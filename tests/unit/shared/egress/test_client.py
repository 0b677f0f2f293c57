"""The guarded client against sites that lead elsewhere, never end, or send what they should not."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from ipaddress import ip_network
from pathlib import Path

import pytest

from footnote_shared.egress.client import EgressClient, FetchAsked, FetchLimits, Validators
from footnote_shared.egress.errors import FetchedTooMuch, FetchRefused, SiteFailed, SiteTooSlow
from footnote_shared.egress.policy import EgressPolicy
from footnote_testing.raw_site import RawSite, moved, plain, serving
from footnote_testing.self_signed import certificate

HERE = EgressPolicy(allowed=(ip_network("127.0.0.1/32"),))


class Names:
    """A resolver whose answers change with each look-up; the last one stays."""

    def __init__(self, **answers: Sequence[str]) -> None:
        self._answers = {name: list(found) for name, found in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        found = self._answers.get(host.partition(".")[0])
        if found is None:
            return [host]
        return [found.pop(0) if len(found) > 1 else found[0]]


@asynccontextmanager
async def client(names: Names | None = None, policy: EgressPolicy = HERE) -> AsyncIterator[EgressClient]:
    made = EgressClient(policy, names or Names())
    try:
        yield made
    finally:
        await made.aclose()


async def fetched(site: RawSite, path: str, limits: FetchLimits | None = None) -> bytes:
    async with client() as egress:
        return (await egress.fetch(site.url + path, limits)).body


async def test_a_page_is_fetched_with_what_its_site_says_of_it() -> None:
    page = plain("Grüße".encode("latin-1"), kind="text/html; charset=latin1", ETag='"1"')
    async with serving({"/a": page}) as site, client() as egress:
        answer = await egress.fetch(f"{site.url}/a?b=c#d")
    assert (answer.status, answer.media_type, answer.text) == (200, "text/html", "Grüße")
    assert answer.url == f"{site.url}/a?b=c"
    assert answer.validators == Validators('"1"', "")
    sent = site.requests[0]
    assert (sent.method, sent.path) == ("GET", "/a?b=c")
    assert sent.headers["host"] == f"127.0.0.1:{site.port}"
    assert sent.headers["accept-encoding"] == "gzip"


async def test_a_site_that_refuses_is_answered_with_its_status() -> None:
    async with serving() as site, client() as egress:
        assert (await egress.fetch(f"{site.url}/nothing")).status == 404


async def test_a_page_that_was_seen_is_not_sent_again() -> None:
    unchanged = plain(b"", status="304 Not Modified")
    async with serving({"/a": unchanged}) as site, client() as egress:
        seen = Validators('"1"', "Sun, 06 Nov 1994 08:49:37 GMT")
        answer = await egress.send(FetchAsked(f"{site.url}/a", seen=seen))
    assert answer.unchanged
    assert site.requests[0].headers["if-none-match"] == '"1"'
    assert site.requests[0].headers["if-modified-since"] == "Sun, 06 Nov 1994 08:49:37 GMT"


async def test_a_request_with_a_body_is_sent_and_sent_on_by_nobody() -> None:
    answers = {"/a": plain(b"{}"), "/b": moved("/a", "307 Temporary Redirect")}
    async with serving(answers) as site, client() as egress:
        await egress.send(FetchAsked(f"{site.url}/a", "POST", {"X-Key": "k"}, b'{"q": 1}'))
        with pytest.raises(FetchRefused):
            await egress.send(FetchAsked(f"{site.url}/b", "POST", content=b"{}"))
    assert [request.path for request in site.requests] == ["/a", "/b"]
    assert (site.requests[0].body, site.requests[0].headers["x-key"]) == (b'{"q": 1}', "k")


async def test_an_answer_that_stands_elsewhere_does_not_say_that_nothing_was_done() -> None:
    async with serving({"/b": moved("/a", "303 See Other")}) as site, client() as egress:
        with pytest.raises(SiteFailed):
            await egress.send(FetchAsked(f"{site.url}/b", "POST", content=b"{}"))
    assert [request.path for request in site.requests] == ["/b"]


class TestWhereItGoes:
    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", "10.0.0.1"])
    async def test_without_leave_of_the_operator_nothing_local_is_reached(self, host: str) -> None:
        names = Names(localhost=["127.0.0.1"])
        async with serving({"/": plain(b"secret")}) as site, client(names, EgressPolicy()) as egress:
            with pytest.raises(FetchRefused):
                await egress.fetch(f"http://{host}:{site.port}/")
        assert site.connections == 0

    @pytest.mark.parametrize(
        "where",
        [
            "http://127.0.0.2/",
            "http://169.254.169.254/latest/meta-data/",
            "//10.0.0.1/",
            "http://inside.test/",
            "http://[::ffff:127.0.0.1]/",
            "http://2130706433/",
            "file:///etc/passwd",
            "http://user:pass@127.0.0.1/",
            "http://[",
        ],
    )
    async def test_no_redirect_leads_inside(self, where: str) -> None:
        names = Names(inside=["192.168.0.1"])
        async with serving({"/": moved(where), "/hop": moved("/")}) as site, client(names) as egress:
            with pytest.raises((FetchRefused, SiteFailed)):
                await egress.fetch(f"{site.url}/hop")
        assert len(site.requests) == 2

    async def test_redirects_are_followed_until_there_are_too_many(self) -> None:
        answers = {f"/{n}": moved(f"/{n + 1}") for n in range(9)}
        async with serving({**answers, "/9": plain(b"end")}) as site, client() as egress:
            answer = await egress.fetch(f"{site.url}/4")
            assert (answer.url, answer.body) == (f"{site.url}/9", b"end")
            with pytest.raises(FetchRefused, match="more than 5 times"):
                await egress.fetch(f"{site.url}/3")

    async def test_a_name_that_changes_its_address_gains_nothing(self) -> None:
        names = Names(rebinding=["127.0.0.1", "127.0.0.2"])
        answers = {"/": moved("/again"), "/again": plain(b"inside")}
        async with serving(answers) as site, client(names) as egress:
            with pytest.raises(FetchRefused):
                await egress.fetch(f"http://rebinding.test:{site.port}/")
        assert names.asked == ["rebinding.test", "rebinding.test"], "one look-up for each connection"
        assert [request.path for request in site.requests] == ["/"]
        assert site.requests[0].headers["host"] == f"rebinding.test:{site.port}"

    async def test_a_name_that_leads_nowhere_is_a_failing_site(self) -> None:
        async def unknown(host: str) -> Sequence[str]:
            raise OSError(host)

        for resolve in (unknown, Names(a=[""])):
            egress = EgressClient(HERE, resolve)
            with pytest.raises(SiteFailed):
                await egress.fetch("http://a.test/")

    async def test_secrets_and_versions_stay_with_the_origin_that_they_are_for(self) -> None:
        async with serving({"/": plain(b"there")}) as there, serving() as here, client() as egress:
            here.answers["/"] = moved(f"{there.url}/")
            asked = FetchAsked(f"{here.url}/", headers={"Authorization": "k"}, seen=Validators('"1"'))
            assert (await egress.send(asked)).body == b"there"
        assert here.requests[0].headers["authorization"] == "k"
        assert not {"authorization", "if-none-match"} & there.requests[0].headers.keys()

    async def test_cookies_are_not_kept(self) -> None:
        async with serving({"/": moved("/b"), "/b": plain(b"", Set_Cookie="a=b")}) as site:
            site.answers["/"] = plain(b"", status="302 Found", Location="/b", Set_Cookie="a=b; Path=/")
            async with client() as egress:
                await egress.fetch(f"{site.url}/")
                await egress.fetch(f"{site.url}/")
        assert len(site.requests) == 4
        assert not any("cookie" in request.headers for request in site.requests)

    async def test_a_proxy_of_the_environment_is_not_asked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async with serving({"/": plain(b"direct")}) as site, serving() as proxy:
            for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
                monkeypatch.setenv(name, proxy.url)
            assert await fetched(site, "/") == b"direct"
        assert proxy.connections == 0


class TestWhatItBears:
    async def test_an_endless_body_ends_at_the_limit(self) -> None:
        async def endless(writer: asyncio.StreamWriter) -> None:
            writer.write(plain(b""))
            while True:
                writer.write(b"x" * 10_000)
                await writer.drain()

        async with serving({"/": endless}) as site:
            with pytest.raises(FetchedTooMuch, match="100000 bytes"):
                await fetched(site, "/", FetchLimits(max_bytes=100_000))

    async def test_a_length_beyond_the_limit_is_not_waited_for(self) -> None:
        async with serving({"/": plain(b"", Content_Length="99999999999")}) as site:
            with pytest.raises(FetchedTooMuch):
                await fetched(site, "/")

    async def test_a_decompression_bomb_ends_at_the_limit(self) -> None:
        bomb = gzip.compress(b"\0" * (50 * 2**20))
        async with serving({"/": plain(bomb, Content_Encoding="gzip")}) as site:
            with pytest.raises(FetchedTooMuch):
                await fetched(site, "/", FetchLimits(max_bytes=2**20))

    async def test_a_packed_body_is_unpacked(self) -> None:
        async with serving({"/": plain(gzip.compress(b"hello" * 50_000), Content_Encoding="gzip")}) as site:
            assert await fetched(site, "/") == b"hello" * 50_000

    @pytest.mark.parametrize("sent", ["nothing", "head", "body"])
    async def test_a_site_that_stalls_is_given_up(self, sent: str) -> None:
        async def stalled(writer: asyncio.StreamWriter) -> None:
            head = plain(b"some", Content_Length="1000")
            writer.write({"nothing": b"", "head": head[:20], "body": head}[sent])
            await writer.drain()
            await asyncio.Event().wait()

        async with serving({"/": stalled}) as site:
            with pytest.raises(SiteTooSlow, match=r"0\.2 seconds"):
                await fetched(site, "/", FetchLimits(total_s=0.2))

    async def test_a_body_that_trickles_is_given_up_too(self) -> None:
        async def trickle(writer: asyncio.StreamWriter) -> None:
            writer.write(plain(b""))
            while True:
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.01)

        async with serving({"/": trickle}) as site:
            with pytest.raises(SiteTooSlow):
                await fetched(site, "/", FetchLimits(total_s=0.3))

    @pytest.mark.parametrize(
        "sent",
        [
            b"",
            b"no http\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 50_000 + b"\r\n",
            plain(b"packed", Content_Encoding="br"),
            plain(b"no gzip", Content_Encoding="gzip"),
        ],
        ids=["nothing", "no-http", "short", "wrong-chunk", "endless-head", "brotli", "no-gzip"],
    )
    async def test_what_is_no_proper_answer_is_a_failing_site(self, sent: bytes) -> None:
        async with serving({"/": sent}) as site:
            with pytest.raises(SiteFailed):
                await fetched(site, "/")

    async def test_a_port_where_nobody_listens_is_a_failing_site(self) -> None:
        async with serving() as site:
            gone = site.port
        async with client() as egress:
            with pytest.raises(SiteFailed):
                await egress.fetch(f"http://127.0.0.1:{gone}/")

    async def test_other_tasks_run_while_a_body_comes_in_tiny_pieces(self) -> None:
        pieces = b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n"
        answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + pieces
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        async with serving({"/": answer}) as site:
            beside = asyncio.create_task(other())
            assert len(await fetched(site, "/", FetchLimits(total_s=300))) == 20_000
            beside.cancel()
        assert turns > 100


class TestTls:
    async def test_the_name_that_was_asked_for_is_the_one_that_is_proved(self, tmp_path: Path) -> None:
        server, authority = certificate("site.test", tmp_path)
        names = Names(site=["127.0.0.1"], other=["127.0.0.1"])
        async with serving({"/": plain(b"sealed")}, tls=server) as site:
            egress = EgressClient(HERE, names, authority)
            assert (await egress.fetch(f"https://site.test:{site.port}/")).body == b"sealed"
            with pytest.raises(SiteFailed, match=r"certificate is not good: Hostname mismatch.*other\.test"):
                await egress.fetch(f"https://other.test:{site.port}/")
            await egress.aclose()

    async def test_a_certificate_that_has_expired_is_named_as_such(self, tmp_path: Path) -> None:
        server, authority = certificate("site.test", tmp_path, expired=True)
        async with serving({"/": plain(b"sealed")}, tls=server) as site:
            egress = EgressClient(HERE, Names(site=["127.0.0.1"]), authority)
            with pytest.raises(SiteFailed, match=r"expired\. Whoever runs the site has to mend it"):
                await egress.fetch(f"https://site.test:{site.port}/")
            await egress.aclose()
        assert site.requests == []

    async def test_a_certificate_of_nobody_is_not_believed(self, tmp_path: Path) -> None:
        server, _ = certificate("site.test", tmp_path)
        async with (
            serving({"/": plain(b"sealed")}, tls=server) as site,
            client(Names(site=["127.0.0.1"])) as egress,
        ):
            with pytest.raises(SiteFailed, match="certificate is not good: self-signed"):
                await egress.fetch(f"https://site.test:{site.port}/")
