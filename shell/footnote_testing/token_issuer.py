"""An issuer of tokens on loopback: it publishes its keys, takes them back, and signs what a test wants."""

import time
from typing import Any, Literal

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as generate_ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key as generate_rsa
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from footnote_testing.served_app import ServedApp

Algorithm = Literal["RS256", "ES256", "EdDSA"]

ISSUER = "https://issuer.example"
AUDIENCE = "footnote"


class TokenIssuer:
    """Signs for anybody. `asked` counts the fetches of its keys; `published` are their public parts."""

    def __init__(self) -> None:
        self.asked = 0
        self.status = 200
        self.published: list[dict[str, Any]] = []
        self._keys: dict[str, tuple[Any, Algorithm]] = {}
        self._served = ServedApp(Starlette(routes=[Route("/keys", self._answer)]))
        self.url = f"{self._served.url}/keys"

    def start(self) -> "TokenIssuer":
        self._served.start()
        return self

    def stop(self) -> None:
        self._served.stop()

    @property
    def settings(self) -> dict[str, str]:
        """What a service is told so that it takes these tokens."""
        return {"jwt_jwks_url": self.url, "jwt_issuer": ISSUER, "jwt_audience": AUDIENCE}

    def make_key(self, key_id: str, algorithm: Algorithm = "ES256", *, publish: bool = True) -> None:
        """A new pair of keys. One of the same id is replaced."""
        private = _generate(algorithm)
        self._keys[key_id] = private, algorithm
        if publish:
            public = jwt.get_algorithm_by_name(algorithm).to_jwk(private.public_key(), as_dict=True)
            self.take_back(key_id)
            self.published.append({**public, "kid": key_id, "use": "sig", "alg": algorithm})

    def take_back(self, key_id: str) -> None:
        """Publish the key no longer."""
        self.published = [key for key in self.published if key["kid"] != key_id]

    def sign(
        self,
        workspace: str,
        subject: str = "anna",
        *,
        key_id: str = "first",
        header: dict[str, Any] | None = None,
        **claims: Any,
    ) -> str:
        """A token of five minutes. A claim that is None is left out."""
        now = int(time.time())
        said = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "iat": now,
            "exp": now + 300,
            "sub": subject,
            "footnote_workspace": workspace,
            "scope": "openid footnote:read footnote:write",
            **claims,
        }
        private, algorithm = self._keys[key_id]
        payload = {name: value for name, value in said.items() if value is not None}
        return jwt.encode(payload, private, algorithm, headers={"kid": key_id, **(header or {})})

    async def _answer(self, request: Request) -> Response:
        self.asked += 1
        return JSONResponse({"keys": self.published}, status_code=self.status)


def _generate(algorithm: Algorithm) -> Any:
    if algorithm == "RS256":
        return generate_rsa(65537, 2048)
    return generate_ec(SECP256R1()) if algorithm == "ES256" else Ed25519PrivateKey.generate()
