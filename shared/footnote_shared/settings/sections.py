"""The settings by section. Each field says what it changes and its unit; `footnote doctor` prints these texts."""

from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, BaseModel, Field, SecretStr

from footnote_shared.contracts.answers import InjectionPolicy, VerificationPolicy


class StoreSettings(BaseModel):
    """Where data lives."""

    data: Path = Field(
        Path(".footnote"), description="Folder of the embedded stores, logs, caches and the first key."
    )
    cache: Path | None = Field(
        None,
        description="Folder of what can be made anew, such as exports of models. Empty: the folder cache in the data folder.",
    )
    database_url: str = Field(
        "",
        validation_alias=AliasChoices("FOOTNOTE_DATABASE_URL", "DATABASE_URL"),
        description="SQLAlchemy URL of SQLite or PostgreSQL (postgresql://...). Empty: SQLite in the data folder.",
    )
    database_pool: int = Field(
        10, ge=1, description="Connections that one process keeps to the database at most."
    )
    sqlite_synchronous: Literal["NORMAL", "FULL"] = Field(
        "FULL", description="FULL survives loss of power; NORMAL survives loss of processes and is faster."
    )
    redis_url: str = Field(
        "redis://127.0.0.1:6379/0",
        validation_alias=AliasChoices("FOOTNOTE_REDIS_URL", "REDIS_URL"),
        description="Redis 6.2 or newer. `footnote up` starts one itself when this is not set.",
    )
    qdrant_url: str = Field(
        "http://127.0.0.1:6333",
        validation_alias=AliasChoices("FOOTNOTE_QDRANT_URL", "QDRANT_URL"),
        description="Qdrant over HTTP. `footnote up` starts the loopback bridge itself when this is not set.",
    )
    qdrant_api_key: SecretStr = Field(SecretStr(""), description="API key of Qdrant, if it asks for one.")
    blob_url: str = Field(
        "", description="s3://bucket/prefix, or a folder. Empty: the folder blobs in the data folder."
    )
    blob_options: dict[str, str] = Field(
        default_factory=dict,
        description="Options of the object store as JSON: endpoint, region, access_key_id ...",
    )

    @property
    def cache_dir(self) -> Path:
        """Where exports of models are kept."""
        return self.cache or self.data / "cache"

    @property
    def key_file(self) -> Path:
        """Where an embedded run keeps its first API key (spec 9.1)."""
        return self.data / "api_key"

    @property
    def sql_url(self) -> str:
        """The URL of the database with the driver that Footnote uses."""
        url = self.database_url or f"sqlite:///{(self.data / 'footnote.db').absolute()}"
        for plain in ("postgresql://", "postgres://"):
            if url.startswith(plain):
                return "postgresql+psycopg://" + url.removeprefix(plain)
        return url


class AccessSettings(BaseModel):
    """Who reaches what, and how much."""

    port: int = Field(
        8000, ge=1, le=65535, description="Port of `footnote up` and default of `footnote serve`."
    )
    host: str = Field("127.0.0.1", description="Address that the services listen on.")
    url: str = Field(
        "", description="For the command line: where Footnote answers. Empty: this machine and port."
    )
    api_key: SecretStr = Field(
        SecretStr(""),
        description="For the command line: the key. Empty: the file api_key in the data folder.",
    )
    ingest_url: str = Field(
        "", description="Where the other services reach ingest. Empty: this machine and port."
    )
    retriever_url: str = Field(
        "", description="Where the other services reach the retriever. Empty: this machine and port."
    )
    agent_url: str = Field(
        "", description="Where the other services reach the agent. Empty: this machine and port."
    )
    resolver_url: str = Field(
        "", description="Where the other services reach the resolver. Empty: this machine and port."
    )
    service_secret: SecretStr = Field(
        SecretStr(""),
        description="Shared secret of 32 characters or more with which the services sign the caller's identity. Empty: made in the data folder.",
    )
    max_upload_bytes: int = Field(100 * 2**20, ge=1, description="Largest upload, in bytes.")
    max_json_bytes: int = Field(10 * 2**20, ge=1, description="Largest JSON body, in bytes.")
    max_json_depth: int = Field(32, ge=2, description="Deepest nesting of a JSON body.")
    max_query_chars: int = Field(8_000, ge=1, description="Longest question or query, in characters.")
    max_documents_per_workspace: int = Field(
        1_000_000, ge=1, description="Documents that a workspace may hold."
    )
    max_turns_in_flight: int = Field(
        50, ge=1, description="Turns that a workspace may have running at once; more get 429."
    )

    def service_url(self, name: Literal["ingest", "retriever", "agent", "resolver"]) -> str:
        """Base URL of a service, without a slash at the end."""
        given = {
            "ingest": self.ingest_url,
            "retriever": self.retriever_url,
            "agent": self.agent_url,
            "resolver": self.resolver_url,
        }
        return (given[name] or self.public_url).rstrip("/")

    @property
    def public_url(self) -> str:
        """Where the command line finds Footnote."""
        return (self.url or f"http://127.0.0.1:{self.port}").rstrip("/")


class ModelSettings(BaseModel):
    """Embedding and chat models."""

    lane: str = Field(
        "document",
        pattern=r"^[a-z][a-z0-9_-]{0,30}$",
        description="Name of the lane that documents are embedded on.",
    )
    embedding_model: str = Field(
        "all-MiniLM-L6-v2",
        description="The bundled all-MiniLM-L6-v2, or a folder or hub name of any sentence-transformers model.",
    )
    embedding_runtime: Literal["onnx", "torch"] = Field(
        "onnx",
        description="onnx: onnxruntime from a plain export made once (fastest on CPU); torch: sentence-transformers itself (GPU).",
    )
    embedding_device: str = Field("cpu", description="Device for the torch runtime: cpu, cuda, mps.")
    embedding_threads: int = Field(0, ge=0, description="Threads of one embedding process; 0 is all cores.")
    embedding_batch_tokens: int = Field(1024, ge=64, description="Padded tokens in one embedding batch.")
    embedding_query_prefix: str = Field(
        "", description="Text set before every query, for models that ask for it."
    )
    embedding_document_prefix: str = Field(
        "", description="Text set before every passage, for models that ask for it."
    )
    chat_base_url: str = Field(
        "",
        description="Base URL of an OpenAI-compatible endpoint. Empty: no model, the extractive engine answers.",
    )
    chat_model: str = Field("", description="Name of the chat model at that endpoint.")
    chat_api_key: SecretStr = Field(SecretStr(""), description="Key of that endpoint, if it asks for one.")
    chat_timeout_s: float = Field(
        60.0, gt=0, description="Seconds without a token before the model counts as gone."
    )
    chat_max_tokens: int = Field(1024, ge=16, description="Longest answer, in tokens of the model.")

    @property
    def chat_configured(self) -> bool:
        return bool(self.chat_base_url and self.chat_model)


class IngestSettings(BaseModel):
    """Parsing, chunking and the queue of record."""

    chunk_tokens: int = Field(
        200, ge=32, le=8192, description="Longest chunk, in tokens of the lane's model."
    )
    chunk_overlap: float = Field(
        0.2, ge=0.0, le=0.5, description="Overlap of neighbouring chunks, as a share of their length."
    )
    parse_timeout_s: float = Field(120.0, gt=0, description="Seconds that one document may take to parse.")
    parse_memory_mb: int = Field(
        2048, ge=256, description="Memory that the parse of one document may take, in MiB."
    )
    parse_max_pages: int = Field(5000, ge=1, description="Pages of the longest document.")
    parse_processes: int = Field(2, ge=1, description="Documents that one machine parses at once.")
    max_attempts: int = Field(
        5, ge=1, description="Tries of one stage before the document fails with its last reason."
    )
    lease_s: float = Field(
        60.0,
        gt=0,
        description="Seconds without a sign of life after which another worker takes a document over.",
    )
    heartbeat_s: float = Field(
        10.0,
        gt=0,
        description="Seconds between two signs of life of a worker at work; a third of the lease at most.",
    )
    sweep_s: float = Field(5.0, gt=0, description="Seconds between two runs of the sweeper.")
    in_flight_per_workspace: int = Field(
        64, ge=1, description="Documents of one workspace that may be in work at once."
    )
    embed_documents: int = Field(32, ge=1, description="Documents that one embedding task takes together.")


class RetrieverSettings(BaseModel):
    """Limits of search; its defaults are the presets'."""

    search_timeout_s: float = Field(
        10.0, gt=0, description="Seconds before a search of the vector store counts as failed."
    )
    query_cache_size: int = Field(2048, ge=0, description="Query vectors kept in memory of one process.")
    reranker_model: str = Field(
        "", description="Folder or hub name of a cross-encoder that reranks passages. Empty: none."
    )
    reranker_device: str = Field("cpu", description="Device of the reranker: cpu, cuda, mps.")
    reranker_timeout_s: float = Field(
        2.0, gt=0, description="Seconds that reranking may take before the fused order stands."
    )


class AgentSettings(BaseModel):
    """Turns."""

    turn_timeout_s: float = Field(300.0, gt=0, description="Wall time of one turn, in seconds.")
    turn_lease_s: float = Field(
        15.0,
        gt=1,
        description="Seconds without a sign of life after which another replica takes a turn over.",
    )
    turn_grace_s: float = Field(
        10.0,
        ge=0,
        description="Seconds that running turns get to end when the agent is told to stop; the rest is handed over.",
    )
    history_tokens: int = Field(3000, ge=0, description="History shown to the model, in tokens.")


class ResolverSettings(BaseModel):
    """Registry and streams."""

    stream_retention_s: int = Field(
        3600, ge=1, description="Seconds that the events of a turn are kept after its end."
    )
    stream_heartbeat_s: float = Field(
        15.0, gt=0, description="Seconds between two heartbeats on a quiet stream."
    )
    stream_claim_s: float = Field(
        5.0,
        gt=0.1,
        description="Seconds without a sign of life after which another resolver takes a stream over.",
    )
    stream_idle_s: float = Field(
        120.0,
        gt=1,
        description="Seconds without a raw event after which a turn whose agent is gone is ended as failed.",
    )
    injection: InjectionPolicy = Field(
        "missing_only",
        description="Cite for a model that did not: off, only if it cited nothing in its first paragraph, or always.",
    )
    injection_similarity: float = Field(
        0.60,
        ge=0,
        le=1,
        description="Least similarity of a sentence and a passage for a citation to be injected.",
    )
    verification: VerificationPolicy = Field(
        "report",
        description="Check each cited sentence against its passages and: report the verdicts, mark the sentences that are not supported in the stored message, drop their citations from it, or off.",
    )
    verification_timeout_s: float = Field(
        3.0, gt=0, description="Seconds after which an answer is completed without its verdicts."
    )
    verification_nli_model: str = Field(
        "",
        description="Folder or hub name of an NLI cross-encoder that checks cited sentences as a second stage. Empty: none.",
    )
    verification_nli_device: str = Field("cpu", description="Device of the NLI model: cpu, cuda, mps.")
    verification_nli_timeout_s: float = Field(
        2.0, gt=0, description="Seconds that the NLI model may take before the first stage stands alone."
    )


class TelemetrySettings(BaseModel):
    """Logs and metrics."""

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", description="Least severe level that is logged."
    )
    log_format: Literal["auto", "json", "text"] = Field(
        "auto", description="json in production, text for people; auto: text on a terminal."
    )
    record_content: bool = Field(
        False, description="Allow text of questions, passages and answers in logs and records."
    )
    worker_metrics_port: int = Field(0, ge=0, le=65535, description="Port of a worker's /metrics; 0: none.")
