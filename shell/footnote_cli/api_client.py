"""How the commands reach the server: base URL and key from settings or the data folder, errors as ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from footnote_shared.clients.base import error_of
from footnote_shared.kernel.errors import Misconfigured, Unavailable
from footnote_shared.settings.base import Settings, load_settings


def api_key(settings: Settings) -> str:
    """The key from FOOTNOTE_API_KEY, else from the data folder."""
    given = settings.api_key.get_secret_value()
    if given:
        return given
    file = settings.key_file
    if not file.is_file():
        raise Misconfigured(
            f"No API key: set FOOTNOTE_API_KEY, or run this where {file} is (FOOTNOTE_DATA names the folder)."
        )
    return file.read_text().strip()


class Api:
    """The server as the commands see it. Failures raise; an unreachable server is Unavailable("footnote")."""

    def __init__(self, settings: Settings) -> None:
        self.url = settings.public_url
        self._http = httpx.Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {api_key(settings)}"},
            timeout=httpx.Timeout(60.0, connect=3.0),
            trust_env=False,
        )

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The answer of a call that succeeded."""
        try:
            response = self._http.request(method, path, **options)
        except httpx.HTTPError as error:
            raise self._unreachable() from error
        if not response.is_success:
            raise error_of("footnote", response)
        return response

    def get(self, path: str, **params: Any) -> Any:
        return self.request("GET", path, params={k: v for k, v in params.items() if v is not None}).json()

    def post(self, path: str, body: Any) -> Any:
        return self.request("POST", path, json=body).json()

    @contextmanager
    def stream(self, method: str, path: str, **options: Any) -> Iterator[httpx.Response]:
        """A streamed answer; read it inside the block."""
        try:
            with self._http.stream(method, path, **options) as response:
                if not response.is_success:
                    response.read()
                    raise error_of("footnote", response)
                yield response
        except httpx.HTTPError as error:
            raise self._unreachable() from error

    def _unreachable(self) -> Unavailable:
        return Unavailable(
            "footnote",
            f"Footnote does not answer at {self.url}. Start it with `footnote up`, or set FOOTNOTE_URL.",
        )


def connect() -> Api:
    """The server of this process's settings."""
    return Api(load_settings())
