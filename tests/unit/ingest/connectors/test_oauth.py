"""Access tokens from a refresh token, against a service that gives and takes them."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from footnote_ingest.connectors.errors import OwnerMustAct, SourceBusy, SourceDown, SourceTrouble
from footnote_ingest.connectors.oauth import AccessTokens, GrantInHand, TokenService
from tests.unit.ingest.connectors.fake_drive import FakeDrive, answered
from tests.unit.ingest.connectors.in_process import InProcess
from tests.unit.ingest.connectors.local_site import LocalSite, Reply


@dataclass
class Moment:
    """A clock that the test sets."""

    at: datetime = field(default_factory=lambda: datetime(2026, 3, 20, 12, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
def service() -> FakeDrive:
    return FakeDrive(LocalSite("https://drive.example"))


def tokens_of(service: FakeDrive, moment: Moment, secret: str = "secret") -> AccessTokens:
    about = TokenService("Google", f"{service.site.url}/token", "id", secret)
    return AccessTokens(InProcess(service.site), about, GrantInHand(service.refresh_token), clock=moment)


def test_one_is_asked_for_when_it_is_needed_and_used_until_shortly_before_its_end(service: FakeDrive) -> None:
    moment = Moment()
    tokens = tokens_of(service, moment)
    assert service.tokens == []
    assert [tokens.current(), tokens.current()] == ["ya29.0", "ya29.0"]
    moment.at += timedelta(seconds=3600 - 91)
    assert tokens.current() == "ya29.0"
    moment.at += timedelta(seconds=1)
    assert tokens.current() == "ya29.1"


def test_a_refresh_token_that_the_service_replaces_is_the_one_that_is_used_next(service: FakeDrive) -> None:
    service.rotates = True
    moment = Moment()
    tokens = tokens_of(service, moment)
    for n in range(4):
        assert tokens.current() == f"ya29.{n}"
        moment.at += timedelta(hours=1)


def test_what_the_service_says_of_the_end_is_not_believed_beyond_a_day(service: FakeDrive) -> None:
    service.good_for = 10**9
    moment = Moment()
    tokens = tokens_of(service, moment)
    tokens.current()
    moment.at += timedelta(days=1)
    assert tokens.current() == "ya29.1"


def test_the_secrets_are_posted_and_stand_in_no_address(service: FakeDrive) -> None:
    tokens_of(service, Moment()).current()
    (request,) = service.site.asked
    assert request.query == ""
    assert b"client_secret=secret" in request.body
    assert b"refresh_token=1%2F%2Frefresh" in request.body


@pytest.mark.parametrize(
    ("reply", "kind", "said"),
    [
        (answered({"error": "invalid_grant"}, 400), OwnerMustAct, "consent"),
        (answered({"error": "invalid_client"}, 401), OwnerMustAct, "does not know the client"),
        (answered({"error": "unsupported_grant_type"}, 400), OwnerMustAct, "unsupported_grant_type"),
        (answered({"error": "temporarily_unavailable"}, 400), SourceDown, "no tokens now"),
        (Reply("<html>", 400), OwnerMustAct, "400"),
        (Reply("", 404), OwnerMustAct, "token_url"),
        (Reply("", 502), SourceDown, "does not work"),
        (Reply("", 429, headers={"retry-after": "5"}), SourceBusy, "left alone"),
        (answered({"token_type": "Bearer"}), SourceDown, "no token"),
        (answered({"access_token": "a\nb", "token_type": "Bearer"}), SourceDown, "no token"),
        (answered({"access_token": "a", "token_type": "mac"}), SourceDown, "no token"),
        (Reply('{"access_tok'), SourceDown, "read"),
    ],
)
def test_a_refusal_says_who_must_act_and_repeats_no_secret(
    service: FakeDrive, reply: Reply, kind: type[SourceTrouble], said: str
) -> None:
    service.before = lambda request: reply
    with pytest.raises(kind, match=said) as trouble:
        tokens_of(service, Moment()).current()
    assert "1//refresh" not in trouble.value.reason
    assert "secret" not in trouble.value.reason.replace("its secret", "")


def test_a_client_that_the_service_does_not_know_is_named(service: FakeDrive) -> None:
    with pytest.raises(OwnerMustAct, match="client"):
        tokens_of(service, Moment(), secret="another").current()
