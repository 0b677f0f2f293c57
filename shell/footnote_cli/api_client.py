"""How the commands reach the server: its URL and key, its errors as ours, its events one by one."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx

from footnote_cli.own_server import client_settings, own_file
from footnote_cli.silence_notices import PAUSES_S, Waiting, WaitingTogether
from footnote_shared.clients.base import error_of
from footnote_shared.contracts.sessions import SESSION_HEADER
from footnote_shared.egress.web_authorities import web_authorities
from footnote_shared.kernel.errors import Misconfigured, TooMany, Unavailable
from footnote_shared.settings.base import Settings

# A server that runs takes a connection at once; a long answer streams.
_CONNECT_S = 3.0
_ANSWER_S = 60.0
# A server that counts requests lets one more in within seconds. Who started the command judges a longer wait.
_TRIES = 10
_LONGEST_PAUSE_S = 10.0
_PAGE = 200
# Who is busy or broken when a server answers so. `footnote` is unavailable where none answers at all.
_SERVER = "server"


def api_key(settings: Settings) -> str:
    """The key that the settings name, else that of the data folder; raises Misconfigured without either."""
    given = settings.api_key.get_secret_value()
    if given:
        return given
    file = settings.key_file
    if not file.is_file():
        raise Misconfigured(
            f"No API key: set FOOTNOTE_API_KEY, or api_key in {own_file()}, or run this where {file} is "
            "(FOOTNOTE_DATA names the folder)."
        )
    return file.read_text().strip()


def unreachable(settings: Settings) -> Unavailable:
    """What the commands say, with exit status 3, when no server answers."""
    return Unavailable(
        "footnote",
        f"Footnote does not answer at {settings.public_url}. "
        f"Start it with `footnote up`, or set FOOTNOTE_URL, or url in {own_file()}.",
    )


def readiness(settings: Settings) -> httpx.Response:
    """What the server says of its parts; it needs no key. Raises Unavailable where no server answers."""
    try:
        return httpx.get(
            f"{settings.public_url}/readyz", timeout=10.0, trust_env=False, verify=web_authorities()
        )
    except httpx.HTTPError as error:
        raise unreachable(settings) from error


class Api:
    """The server as the commands see it. A failure is raised as the kind of error that the server gave.

    A server that takes long to answer is named on standard error. `pauses_s`: see Waiting. `pause` waits.
    With a `session_id` every request is made in that session.
    """

    def __init__(
        self,
        settings: Settings,
        transport: httpx.BaseTransport | None = None,
        pauses_s: Sequence[float] = PAUSES_S,
        pause: Callable[[float], None] = time.sleep,
        session_id: str | None = None,
    ) -> None:
        within = {} if session_id is None else {SESSION_HEADER: session_id}
        self._settings = settings
        self._pause = pause
        self._waiting = WaitingTogether(
            lambda: Waiting(f"Footnote at {settings.public_url} to answer", pauses_s=pauses_s)
        )
        self._http = httpx.Client(
            base_url=settings.public_url,
            headers={"Authorization": f"Bearer {api_key(settings)}", **within},
            timeout=httpx.Timeout(_ANSWER_S, connect=_CONNECT_S),
            trust_env=False,
            verify=web_authorities(),
            transport=transport,
        )

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The answer of a call that succeeded; `options` are those of httpx."""
        try:
            with self._waiting.call():
                response = self._http.request(method, path, **options)
        except httpx.HTTPError as error:
            raise unreachable(self._settings) from error
        if not response.is_success:
            raise error_of(_SERVER, response)
        return response

    def get(self, path: str, **params: Any) -> Any:
        """The JSON of an answer; parameters that are None are left out."""
        given = {name: value for name, value in params.items() if value is not None}
        return self._patiently("GET", path, params=given).json()

    def post(self, path: str, body: Any) -> Any:
        """The JSON of an answer to a body."""
        return self._patiently("POST", path, json=body).json()

    def _patiently(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Like `request`, and again where the server asks for a little patience (429)."""
        for _ in range(_TRIES):
            try:
                return self.request(method, path, **options)
            except TooMany as error:
                if error.retry_after is None or error.retry_after > _LONGEST_PAUSE_S:
                    raise
                self._pause(error.retry_after)
        return self.request(method, path, **options)

    @contextmanager
    def stream(self, method: str, path: str, **options: Any) -> Iterator[httpx.Response]:
        """A streamed answer; read it inside the block."""
        try:
            with self._opened(method, path, options) as response:
                if not response.is_success:
                    response.read()
                    raise error_of(_SERVER, response)
                yield response
        except httpx.HTTPError as error:
            raise unreachable(self._settings) from error

    @contextmanager
    def _opened(self, method: str, path: str, options: Mapping[str, Any]) -> Iterator[httpx.Response]:
        """The head of a streamed answer has come. Its reader says what it waits for then."""
        with ExitStack() as stack:
            with self._waiting.call():
                response = stack.enter_context(self._http.stream(method, path, **options))
            yield response


def items_of(api: Api, path: str, **params: Any) -> Iterator[dict[str, Any]]:
    """All items of a listing, page by page."""
    cursor: str | None = None
    while True:
        page = api.get(path, **params, limit=_PAGE, cursor=cursor)
        yield from page["items"]
        cursor = page.get("next_cursor")
        if cursor is None:
            return


def connect(session_id: str | None = None) -> Api:
    """The server that this person works with, in a session if one is named."""
    return Api(client_settings(), session_id=session_id)


def read_events(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The JSON of each server-sent event."""
    for line in lines:
        if line.startswith("data:"):
            event: dict[str, Any] = json.loads(line[5:])
            yield event
