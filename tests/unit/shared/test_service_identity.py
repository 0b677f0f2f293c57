"""Tokens with which one service tells another for whom it calls."""

import time

import jwt
import pytest

from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.security.service_identity import service_secret, sign, verify
from footnote_shared.settings.base import Settings

SECRET = "s" * 32
CALLER = Principal(workspace_id="w", avatar_id="a", scopes=frozenset({"read", "write"}), groups=("g",))


def test_a_token_gives_back_the_caller() -> None:
    assert verify(sign(CALLER, "agent", SECRET), "agent", SECRET) == CALLER
    within = CALLER.model_copy(update={"session_id": "visitor-0123456789abcdef"})
    assert verify(sign(within, "agent", SECRET), "agent", SECRET) == within


@pytest.mark.parametrize(("age_s", "good"), [(-25, True), (-35, False), (85, True), (95, False)])
def test_a_token_is_good_for_a_minute_between_clocks_half_a_minute_apart(age_s: float, good: bool) -> None:
    token = sign(CALLER, "agent", SECRET, now=time.time() - age_s)
    assert verify(token, "agent", SECRET) == (CALLER if good else None)


def test_a_token_that_was_good_is_refused_when_its_time_is_over() -> None:
    begun = time.time()
    token = sign(CALLER, "agent", SECRET, now=begun)
    assert verify(token, "agent", SECRET) == CALLER
    assert verify(token, "agent", SECRET, now=begun + 88) == CALLER
    assert verify(token, "agent", SECRET, now=begun + 91) is None
    assert verify(token, "resolver", SECRET) is None
    assert verify(token, "agent", "t" * 32) is None


@pytest.mark.parametrize(
    "token",
    [
        "",
        "nonsense",
        sign(CALLER, "agent", "t" * 32),
        sign(CALLER, "resolver", SECRET),
        sign(CALLER, "agent", SECRET)[:-2],
        jwt.encode({"ws": "w", "sub": "a", "scopes": [], "groups": [], "exp": time.time() + 60}, SECRET),
        jwt.encode({"aud": "footnote-agent"}, "", algorithm="none"),
    ],
    ids=["empty", "nonsense", "another secret", "for a neighbour", "cut off", "for nobody", "not signed"],
)
def test_a_token_that_is_not_ours_is_nobodys(token: str) -> None:
    assert verify(token, "agent", SECRET) is None


@pytest.mark.parametrize(
    ("said", "understood"),
    [
        ({"invented_later": 1}, True),
        ({"invented_later": 1, "must": ["session"]}, True),
        ({"invented_later": 1, "must": ["invented_later"]}, False),
        ({"must": ["invented_later"]}, False),
        ({"must": "scopes"}, False),
    ],
)
def test_what_a_newer_release_says_is_ignored_unless_it_has_to_be_understood(
    said: dict[str, object], understood: bool
) -> None:
    claims = jwt.decode(sign(CALLER, "agent", SECRET), options={"verify_signature": False})
    token = jwt.encode({**claims, **said}, SECRET, algorithm="HS256")
    assert verify(token, "agent", SECRET) == (CALLER if understood else None)


def test_a_short_secret_is_refused() -> None:
    assert service_secret(Settings(service_secret=SECRET)) == SECRET
    with pytest.raises(Misconfigured):
        service_secret(Settings(service_secret=SECRET[:-1]))
