"""The settings of the models: what embeds and what answers."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from footnote_shared.kernel.shown_addresses import shown_address

Provider = Literal["openai", "anthropic", "google"]
Thoughts = Literal["auto", "tags", "opened", "none"]
Role = Literal["chat", "fast"]


MOST_PRICE = 1e9
"""Beyond what a million tokens cost in any currency. What can be summed up and stored has an end."""


class TokenPrices(BaseModel):
    """What a million tokens of a model cost. The currency is the operator's: nothing converts it.

    Tokens that a provider takes from its own cache count as any others.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0, le=MOST_PRICE, allow_inf_nan=False)
    output: float = Field(ge=0, le=MOST_PRICE, allow_inf_nan=False)

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """The cost of so many tokens."""
        return (self.input * input_tokens + self.output * output_tokens) / 1_000_000


class ModelEndpoint(BaseModel):
    """One model and where it is asked. An empty `base_url` stands for the provider's own address."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    provider: Provider = "openai"
    model: str = Field(min_length=1)
    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    thoughts: Thoughts = "auto"
    prices: TokenPrices | None = None

    @model_validator(mode="after")
    def _has_an_address(self) -> "ModelEndpoint":
        if self.provider == "openai" and not self.base_url:
            raise ValueError("an OpenAI-compatible model needs a base_url")
        return self

    @property
    def where(self) -> str:
        """The address without secrets, or the provider whose own address it is, for people."""
        return shown_address(self.base_url) or f"{self.provider}'s API"


class ModelSettings(BaseModel):
    """Embedding and chat models."""

    lane: str = Field(
        "document",
        pattern=r"^[a-z][a-z0-9_-]{0,30}$",
        description="Name of the lane that documents are embedded on.",
    )
    fact_lane: str = Field(
        "fact",
        pattern=r"^[a-z][a-z0-9_-]{0,30}$",
        description="Name of the lane that facts are embedded on, with the model of the lane of documents.",
    )
    facts_classifications: list[str] = Field(
        default_factory=list,
        description="Documents whose metadata has one of these words under `classification` are read for "
        "facts by the fast model, as a JSON list. Empty, or without a fast model: none are.",
    )
    facts_timeout_s: float = Field(
        60.0, gt=0, description="Seconds that the fast model may take for the facts of one document."
    )
    embedding_model: str = Field(
        "all-MiniLM-L6-v2",
        description="The bundled all-MiniLM-L6-v2, or a folder or hub name of any sentence-transformers "
        "model.",
    )
    embedding_models: list[str] = Field(
        default_factory=list,
        description="Further models, named like FOOTNOTE_EMBEDDING_MODEL, as a JSON list: those that the "
        "lane may be re-embedded with, or holds vectors of. Every process that embeds has to have them.",
    )
    embedding_runtime: Literal["auto", "onnx", "openvino-bf16", "openvino-fp32", "torch"] = Field(
        "auto",
        description="What runs the model. auto: torch on a GPU; on a processor the fastest of onnx and "
        "openvino, which are timed once, for passages and for queries apart. onnx: onnxruntime. "
        "openvino-bf16: OpenVINO in bfloat16, for processors that compute in it. All of them make vectors of "
        "one lane.",
    )
    embedding_device: str = Field(
        "cpu", description="Where the model runs: cpu, or with torch cuda, cuda:1 or mps."
    )
    embedding_threads: int = Field(
        0, ge=0, description="Threads of one embedding process. 0: as many as it may use cores."
    )
    embedding_batch_tokens: int = Field(
        1024, ge=64, description="Padded tokens that the embedding model has in work at once."
    )
    embedding_rest_s: float = Field(
        300.0,
        ge=0,
        description="Seconds without a passage after which a worker closes the embedding model, to give back "
        "its memory. The next document waits some tenths of a second for it. 0: never. Models of torch stay.",
    )
    embedding_query_prefix: str = Field(
        "", description="Text put before every query, for models that expect it."
    )
    embedding_document_prefix: str = Field(
        "", description="Text put before every passage, for models that expect it."
    )
    chat_provider: Provider = Field(
        "openai",
        description="Whose protocol the chat model speaks. openai: any OpenAI-compatible endpoint, such as "
        "vLLM, Ollama or LM Studio. anthropic, google: their own APIs.",
    )
    chat_base_url: str = Field(
        "",
        description="Base URL of the chat model's endpoint. Empty: the provider's own address, and with the "
        "provider openai no model at all, so that the extractive engine answers.",
    )
    chat_model: str = Field("", description="Name of the chat model at that endpoint. Empty: no model.")
    chat_api_key: SecretStr = Field(SecretStr(""), description="Key of that endpoint, if it asks for one.")
    chat_timeout_s: float = Field(
        60.0, gt=0, description="Seconds without a token after which the model counts as gone."
    )
    chat_thoughts: Thoughts = Field(
        "auto",
        description="How the model's thoughts are told from its answer. tags: they stand between tags, such "
        "as <think>. opened: the model's template opens a thought, so the answer begins behind the closing "
        "tag. none: all text is the answer. auto: by the model's name. Thoughts are never shown.",
    )
    chat_tools: bool = Field(
        True,
        description="Whether the chat model may be offered tools. If so, the agentic engine answers, else "
        "pipeline. A model whose endpoint refuses tools gets pipeline by itself.",
    )
    chat_max_tokens: int = Field(1024, ge=16, description="Longest answer, in tokens of the model.")
    chat_prices: TokenPrices | None = Field(
        None,
        description='What a million tokens of the chat model cost, as JSON: {"input": 3, "output": 15}, in '
        "your currency. With it, answers, usage and metrics tell the cost.",
    )
    chat_fallbacks: list[ModelEndpoint] = Field(
        default_factory=list,
        description="Models that are asked in this order when the one before does not answer, as a JSON list "
        "of objects with provider, model, base_url, api_key, thoughts and prices.",
    )
    fast_provider: Provider = Field("openai", description="Like FOOTNOTE_CHAT_PROVIDER, for the fast model.")
    fast_base_url: str = Field(
        "",
        description="Base URL of the fast model. Empty: address and key of the chat model, if both have one "
        "provider, else the provider's own address.",
    )
    fast_model: str = Field(
        "",
        description="Name of a small model that rewrites questions before a search. Where it does not "
        "answer, the chat model does its work. Empty: rules rewrite.",
    )
    fast_api_key: SecretStr = Field(
        SecretStr(""), description="Key of the fast model, if its endpoint asks for one."
    )
    fast_prices: TokenPrices | None = Field(
        None, description="Like FOOTNOTE_CHAT_PRICES, for the fast model."
    )
    fast_timeout_s: float = Field(
        8.0, gt=0, description="Seconds that a rewritten question is waited for. Then rules rewrite it."
    )

    transcribe_base_url: str = Field(
        "",
        description="Base URL of an OpenAI-compatible endpoint that transcribes recordings. Empty: "
        "recordings are not read.",
    )
    transcribe_model: str = Field("", description="Name of the model there that transcribes.")
    transcribe_api_key: SecretStr = Field(
        SecretStr(""), description="Key of that endpoint, if it asks for one."
    )
    transcribe_timeout_s: float = Field(
        900.0, gt=0, description="Seconds without an answer after which a recording is tried again later."
    )
    vision_base_url: str = Field(
        "",
        description="Base URL of an OpenAI-compatible endpoint whose model describes pictures (png, jpg) "
        "that are handed in. Empty: pictures are read by OCR alone.",
    )
    vision_model: str = Field("", description="Name of the model there that sees.")
    vision_api_key: SecretStr = Field(SecretStr(""), description="Key of that endpoint, if it asks for one.")
    vision_timeout_s: float = Field(
        120.0, gt=0, description="Seconds without an answer after which a picture is tried again later."
    )

    @property
    def transcribe_endpoint(self) -> ModelEndpoint | None:
        """The model of the role `transcribe`; None where it has none."""
        return _endpoint(self.transcribe_base_url, self.transcribe_model, self.transcribe_api_key)

    @property
    def vision_endpoint(self) -> ModelEndpoint | None:
        """The model of the role `vision`; None where it has none."""
        return _endpoint(self.vision_base_url, self.vision_model, self.vision_api_key)

    @property
    def chat_configured(self) -> bool:
        """Whether a chat model can answer."""
        return bool(self.chat_model) and (bool(self.chat_base_url) or self.chat_provider != "openai")

    @property
    def fast_configured(self) -> bool:
        """Whether the role `fast` has a model of its own beside a chat model."""
        return self.chat_configured and bool(self.fast_model)

    @property
    def facts_allowed(self) -> frozenset[str]:
        """The classifications of documents that are read for facts; none where no model could."""
        return frozenset(filter(None, self.facts_classifications) if self.fast_configured else ())

    def endpoints(self, role: Role) -> list[ModelEndpoint]:
        """The models of a role in the order in which they are asked. Empty where it has none.

        Raises ValueError for a fast model without an address.
        """
        if not self.chat_configured:
            return []
        chat = ModelEndpoint(
            provider=self.chat_provider,
            model=self.chat_model,
            base_url=self.chat_base_url,
            api_key=self.chat_api_key,
            thoughts=self.chat_thoughts,
            prices=self.chat_prices,
        )
        chain = [chat, *self.chat_fallbacks]
        if role == "chat":
            return chain
        if not self.fast_model:
            return []
        shared = not self.fast_base_url and self.fast_provider == self.chat_provider
        fast = ModelEndpoint(
            provider=self.fast_provider,
            model=self.fast_model,
            base_url=self.chat_base_url if shared else self.fast_base_url,
            api_key=self.chat_api_key if shared else self.fast_api_key,
            prices=self.fast_prices,
        )
        return [fast, *chain]


def _endpoint(base_url: str, model: str, api_key: SecretStr) -> ModelEndpoint | None:
    if not base_url or not model:
        return None
    return ModelEndpoint(model=model, base_url=base_url, api_key=api_key)
