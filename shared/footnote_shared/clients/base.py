"""What all clients of our services share: identity, trace, time-outs, one map of errors, metrics."""

import math
import re
import time
from collections.abc import Mapping
from typing import Any, TypeVar

import httpx
import orjson
from pydantic import BaseModel, ValidationError

from footnote_shared.clients.in_process import DirectCall, Posts, within
from footnote_shared.clients.in_process_calls import InProcessCalls
from footnote_shared.contracts.base import from_json_of_any_release
from footnote_shared.contracts.identity import Principal, ServiceName
from footnote_shared.egress.web_authorities import web_authorities
from footnote_shared.kernel.errors import (
    CallerError,
    Conflict,
    FieldError,
    FootnoteError,
    Forbidden,
    InvalidRequest,
    NoAnswer,
    NotFound,
    OurFault,
    TooLarge,
    TooMany,
    TooSlow,
    Unauthenticated,
    Unavailable,
    UnsupportedType,
)
from footnote_shared.kernel.post_client import Unreachable
from footnote_shared.kernel.problem_document import problem_of
from footnote_shared.security.service_identity import sign
from footnote_shared.telemetry import context, metrics, tracing

Answer = TypeVar("Answer", bound=BaseModel)

_CONNECT_S = 3.0
_REPEATABLE = frozenset({"GET", "HEAD", "PUT", "DELETE"})
"""Methods that do the same when they come twice (RFC 9110, section 9.2.2)."""
_SEGMENT = re.compile(r"[A-Za-z0-9_-]{1,100}", re.ASCII)
_ANSWER_S = 9.0
"""How long a neighbour may take to answer, in seconds. Who reads a stream sets its own time."""


def http_client(*, connections: int = 200) -> httpx.AsyncClient:
    """The HTTP client of one process, shared by all of its service clients."""
    limits = httpx.Limits(
        max_connections=connections, max_keepalive_connections=connections, keepalive_expiry=30
    )
    return httpx.AsyncClient(
        limits=limits,
        timeout=httpx.Timeout(_ANSWER_S, connect=_CONNECT_S),
        trust_env=False,
        verify=web_authorities(),
    )


class ServiceClient:
    """Calls one service on behalf of a caller: path and message in, message out."""

    service: ServiceName

    def __init__(
        self,
        http: httpx.AsyncClient,
        base_url: str,
        secret: str,
        *,
        posts: Posts | None = None,
        direct: Mapping[str, DirectCall] | None = None,
        here: InProcessCalls | None = None,
    ) -> None:
        """`posts`: what takes the POSTs, for callers whose POSTs only read. `here`: the service, where it
        runs in this process. Else `http` takes all.

        `direct` has what stands behind some paths in this process: to ask there takes no way through the web.
        """
        self._http = http
        self._base = base_url.rstrip("/")
        self._secret = secret
        self._posts = posts
        self._direct = {} if direct is None else direct
        self._here = here

    def headers(self, principal: Principal) -> dict[str, str]:
        """Headers with the caller's signed identity and the trace."""
        return {
            "Authorization": f"Bearer {sign(principal, self.service, self._secret)}",
            "traceparent": context.traceparent(),
        }

    async def alive(self) -> None:
        """Raise Unavailable unless the service answers. For readiness."""
        try:
            response = await self._http.get(self._base + "/healthz")
        except httpx.HTTPError as error:
            raise Unavailable(self.service, f"The {self.service} service does not answer.") from error
        if not response.is_success:
            raise Unavailable(self.service, f"The {self.service} service answers {response.status_code}.")

    async def call(
        self,
        principal: Principal,
        method: str,
        path: str,
        answer: type[Answer],
        *,
        body: BaseModel | None = None,
        params: Mapping[str, Any] | None = None,
        answer_s: float = _ANSWER_S,
        key: str | None = None,
    ) -> Answer:
        """The answer as its model. Raises the service's own kind of error, or Unavailable with its name."""
        direct = self._direct.get(path if method == "POST" else f"{method} {path}")
        if direct is not None and key is None:
            asked = orjson.dumps(params or {}) if body is None else encoded(body)
            return await self._asked_directly(direct, principal, method, asked, answer, answer_s)
        response = await self.request(
            principal, method, path, body=body, params=params, answer_s=answer_s, key=key
        )
        return self._read(answer, response.content)

    def _read(self, answer: type[Answer], content: bytes) -> Answer:
        try:
            return from_json_of_any_release(answer, content)
        except ValidationError as error:
            raise OurFault(f"The {self.service} service answered in a shape that was not agreed.") from error

    async def _asked_directly(
        self,
        call: DirectCall,
        principal: Principal,
        method: str,
        asked: bytes,
        answer: type[Answer],
        answer_s: float = _ANSWER_S,
    ) -> Answer:
        """The answer. What goes wrong is told as if it had come over HTTP."""
        started = time.perf_counter()
        try:
            with tracing.span(f"{method} {self.service}", "client", http__request__method=method):
                content = await within(answer_s, call(principal, asked))
        except TimeoutError as error:
            metrics.CALLS.labels(self.service, "timed_out").inc()
            raise NoAnswer(self.service, f"The {self.service} service does not answer in time.") from error
        except FootnoteError as error:
            metrics.CALLS.labels(self.service, str(error.status)).inc()
            told = httpx.Response(error.status, headers=_wait_of(error), json=problem_of(error))
            raise error_of(self.service, told) from error
        finally:
            metrics.CALL_SECONDS.labels(self.service).observe(time.perf_counter() - started)
        metrics.CALLS.labels(self.service, "ok").inc()
        return self._read(answer, content)

    async def request(
        self,
        principal: Principal,
        method: str,
        path: str,
        *,
        body: BaseModel | None = None,
        params: Mapping[str, Any] | None = None,
        answer_s: float = _ANSWER_S,
        key: str | None = None,
    ) -> httpx.Response:
        """The raw answer of a call that has succeeded. `key`: makes a call that is repeated one call.

        Raises like `call`.
        """
        with tracing.span(f"{method} {self.service}", "client", http__request__method=method):
            headers = self.headers(principal)
            if key is not None:
                headers["Idempotency-Key"] = key
            return await self._sent(method, path, body, params, headers, answer_s)

    async def _sent(
        self,
        method: str,
        path: str,
        body: BaseModel | None,
        params: Mapping[str, Any] | None,
        headers: dict[str, str],
        answer_s: float,
    ) -> httpx.Response:
        content: bytes | None = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = encoded(body)
        started = time.perf_counter()
        try:
            if self._posts is not None and method == "POST" and content is not None and params is None:
                status, found, answer = await self._posts.post(path, content, headers, answer_s=answer_s)
                response = httpx.Response(status, headers=found, content=answer)
            elif self._here is not None:
                status, found, answer = await self._here.request(
                    method, path, params, content, headers, answer_s=answer_s
                )
                response = httpx.Response(status, headers=found, content=answer)
            else:
                timeout = httpx.Timeout(answer_s, connect=_CONNECT_S)
                request = self._http.build_request(
                    method,
                    self._base + path,
                    content=content,
                    params=params,
                    headers=headers,
                    timeout=timeout,
                )
                response = await self._answered(request)
        except (httpx.ReadTimeout, TimeoutError) as error:
            metrics.CALLS.labels(self.service, "timed_out").inc()
            raise NoAnswer(self.service, f"The {self.service} service does not answer in time.") from error
        except (httpx.HTTPError, Unreachable) as error:
            metrics.CALLS.labels(self.service, "unreachable").inc()
            raise Unavailable(self.service, f"The {self.service} service does not answer.") from error
        finally:
            metrics.CALL_SECONDS.labels(self.service).observe(time.perf_counter() - started)
        metrics.CALLS.labels(self.service, "ok" if response.is_success else str(response.status_code)).inc()
        if not response.is_success:
            raise error_of(self.service, response)
        return response

    async def _answered(self, request: httpx.Request) -> httpx.Response:
        """Sent a second time where the first met a replica that has just stopped, if it may be sent twice."""
        try:
            return await self._http.send(request)
        except httpx.ConnectError:
            return await self._http.send(request)
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
            if request.method not in _REPEATABLE and "Idempotency-Key" not in request.headers:
                raise
            return await self._http.send(request)


def encoded(body: BaseModel) -> bytes:
    """A message as it is sent: what was not given is left out."""
    return body.model_dump_json(exclude_none=True).encode()


def _wait_of(error: FootnoteError) -> dict[str, str]:
    return {} if error.retry_after is None else {"Retry-After": str(max(1, math.ceil(error.retry_after)))}


def segment(name: str) -> str:
    """An id as a part of a path. Raises NotFound for what is none: it could lead to another path."""
    if _SEGMENT.fullmatch(name) is None:
        raise NotFound
    return name


def error_of(service: str, response: httpx.Response) -> FootnoteError:
    """The error that a neighbour's problem document came from."""
    try:
        problem = response.json()
    except ValueError:
        problem = {}
    detail = str(problem.get("detail") or f"The {service} service answered {response.status_code}.")
    fields = [FieldError(str(e.get("field")), str(e.get("message"))) for e in problem.get("errors") or []]
    status = response.status_code
    if status == 404:
        return NotFound()
    if status in (408, 429, 502, 503, 504):
        wait = response.headers.get("Retry-After", "")
        seconds = float(wait) if wait.isdigit() else 2.0
        if status in (408, 429):
            return (TooSlow if status == 408 else TooMany)(detail, retry_after=seconds)
        kind = NoAnswer if problem.get("code") == NoAnswer.code else Unavailable
        return kind(service, detail, retry_after=seconds)
    kinds: dict[int, type[FootnoteError]] = {
        401: Unauthenticated,
        403: Forbidden,
        409: Conflict,
        413: TooLarge,
        415: UnsupportedType,
        422: InvalidRequest,
    }
    return kinds.get(status, CallerError if 400 <= status < 500 else OurFault)(detail, errors=fields)
