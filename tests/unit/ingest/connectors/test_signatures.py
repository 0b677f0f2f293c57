"""Signatures of web hooks: who knows the secret comes in, within a window of time, under either secret."""

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta

import pytest

from footnote_ingest.connectors.notion_hooks import notion_event, offered_token
from footnote_ingest.connectors.signatures import (
    Scheme,
    SignedHook,
    channel_token,
    check_signature,
    scheme_of,
)
from footnote_ingest.connectors.slack_hooks import SlackWord, slack_word

MOMENT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
WINDOW = timedelta(seconds=300)
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_" + base64.b64encode(b"another key of 24 bytes!").decode()


def check(
    headers: dict[str, str], body: bytes, *secrets: str, scheme: Scheme = "standard"
) -> SignedHook | None:
    return check_signature(scheme, headers, body, secrets or (SECRET,), MOMENT, WINDOW)


def signed(body: bytes, secret: str = SECRET, event: str = "msg_1", shift_s: int = 0) -> dict[str, str]:
    stamp = str(int(MOMENT.timestamp()) + shift_s)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{event}.{stamp}.".encode() + body, hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(digest).decode()}"
    return {"webhook-id": event, "webhook-timestamp": stamp, "webhook-signature": signature}


def test_the_example_of_the_specification_is_good() -> None:
    headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    sent = datetime.fromtimestamp(1614265330, UTC)
    found = check_signature("standard", headers, b'{"test": 2432232314}', [SECRET], sent, WINDOW)
    assert found == SignedHook("msg_p5jXN8AQM9LWM0D4loKWxJek", sent)


def test_either_of_two_secrets_is_good_and_a_third_is_not() -> None:
    body = b"{}"
    assert check(signed(body), body, OTHER, SECRET)
    assert check(signed(body, OTHER), body, OTHER, SECRET)
    assert check(signed(body, OTHER), body, SECRET) is None


def test_one_of_several_signatures_is_enough() -> None:
    body = b"{}"
    headers = signed(body)
    headers["webhook-signature"] = f"v1a,xyz v1,bm9uc2Vuc2U= {headers['webhook-signature']}"
    assert check(headers, body)


@pytest.mark.parametrize("shift_s", [-300, 0, 300])
def test_a_moment_within_the_window_is_good(shift_s: int) -> None:
    assert check(signed(b"{}", shift_s=shift_s), b"{}")


@pytest.mark.parametrize("shift_s", [-301, 301])
def test_a_moment_outside_of_it_is_not(shift_s: int) -> None:
    assert check(signed(b"{}", shift_s=shift_s), b"{}") is None


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("webhook-id", "msg_2"),
        ("webhook-id", ""),
        ("webhook-id", "x" * 201),
        ("webhook-timestamp", "1772366401"),
        ("webhook-timestamp", "9" * 400),
        ("webhook-timestamp", "-1"),
        ("webhook-timestamp", "²"),
        ("webhook-timestamp", ""),
        ("webhook-signature", ""),
        ("webhook-signature", "v1,"),
        ("webhook-signature", "v1,é"),
        ("webhook-signature", "v1,\udce9"),
    ],
)
def test_whatever_is_changed_makes_it_bad(header: str, value: str) -> None:
    assert check({**signed(b"{}"), header: value}, b"{}") is None
    assert check(signed(b"{}"), b"{} ") is None


def test_github_signs_the_body_and_its_delivery_is_the_event() -> None:
    body = b'{"zen": "Keep it logically awesome."}'
    digest = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    headers = {"x-hub-signature-256": f"sha256={digest}", "x-github-delivery": "72d3162e-cc78"}
    assert check(headers, body, OTHER, SECRET, scheme="github") == SignedHook("72d3162e-cc78", MOMENT)
    assert check(headers, body + b" ", scheme="github") is None
    assert check({**headers, "x-github-delivery": ""}, body, scheme="github") is None
    assert check({"x-github-delivery": "1"}, body, scheme="github") is None


def slack_signed(body: bytes, secret: str = SECRET, shift_s: int = 0) -> dict[str, str]:
    stamp = str(int(MOMENT.timestamp()) + shift_s)
    digest = hmac.new(secret.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
    return {"x-slack-request-timestamp": stamp, "x-slack-signature": f"v0={digest}"}


def test_the_example_of_slack_is_good() -> None:
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V"
        b"&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text="
        b"&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554"
        b"%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    )
    given = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
    headers = {"x-slack-request-timestamp": "1531420618", "x-slack-signature": given}
    sent = datetime.fromtimestamp(1531420618, UTC)
    secrets = ["8f742231b10e8888abcd99yyyzzz85a5"]
    assert check_signature("slack", headers, body, secrets, sent, WINDOW) == SignedHook(given, sent)


def test_slack_signs_the_moment_too() -> None:
    body = b'{"type": "event_callback"}'
    assert check(slack_signed(body), body, OTHER, SECRET, scheme="slack")
    assert check(slack_signed(body, shift_s=-300), body, scheme="slack")
    assert check(slack_signed(body, shift_s=-301), body, scheme="slack") is None
    assert check(slack_signed(body), body + b" ", scheme="slack") is None
    assert (
        check({**slack_signed(body), "x-slack-request-timestamp": "1772366401"}, body, scheme="slack") is None
    )
    assert check({**slack_signed(body), "x-slack-signature": ""}, body, scheme="slack") is None
    assert check({"x-slack-signature": "v0=\udce9"}, body, scheme="slack") is None


@pytest.mark.parametrize(
    ("headers", "scheme"),
    [
        ({"x-hub-signature-256": "", "x-slack-signature": ""}, "github"),
        ({"x-slack-signature": "", "webhook-id": "1"}, "slack"),
        ({"x-notion-signature": "", "webhook-id": "1"}, "notion"),
        ({"x-goog-channel-token": "", "webhook-id": "1"}, "google"),
        ({"webhook-id": "1"}, "standard"),
        ({}, "standard"),
    ],
)
def test_the_headers_tell_the_scheme(headers: dict[str, str], scheme: str) -> None:
    assert scheme_of(headers) == scheme


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ({"type": "url_verification", "challenge": "3eZbrw"}, SlackWord("3eZbrw", "")),
        ({"type": "event_callback", "event_id": "Ev08", "challenge": "no"}, SlackWord("", "Ev08")),
        ({"type": "event_callback", "event_id": "Ä"}, SlackWord("", "")),
        ({"type": ["url_verification"], "event_id": 7}, SlackWord("", "")),
        ({"type": "url_verification", "challenge": None}, SlackWord("", "")),
    ],
)
def test_what_slack_says_is_a_question_or_an_event(said: dict[str, object], word: SlackWord) -> None:
    assert slack_word(said) == word


class TestNotion:
    BODY = b'{"id": "ev-1", "timestamp": "2026-03-01T11:59:00.000Z", "type": "page.created"}'

    def signed(self, body: bytes, secret: str = SECRET) -> dict[str, str]:
        digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        return {"x-notion-signature": f"sha256={digest}"}

    def test_signs_the_body_alone(self) -> None:
        hook = check(self.signed(self.BODY), self.BODY, OTHER, SECRET, scheme="notion")
        assert hook is not None
        assert check(self.signed(self.BODY), self.BODY + b" ", scheme="notion") is None
        assert check(self.signed(self.BODY, OTHER), self.BODY, scheme="notion") is None
        assert check({"x-notion-signature": "sha256=\udce9"}, self.BODY, scheme="notion") is None
        assert check({}, self.BODY, scheme="notion") is None
        event = notion_event(hook, json.loads(self.BODY), MOMENT, WINDOW)
        assert event == SignedHook("ev-1", MOMENT - timedelta(minutes=1))

    @pytest.mark.parametrize(
        ("minutes", "good"),
        [(-2 * 24 * 60, True), (-2 * 24 * 60 - 1, False), (0, True), (5, True), (6, False)],
    )
    def test_an_event_is_one_of_these_days(self, minutes: int, *, good: bool) -> None:
        said = {"id": "ev-1", "timestamp": (MOMENT + timedelta(minutes=minutes)).isoformat()}
        assert (notion_event(SignedHook("", MOMENT), said, MOMENT, WINDOW) is not None) == good

    @pytest.mark.parametrize(
        "said",
        [
            {},
            {"id": 7, "timestamp": MOMENT.isoformat()},
            {"id": "", "timestamp": MOMENT.isoformat()},
            {"id": "x" * 201, "timestamp": MOMENT.isoformat()},
            {"id": "ev-1", "timestamp": "yesterday"},
            {"id": "ev-1", "timestamp": 1772366400},
            {"id": "ev-1", "timestamp": "9999-12-31T23:59:59-23:59"},
        ],
    )
    def test_what_names_no_event_is_none(self, said: dict[str, object]) -> None:
        assert notion_event(SignedHook("", MOMENT), said, MOMENT, WINDOW) is None

    @pytest.mark.parametrize(
        ("body", "token"),
        [
            (b'{"verification_token": "secret_tMrlL1qK5vuQAh1b6cZGh"}', "secret_tMrlL1qK5vuQAh1b6cZGh"),
            (b'{"verification_token": "short"}', ""),
            (b'{"verification_token": "%s"}' % (b"x" * 201), ""),
            (b'{"verification_token": "secret with spaces in it"}', ""),
            (b'{"verification_token": "secret_\\u001b[2Jtext_text"}', ""),
            (b'{"verification_token": ["secret_tMrlL1qK5vuQAh1b6cZGh"]}', ""),
            (b'["verification_token"]', ""),
            (b"[" * 1024, ""),
            (b'{"a": "%s", "verification_token": "secret_tMrlL1qK5vuQ"}' % (b"x" * 1024), ""),
            (b"\xff", ""),
            (b"", ""),
        ],
    )
    def test_a_token_is_offered_in_a_small_body_of_its_own(self, body: bytes, token: str) -> None:
        assert offered_token(body) == token


class TestChannelsOfGoogle:
    def test_each_has_a_token_of_its_own(self) -> None:
        tokens = {
            channel_token(secret, channel) for secret in (SECRET, OTHER) for channel in ("c1", "c2", "")
        }
        assert len(tokens) == 6

    def test_a_message_is_named_by_its_channel_and_its_number(self) -> None:
        headers = google_said("c1", "17")
        hook = check(headers, b"", OTHER, SECRET, scheme="google")
        assert hook is not None
        assert hook.event_id == "c1:17"

    @pytest.mark.parametrize(
        "wrong",
        [
            {"x-goog-channel-id": "c2"},
            {"x-goog-channel-token": ""},
            {"x-goog-channel-token": "\udce9"},
            {"x-goog-message-number": ""},
            {"x-goog-message-number": "-1"},
            {"x-goog-message-number": "1" * 300},
            {"x-goog-message-number": "١"},
        ],
    )
    def test_anything_else_is_refused(self, wrong: dict[str, str]) -> None:
        assert check({**google_said("c1", "17"), **wrong}, b"", SECRET, scheme="google") is None


def google_said(channel: str, number: str) -> dict[str, str]:
    return {
        "x-goog-channel-id": channel,
        "x-goog-channel-token": channel_token(SECRET, channel),
        "x-goog-message-number": number,
    }
