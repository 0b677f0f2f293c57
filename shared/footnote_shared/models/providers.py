"""The gateway library's model for an endpoint: one branch for each protocol, and nothing else knows them."""

import httpx2
from pydantic_ai.models import Model

from footnote_shared.kernel.late_authorities import LateAuthorities
from footnote_shared.models.event_bound import PACKED
from footnote_shared.models.remembered_tools import RemembersTools
from footnote_shared.settings.models import ModelEndpoint

_CONNECT_S = 5.0
_NO_KEY = "none"
"""Goes out where no key is set. Without one the libraries look for theirs in the environment."""

_NO_TAG = "\ue000 no tag \ue000"


def http_for(timeout_s: float) -> httpx2.AsyncClient:
    """The connections to one endpoint. `timeout_s`: silence after which an answer counts as lost."""
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(timeout_s, connect=_CONNECT_S),
        follow_redirects=True,
        headers=PACKED,
        verify=LateAuthorities(httpx2.create_ssl_context),
    )


def provider_model(endpoint: ModelEndpoint, http: httpx2.AsyncClient) -> Model:
    """The model behind an endpoint, reached by `http`. Nothing is asked again below us.

    The libraries of the providers take up to a second and 80 MB, so each is imported where it is used.
    """
    key = endpoint.api_key.get_secret_value() or _NO_KEY
    match endpoint.provider:
        case "openai":
            return _openai(endpoint, key, http)
        case "anthropic":
            return _anthropic(endpoint, key, http)
        case "google":
            return _google(endpoint, key, http)


def _openai(endpoint: ModelEndpoint, key: str, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    from footnote_shared.models.plain_openai import PlainOpenAI  # noqa: PLC0415

    class Chat(RemembersTools, OpenAIChatModel):
        pass

    client = PlainOpenAI(endpoint.base_url, key, http)
    profile = OpenAIModelProfile(
        # A stream that just ends is a broken one, not an answer.
        openai_chat_streaming_requires_finish_reason=True,
        # The library sees a tag only where it is a token of its own. `ThoughtFilter` sees them all.
        thinking_tags=(_NO_TAG, _NO_TAG),
    )
    return Chat(endpoint.model, provider=OpenAIProvider(openai_client=client), profile=profile)


def _anthropic(endpoint: ModelEndpoint, key: str, http: httpx2.AsyncClient) -> Model:
    from anthropic import AsyncAnthropic  # noqa: PLC0415
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

    class Chat(RemembersTools, AnthropicModel):
        pass

    client = AsyncAnthropic(base_url=endpoint.base_url or None, api_key=key, max_retries=0, http_client=http)
    return Chat(endpoint.model, provider=AnthropicProvider(anthropic_client=client))


def _google(endpoint: ModelEndpoint, key: str, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415
    from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415

    class Chat(RemembersTools, GoogleModel):
        pass

    provider = GoogleProvider(api_key=key, base_url=endpoint.base_url or None, http_client=http)
    return Chat(endpoint.model, provider=provider)
