"""Tokens of users at the door of a service: who is let in, as whom, and what is refused (spec 7.2)."""

import base64
import hmac
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from fastapi import APIRouter, Body, FastAPI

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.db.tables import AvatarRow
from footnote_shared.kernel.errors import InvalidRequest, Misconfigured
from footnote_shared.security import issuer_keys
from footnote_shared.security.api_keys import make_key
from footnote_shared.security.service_identity import sign
from footnote_shared.security.user_tokens import UserTokens
from footnote_shared.settings.base import Settings
from footnote_shared.web.build_app import build_app
from footnote_shared.web.dependencies import Neighbour, Reader, Writer
from footnote_shared.web.health import Check
from footnote_shared.web.resources import EdgeResources
from footnote_testing.eventually import LIMIT_S
from footnote_testing.served_app import ServedApp
from footnote_testing.token_issuer import Algorithm, TokenIssuer
from footnote_testing.workspace import make_caller, make_database

SECRET = "s" * 32
NOBODY = "redis://127.0.0.1:1/0"
router = APIRouter()


@router.get("/who")
async def who(caller: Reader) -> Principal:
    return caller


@router.post("/write")
async def write(caller: Writer, body: Annotated[object, Body()]) -> str:
    return caller.avatar_id


@router.get("/neighbours")
async def neighbours(caller: Neighbour) -> str:
    return caller.avatar_id


@asynccontextmanager
async def _nothing(app: FastAPI, edge: EdgeResources) -> AsyncIterator[Mapping[str, Check]]:
    yield {}


@dataclass
class House:
    """One service that takes the tokens of one issuer, and a workspace in it."""

    url: str
    database: Database
    owner: Principal
    issuer: TokenIssuer

    def get(self, token: str, path: str = "/who") -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.get(
            self.url + path, headers=headers, trust_env=False, verify=NO_CERTIFICATES, timeout=LIMIT_S
        )

    def token(self, **claims: Any) -> str:
        return self.issuer.sign(self.owner.workspace_id, **claims)

    def caller(self, **claims: Any) -> Principal:
        answer = self.get(self.token(**claims))
        assert answer.status_code == 200, answer.text
        return Principal.model_validate(answer.json())


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pause between two fetches has a test with a clock of its own."""
    monkeypatch.setattr(issuer_keys, "APART_S", 0.0)


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Callable[..., House]]:
    with ExitStack() as stack:

        def start(**settings: Any) -> House:
            issuer = TokenIssuer().start()
            stack.callback(issuer.stop)
            issuer.make_key("first")
            database = make_database(f"sqlite:///{tmp_path / 'edge.db'}")
            stack.callback(database.close)
            given = {"redis_url": NOBODY, "service_secret": SECRET, **issuer.settings, **settings}
            whole = Settings(data=tmp_path, database_url=database.url, **given)
            served = ServedApp(build_app("retriever", "For tests.", whole, [router], _nothing)).start()
            stack.callback(served.stop)
            return House(served.url, database, make_caller(database)[0], issuer)

        yield start


@pytest.fixture
def house(build: Callable[..., House]) -> House:
    return build()


class TestWho:
    @pytest.mark.parametrize("algorithm", get_args(Algorithm))
    def test_each_kind_of_signature_lets_its_person_in(self, house: House, algorithm: Algorithm) -> None:
        house.issuer.make_key("another", algorithm)
        caller = house.caller(key_id="another", groups=["legal", "ops", "legal"])
        assert caller.workspace_id == house.owner.workspace_id
        assert caller.scopes == {"read", "write"}
        assert caller.groups == ("legal", "ops")

    def test_a_person_is_the_same_avatar_with_every_token_and_nobody_else(self, house: House) -> None:
        first, again, other = house.caller(), house.caller(jti="2"), house.caller(subject="berta")
        assert first.avatar_id == again.avatar_id != other.avatar_id
        with house.database.read() as session:
            row = session.get(AvatarRow, first.avatar_id)
            assert row is not None
            assert (row.workspace_id, row.name) == (house.owner.workspace_id, "anna")

    def test_a_person_is_another_avatar_in_each_workspace(self, house: House) -> None:
        elsewhere = make_caller(house.database, "elsewhere")[0]
        answer = house.get(house.issuer.sign(elsewhere.workspace_id))
        assert answer.json()["workspace_id"] == elsewhere.workspace_id
        assert answer.json()["avatar_id"] != house.caller().avatar_id

    def test_a_key_for_the_same_avatar_is_the_same_person(self, house: House) -> None:
        caller = house.caller()
        with house.database.write() as session:
            key = make_key(session, caller, "laptop", ["read"], ["legal"])
        answer = Principal.model_validate(house.get(key).json())
        assert (answer.avatar_id, answer.groups) == (caller.avatar_id, ("legal",))

    def test_scopes_allow_what_they_say_and_no_more(self, house: House) -> None:
        token = house.token(scope=["footnote:read", "admin", "footnote:everything"])
        headers = {"Authorization": f"Bearer {token}"}
        assert Principal.model_validate(house.get(token).json()).scopes == {"read"}
        answer = httpx.post(
            f"{house.url}/write",
            headers=headers,
            json={},
            trust_env=False,
            verify=NO_CERTIFICATES,
            timeout=LIMIT_S,
        )
        assert answer.status_code == 403

    def test_claims_are_found_where_the_settings_say(self, build: Callable[..., House]) -> None:
        house = build(
            jwt_workspace="",
            jwt_workspace_claim="https://footnote/workspace",
            jwt_avatar_claim="person.id",
            jwt_groups_claim="realm_access.roles",
            jwt_scopes_claim="permissions",
            jwt_scopes_prefix="",
        )
        caller = house.caller(
            **{"https://footnote/workspace": house.owner.workspace_id, "footnote_workspace": "no"},
            person={"id": "carla"},
            realm_access={"roles": ["board"]},
            permissions=["read"],
        )
        assert caller.groups == ("board",)
        assert caller.scopes == {"read"}
        assert house.get(house.token(person="carla")).status_code == 401

    def test_one_workspace_for_all_tokens_is_not_chosen_by_a_token(self, build: Callable[..., House]) -> None:
        house = build()
        fixed = build(jwt_workspace=house.owner.workspace_id)
        elsewhere = make_caller(fixed.database, "elsewhere")[0].workspace_id
        assert fixed.get(fixed.issuer.sign(elsewhere)).json()["workspace_id"] == house.owner.workspace_id


NOW = int(time.time())
REFUSED: dict[str, dict[str, Any]] = {
    "expired": {"exp": NOW - 60},
    "not yet": {"nbf": NOW + 3600},
    "made in the future": {"iat": NOW + 3600, "exp": NOW + 7200},
    "good for ever": {"exp": NOW + 10**7},
    "no end": {"exp": None},
    "no beginning": {"iat": None},
    "an infinite end": {"exp": float("inf")},
    "an end that is no number": {"exp": str(NOW + 100)},
    "another issuer": {"iss": "https://other.example"},
    "no issuer": {"iss": None},
    "another audience": {"aud": "other"},
    "no audience": {"aud": None},
    "nobody": {"sub": None},
    "a person without a name": {"sub": ""},
    "no workspace": {"footnote_workspace": None},
    "a workspace that is no text": {"footnote_workspace": ["w"]},
    "a workspace that is not here": {"footnote_workspace": "0198c1a2-0000-7000-8000-000000000000"},
    "no scope": {"scope": "openid"},
    "scopes that are no texts": {"scope": [{"footnote:read": 1}]},
    "a group of private documents": {"groups": ["avatar:someone"]},
    "more groups than fit": {"groups": [f"group {number}" for number in range(1000)]},
    "a group with half a character": {"groups": ["\ud800"]},
    "a notice of a logout": {"header": {"typ": "logout+jwt"}},
    "a header that must be understood": {"header": {"crit": ["b64"], "b64": False}},
    "a key that is not known": {"header": {"kid": "unknown"}},
    "a long header": {"header": {"x": "y" * 2000}},
    "a huge token": {"padding": "x" * 20_000},
}


def _base64(text: bytes) -> str:
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


class TestRefused:
    @pytest.mark.parametrize("claims", REFUSED.values(), ids=REFUSED)
    def test_a_token_with(self, house: House, claims: dict[str, Any]) -> None:
        answer = house.get(house.token(**claims))
        assert answer.status_code == 401, answer.text
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert house.caller()

    def test_a_signature_of_another_key_under_a_known_name(self, house: House) -> None:
        known = house.issuer.published
        house.issuer.make_key("first", publish=False)
        assert house.issuer.published == known
        assert house.get(house.token()).status_code == 401

    def test_a_signature_with_what_everybody_knows_or_none_at_all(self, house: House) -> None:
        """The public key as if it were a secret that both sides share, and no signature."""
        (published,) = house.issuer.published
        public = jwt.PyJWK(published).key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        said = house.token().split(".")[1]
        for algorithm in ("HS256", "ES256", "none"):
            head = _base64(json.dumps({"alg": algorithm, "kid": "first"}).encode())
            signed = f"{head}.{said}"
            assert house.get(f"{signed}.").status_code == 401
            signature = hmac.digest(public, signed.encode(), "sha256")
            assert house.get(f"{signed}.{_base64(signature)}").status_code == 401

    def test_a_key_for_another_algorithm(self, house: House) -> None:
        house.issuer.make_key("rsa", "RS256")
        token = house.issuer.sign(house.owner.workspace_id, header={"kid": "rsa"})
        assert house.get(token).status_code == 401

    def test_a_token_does_not_open_what_is_for_neighbours(self, house: House) -> None:
        assert house.get(house.token(), "/neighbours").status_code == 404
        assert house.get(sign(house.owner, "retriever", SECRET), "/neighbours").status_code == 200

    def test_all_of_them_where_no_issuer_is_set(self, build: Callable[..., House]) -> None:
        house = build(jwt_jwks_url="")
        assert house.get(house.token()).status_code == 401


class TestKeysOfTheIssuer:
    def test_a_new_key_is_good_at_once_and_one_taken_back_is_not(self, house: House) -> None:
        assert house.caller()
        house.issuer.make_key("second")
        assert house.caller(key_id="second")
        house.issuer.take_back("first")
        house.issuer.make_key("third")
        assert house.caller(key_id="third")
        assert house.get(house.token(key_id="first")).status_code == 401

    def test_keys_are_kept_while_the_issuer_is_away(self, house: House) -> None:
        assert house.caller()
        house.issuer.stop()
        assert house.caller()

    def test_without_keys_nobody_is_told_that_their_token_is_bad(self, house: House) -> None:
        house.issuer.status = 500
        answer = house.get(house.token())
        assert (answer.status_code, answer.headers["Retry-After"] != "") == (503, True)
        house.issuer.status = 200
        assert house.caller()

    def test_weak_and_foreign_keys_are_passed_over(self, house: House) -> None:
        house.issuer.published += [
            {"kty": "oct", "kid": "shared", "k": "c2VjcmV0"},
            {"kty": "RSA", "kid": "weak", "n": "wQ", "e": "AQAB"},
            {"kty": ["RSA"], "kid": "odd"},
            {"kty": "EC", "crv": "P-256", "kid": "broken", "x": "AA", "y": "AA"},
        ]
        assert house.caller()


class TestLimits:
    def test_all_tokens_of_a_person_are_counted_together(self, build: Callable[..., House]) -> None:
        house = build(requests_per_key=2)
        assert [house.get(house.token(jti=str(number))).status_code for number in range(3)] == [200, 200, 429]
        assert house.caller(subject="berta")


@pytest.mark.parametrize(
    "settings",
    [
        {"jwt_jwks_url": "https://issuer.example/keys"},
        {"jwt_jwks_url": "http://issuer.example/keys", "jwt_issuer": "i", "jwt_audience": "a"},
        {"jwt_jwks_url": "issuer.example", "jwt_issuer": "i", "jwt_audience": "a"},
    ],
    ids=["without an audience", "keys over a line that anybody can change", "no address"],
)
def test_settings_that_would_let_anybody_in_are_refused(settings: dict[str, str]) -> None:
    with pytest.raises(Misconfigured):
        UserTokens.from_settings(Settings(**settings))  # type: ignore[arg-type]


@pytest.mark.parametrize("groups", [["avatar:x"], [""], ["a\nb"], ["x" * 201]])
def test_a_key_is_in_no_group_that_cannot_be(house: House, groups: list[str]) -> None:
    with pytest.raises(InvalidRequest), house.database.write() as session:
        make_key(session, house.owner, "odd", ["read"], groups)
