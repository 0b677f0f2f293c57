"""When the keys of an issuer are fetched, and how long they are good."""

import asyncio
import json
from dataclasses import dataclass, field

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from footnote_shared.kernel.errors import Unavailable
from footnote_shared.security.issuer_keys import APART_S, FRESH_S, KEPT_S, IssuerKeys


def published(*ids: str) -> bytes:
    public = Ed25519PrivateKey.generate().public_key()
    fields = jwt.get_algorithm_by_name("EdDSA").to_jwk(public, as_dict=True)
    return json.dumps({"keys": [{**fields, "kid": one} for one in ids]}).encode()


@dataclass
class Issuer:
    """What stands at the address of the keys. Empty: it does not answer."""

    body: bytes = published("a")
    asked: int = 0
    now: float = 1000.0
    keys: IssuerKeys = field(init=False)

    def __post_init__(self) -> None:
        self.keys = IssuerKeys(self._fetch, lambda: self.now)

    async def _fetch(self) -> bytes:
        self.asked += 1
        await asyncio.sleep(0)
        if not self.body:
            raise Unavailable("web", "away")
        return self.body

    async def knows(self, key_id: str, after_s: float = 0.0) -> bool:
        self.now += after_s
        return await self.keys.find(key_id) is not None


async def test_keys_are_fetched_once_for_all_who_come_together() -> None:
    issuer = Issuer()
    assert await asyncio.gather(*(issuer.knows("a") for _ in range(20))) == [True] * 20
    assert issuer.asked == 1


@pytest.mark.parametrize(("after_s", "asked"), [(FRESH_S - 1, 1), (FRESH_S, 2)])
async def test_keys_are_fetched_again_when_they_are_old(after_s: float, asked: int) -> None:
    issuer = Issuer()
    assert await issuer.knows("a")
    issuer.body = published("b")
    assert await issuer.knows("a", after_s) == (asked == 1)
    assert issuer.asked == asked


@pytest.mark.parametrize(("after_s", "asked"), [(APART_S - 1, 1), (APART_S, 2)])
async def test_made_up_ids_ask_the_issuer_no_more_than_now_and_then(after_s: float, asked: int) -> None:
    issuer = Issuer()
    assert await issuer.knows("a")
    issuer.body = published("a", "b")
    assert not await issuer.knows("x", after_s)
    assert not await issuer.knows("y")
    assert await issuer.knows("b") == (asked == 2)
    assert issuer.asked == asked


@pytest.mark.parametrize(("after_s", "good"), [(KEPT_S - 1, True), (KEPT_S, False)])
async def test_keys_are_good_for_a_day_while_the_issuer_is_away(after_s: float, good: bool) -> None:
    issuer = Issuer()
    assert await issuer.knows("a")
    issuer.body = b""
    if good:
        assert await issuer.knows("a", after_s)
    else:
        with pytest.raises(Unavailable):
            await issuer.knows("a", after_s)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"keys": 1}', b"[" * 60_000, b"\xff"])
async def test_what_is_no_set_of_keys_is_an_issuer_that_is_away(body: bytes) -> None:
    issuer = Issuer(body)
    with pytest.raises(Unavailable):
        await issuer.knows("a")


async def test_an_issuer_without_keys_is_no_issuer_that_is_away() -> None:
    assert not await Issuer(b'{"keys": []}').knows("a")


@pytest.mark.parametrize(
    "broken",
    [{"key_ops": 5}, {"key_ops": {"verify": 1}}, {"use": ["sig"]}, {"alg": []}, {"x": 7}, {"kty": {}}],
)
async def test_a_key_that_is_none_is_passed_over(broken: dict[str, object]) -> None:
    """One of them must not cost the others, whatever stands in it."""
    issuer = Issuer()
    (good,) = json.loads(published("good"))["keys"]
    issuer.body = json.dumps({"keys": [{**good, "kid": "broken", **broken}, good]}).encode()
    assert await issuer.knows("good")
    assert not await issuer.knows("broken")
