"""What the gateway library raises, as ours: why a model did not answer, and who has to act."""

import httpx2
from pydantic_ai.exceptions import AgentRunError, ModelAPIError, ModelHTTPError, ModelTimeoutError, UserError

from footnote_shared.models.protocol import ModelFailed
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

ModelError = (
    AgentRunError,
    UserError,
    httpx2.HTTPError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    AssertionError,
    RecursionError,
)
"""What may be raised on the way. The last six are how the libraries meet bytes that are no answer.

UserError is how the gateway library meets a schema that it cannot rewrite for a provider.
"""

_TOOLS_REFUSED = (400, 404, 405, 422, 501)
"""Statuses with which endpoints refuse tools: Ollama and vLLM 400, routers 404."""

_REQUEST_REFUSED = (400, 413, 422)
"""Statuses with which endpoints refuse what a request holds, such as the schema of a tool."""


class AnswerBrokeOff(ValueError):
    """The stream ended, and the model had not."""


def failure_of(error: Exception, *, said: bool, offered_tools: bool) -> ModelFailed:
    """The failure behind an error. The endpoint's own words are logged by kind, and not shown.

    `said`: something of the answer had come before.
    """
    _log.warning("model.failed", error=type(error).__name__, status=getattr(error, "status_code", None))
    first = not said
    if isinstance(error, UserError):
        return ModelFailed(
            "refused",
            "The chat model cannot be asked so: the schema of a tool cannot be told to it.",
            before_first_token=first,
            over_tools=offered_tools,
        )
    if isinstance(error, TimeoutError | ModelTimeoutError | httpx2.TimeoutException):
        return ModelFailed("timeout", "The chat model did not answer in time.", before_first_token=first)
    if said and (isinstance(error, httpx2.HTTPError) or not isinstance(error, ModelHTTPError)):
        return ModelFailed("cut_off", "The answer of the chat model was cut off.", before_first_token=False)
    if isinstance(error, ModelHTTPError):
        return _http_failure(error, first, offered_tools=offered_tools)
    if isinstance(error, ModelAPIError) and isinstance(error.__cause__, ValueError):
        return _nonsense(first)
    if isinstance(error, ModelAPIError | httpx2.HTTPError):
        return ModelFailed("unreachable", "The chat model is not reachable.", before_first_token=first)
    return _nonsense(first)


def _nonsense(first: bool) -> ModelFailed:
    return ModelFailed(
        "nonsense", "The chat model answered in a way that cannot be read.", before_first_token=first
    )


def _http_failure(error: ModelHTTPError, first: bool, *, offered_tools: bool) -> ModelFailed:
    status, wait = error.status_code, error.retry_after or 0.0
    if status == 429:
        return ModelFailed(
            "rate_limited", "The chat model is overloaded.", before_first_token=first, asked_wait_s=wait
        )
    if status == 408:
        return ModelFailed("timeout", "The chat model did not answer in time.", before_first_token=first)
    if offered_tools and status in _TOOLS_REFUSED and "tool" in str(error.body).lower():
        return ModelFailed(
            "no_tools", "The chat model takes no tools.", before_first_token=first, over_tools=True
        )
    if status >= 500:
        return ModelFailed(
            "server_error", f"The chat model failed ({status}).", before_first_token=first, asked_wait_s=wait
        )
    over_tools = offered_tools and status in _REQUEST_REFUSED
    return ModelFailed("refused", _refusal(status), before_first_token=first, over_tools=over_tools)


def _refusal(status: int) -> str:
    what = {
        401: "its key is wrong or missing",
        402: "its account has no credit",
        403: "its key may not do this",
        404: "its name or its address is wrong",
    }.get(status, "the request is not to its liking")
    return f"The chat model refused the request ({status}): {what}. The operator has to mend that."
