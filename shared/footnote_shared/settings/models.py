"""The settings of the models: what embeds and what answers."""

from typing import Literal

from pydantic import BaseModel, Field, SecretStr


class ModelSettings(BaseModel):
    """Embedding and chat models."""

    lane: str = Field(
        "document",
        pattern=r"^[a-z][a-z0-9_-]{0,30}$",
        description="Name of the lane that documents are embedded on.",
    )
    embedding_model: str = Field(
        "all-MiniLM-L6-v2",
        description="The bundled all-MiniLM-L6-v2, or a folder or hub name of any sentence-transformers "
        "model.",
    )
    embedding_runtime: Literal["auto", "onnx", "openvino-bf16", "openvino-fp32", "torch"] = Field(
        "auto",
        description="What runs the model. auto: torch on a GPU; on a processor the fastest of onnx and "
        "openvino, which are timed once. onnx: onnxruntime. openvino-bf16: OpenVINO in bfloat16, for "
        "processors that compute in it. All of them make vectors of one lane.",
    )
    embedding_device: str = Field(
        "cpu", description="Where the model runs: cpu, or with torch cuda, cuda:1 or mps."
    )
    embedding_threads: int = Field(
        0, ge=0, description="Threads of one embedding process. 0: as many as it may use cores."
    )
    embedding_batch_tokens: int = Field(1024, ge=64, description="Padded tokens in one embedding batch.")
    embedding_query_prefix: str = Field(
        "", description="Text put before every query, for models that expect it."
    )
    embedding_document_prefix: str = Field(
        "", description="Text put before every passage, for models that expect it."
    )
    chat_base_url: str = Field(
        "",
        description="Base URL of an OpenAI-compatible endpoint. Empty: no model, the extractive engine "
        "answers.",
    )
    chat_model: str = Field("", description="Name of the chat model at that endpoint.")
    chat_api_key: SecretStr = Field(SecretStr(""), description="Key of that endpoint, if it asks for one.")
    chat_timeout_s: float = Field(
        60.0, gt=0, description="Seconds without a token after which the model counts as gone."
    )
    chat_thoughts: Literal["auto", "tags", "opened", "none"] = Field(
        "auto",
        description="How the model's thoughts are told from its answer. tags: they stand between tags, such "
        "as <think>. opened: the model's template opens a thought, so the answer begins behind the closing "
        "tag. none: all text is the answer. auto: by the model's name. Thoughts are never shown.",
    )
    chat_tools: bool = Field(
        True,
        description="Whether the chat model can call tools. If it can, the agentic engine answers, else "
        "pipeline.",
    )
    chat_max_tokens: int = Field(1024, ge=16, description="Longest answer, in tokens of the model.")

    @property
    def chat_configured(self) -> bool:
        """Whether a chat model can answer."""
        return bool(self.chat_base_url and self.chat_model)
