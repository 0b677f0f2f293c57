"""The settings that ingest, the retriever and the agent each read."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from footnote_shared.contracts.search import Alpha, Correction, Fusion

ParseConfinement = Literal["required", "available", "off"]
ParseReview = Literal["accepted", "shown"]


PolicyName = Literal["prose", "list", "table", "code", "mail", "chat", "slides", "transcript"]


class ChunkPolicy(BaseModel):
    """What differs for the chunks of one policy. What is not given is as for all others."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tokens: int | None = Field(None, ge=32, le=8192)
    overlap: float | None = Field(None, ge=0.0, le=0.5)
    whole: bool = False


class IngestSettings(BaseModel):
    """Parsing, chunking and the queue of record."""

    chunk_tokens: int = Field(
        200, ge=32, le=8192, description="Longest chunk, in tokens of the lane's model."
    )
    chunk_overlap: float = Field(
        0.2, ge=0.0, le=0.5, description="Overlap of neighbouring chunks, as a share of their length."
    )
    chunk_policies: dict[PolicyName, ChunkPolicy] = Field(
        default_factory=dict,
        description=(
            "Other chunks for some kinds of text, as JSON: "
            '`{"code": {"tokens": 400, "overlap": 0, "whole": true}}`. The kinds are prose, list, table, '
            "code, mail, chat, slides, transcript. `tokens` and `overlap` stand in for the two above, "
            "and `whole` keeps a table or a block of code in one chunk where the model can take it."
        ),
    )
    parse_timeout_s: float = Field(
        120.0,
        gt=0,
        description=(
            "Most seconds of processor time that one document may take to parse: on a machine with nothing "
            "else to do, the seconds that it takes. A small file has 30, and 30 per MiB. By the clock it may "
            "take ten times as long, so that a busy machine fails no document, and then it is ended."
        ),
    )
    parse_memory_mb: int = Field(
        2048, ge=256, description="Memory that the parse of one document may take, in MiB."
    )
    parse_max_pages: int = Field(5000, ge=1, description="Pages of the longest document.")
    parse_confinement: ParseConfinement = Field(
        "required",
        description=(
            "Whether the process that reads a document gives up other files, signals, sockets, programs and "
            "capabilities. required: on Linux no document is parsed where the kernel lacks Landlock or "
            "seccomp; available: as much as the kernel has; off: none of it."
        ),
    )
    parse_review: ParseReview = Field(
        "accepted",
        description=(
            "What becomes of the tracked changes of Word and OpenDocument, and of comments there and in "
            "PowerPoint and Excel. accepted: the text is read as if each change were accepted, and comments "
            "are left out; a warning counts both. shown: both stand in the text, in square brackets. It "
            "holds for documents that are read from then on."
        ),
    )
    parse_processes: int = Field(2, ge=1, description="Documents that one machine parses at once.")
    attachment_levels: int = Field(
        5, ge=0, description="Levels on which the messages of one file may contain each other."
    )
    attachment_documents: int = Field(
        200,
        ge=0,
        description="Documents that the attachments of one file may become, on all levels together.",
    )
    attachment_bytes: int = Field(
        256 * 1024 * 1024,
        ge=0,
        description="Bytes of the attachments of one file together. The last one may exceed them.",
    )
    max_attempts: int = Field(
        5, ge=1, description="Tries of one stage before the document fails with its last reason."
    )
    lease_s: float = Field(
        60.0,
        gt=0,
        le=1800,
        description="Seconds without a sign of life after which another worker takes a document over.",
    )
    heartbeat_s: float = Field(
        10.0,
        gt=0,
        description="Seconds between two signs of life of a worker at work. At most a third of the lease.",
    )
    recorded_queries_days: float = Field(
        14.0,
        gt=0,
        description="Days for which a recorded query is kept (FOOTNOTE_RECORD_QUERIES).",
    )
    lane_rollback_h: float = Field(
        72.0,
        ge=0,
        description="Hours for which the former version of a re-embedded lane is kept up to date for a "
        "rollback. Meanwhile each change of a document is embedded twice.",
    )
    sweep_s: float = Field(5.0, gt=0, description="Seconds between two sweeps.")
    session_upload_hours: float = Field(
        24.0,
        gt=0,
        le=8760,
        description="Hours after which an upload of a session is deleted, where nobody ended that before.",
    )
    versions_kept: int = Field(
        20,
        ge=0,
        description="Earlier versions of a document whose replaced and removed texts are kept, so that its "
        "readers see what changed. The oldest go first. 0: none is kept.",
    )
    versions_document_mb: int = Field(
        32, ge=0, description="MiB that such texts of one document may have together."
    )
    versions_workspace_mb: int = Field(
        1024,
        ge=0,
        description="MiB that such texts of a workspace may have together. Beyond it the texts go that were "
        "live first. Those of documents under legal hold count and stay.",
    )
    in_flight_per_workspace: int = Field(
        64, ge=1, description="Most documents of one workspace that are in work at once."
    )
    embed_documents: int = Field(32, ge=1, description="Documents that one embedding task takes together.")
    connector_folders: str = Field(
        "",
        description="Folder of the server below which connectors of the kind `folder` may read. "
        "`{workspace}` in it stands for the id of the workspace; without it every workspace reaches the same "
        "files. Empty: there are no such connectors.",
    )
    connector_delete_share: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Share of a connector's documents that one sync may delete by itself. A sync that would "
        "delete more waits until somebody confirms it.",
    )
    connector_requests_per_host: int = Field(
        120,
        ge=1,
        description="Requests a minute that all connectors together send to one host of the outside world.",
    )
    connector_slice_s: float = Field(
        60.0, gt=0, description="Seconds after which a sync lets other syncs go first."
    )
    hook_window_s: float = Field(
        300.0, gt=0, description="Seconds by which the moment in a web hook may differ from our clock."
    )
    hook_secret_overlap_s: float = Field(
        86_400.0,
        ge=0,
        description="Seconds for which the earlier secret of a web hook goes on being good after a new one "
        "was made.",
    )


class RetrieverSettings(BaseModel):
    """Limits of a search, and how it fuses and reranks where neither the search nor its preset says it."""

    hybrid: bool = Field(
        True,
        description="Whether a search goes by vectors and by words together. If not, the fusion is "
        "dense_only, unless it is sparse_only anyhow.",
    )
    fusion: Fusion = Field(
        "weighted_blend",
        description="How what was found by vectors and by words becomes one order: a weighted blend of the "
        "scores, reciprocal ranks (rrf), scores by their distribution (dbsf), or only one of the two.",
    )
    alpha: Alpha = Field(
        "auto", description="Share of the vectors in weighted_blend, or auto: by the length of the query."
    )
    rrf_k: int = Field(60, ge=1, le=1000, description="Rank constant of reciprocal rank fusion.")
    reranker: Literal["auto", "none", "cross_encoder", "http", "late"] = Field(
        "auto",
        description="What reranks the passages of a search: the cross-encoder of FOOTNOTE_RERANKER_MODEL, "
        "the server of FOOTNOTE_RERANKER_HTTP, or late (FOOTNOTE_RERANKER_LATE). auto: the first of the "
        "first two that is configured.",
    )
    facts: bool = Field(
        False,
        description="Whether a search also looks among the facts that were read from documents, and shows "
        "them beside the passages that state them.",
    )
    correct: Correction = Field(
        "none",
        description="How a search is tried again, twice at most, that found too little that passes. words: "
        "without the words that no passage has, then with feedback from the best passages. model: in other "
        "words of the fast model.",
    )
    record_queries: bool = Field(
        False,
        description="Whether a sample of what is searched for is kept, 200 queries of a workspace at most, "
        "to compare the next version of a lane by. They are encrypted where texts are.",
    )
    search_timeout_s: float = Field(10.0, gt=0, description="Seconds after which a search counts as failed.")
    vector_timeout_s: float = Field(
        3.0, gt=0, description="Seconds after which the vector store counts as not answering a search."
    )
    query_cache_size: int = Field(2048, ge=0, description="Query vectors that one process keeps in memory.")
    search_cache_s: int = Field(
        300,
        ge=0,
        description="Seconds for which the result of a search is kept. 0: none is. A change of documents or "
        "settings makes a result unused at once.",
    )
    answer_cache_s: int = Field(
        300,
        ge=0,
        description="Seconds for which Redis keeps what a chat model has answered in the engine pipeline. 0: "
        "it keeps nothing. Another word of the question, the conversation or the passages is another answer.",
    )
    gate_scale: str = Field(
        "",
        description="What the gate of a search judges passages by: four numbers with commas between them, "
        "as `footnote eval gate` prints them. Empty: the scale that comes with the embedding model, if one "
        "does.",
    )
    gate_reranker_scales: dict[str, str] = Field(
        default_factory=dict,
        description="What the gate judges passages by that a reranker has scored, as JSON: five numbers with "
        "commas between them for each reranker, as `footnote eval gate --reranker NAME` prints them. A "
        "reranker without a scale changes which passages are judged, and not by what.",
    )
    reranker_model: str = Field(
        "", description="Folder or hub name of a cross-encoder that reranks passages. Empty: none."
    )
    reranker_device: str = Field("cpu", description="Device of the reranker: cpu, cuda, mps.")
    reranker_runtime: Literal["auto", "onnx", "openvino", "torch"] = Field(
        "auto",
        description="What runs the cross-encoder. auto: onnxruntime or else OpenVINO, if its folder has "
        "onnx/model.onnx or openvino/openvino_model.xml and the device is cpu; torch otherwise.",
    )
    reranker_http: Literal["", "tei", "cohere", "jina", "voyage"] = Field(
        "",
        description="The shape in which a reranker is asked over HTTP: that of Text Embeddings Inference, "
        "Cohere, Jina or Voyage. Servers such as vLLM speak one of them. Empty: none is asked.",
    )
    reranker_http_url: str = Field(
        "",
        description="Base URL of that reranker, without /rerank, /v1/rerank or /v2/rerank. Empty: the "
        "provider's own address; tei has none.",
    )
    reranker_http_model: str = Field("", description="Name of the model there. tei needs none.")
    reranker_http_key: SecretStr = Field(
        SecretStr(""), description="Key of that reranker, if it asks for one."
    )
    reranker_http_batch: int = Field(
        0,
        ge=0,
        description="Texts in one request to it. 0: what it takes by default, 32 for tei and 1000 else.",
    )
    reranker_http_chars: int = Field(
        8000, ge=100, description="Characters of a passage that are sent to it. The rest is cut off."
    )
    reranker_late: bool = Field(
        False,
        description="Whether searches may ask for the reranker `late`: MaxSim over the tokens of query and "
        "passage, by the embedding model. It needs 250 MB more, and `auto` never chooses it.",
    )
    reranker_timeout_s: float = Field(
        2.0, gt=0, description="Seconds that reranking may take before the fused order stands."
    )


class AgentSettings(BaseModel):
    """Turns."""

    turn_timeout_s: float = Field(300.0, gt=0, description="Longest turn, in seconds.")
    approval_wait_s: float = Field(
        3600.0,
        gt=0,
        description="Seconds that a turn waits for the answer where a tool asks first. Then the call is "
        "refused.",
    )
    turn_lease_s: float = Field(
        15.0,
        gt=1,
        le=1800,
        description="Seconds without a sign of life after which another replica takes a turn over.",
    )
    turn_grace_s: float = Field(
        10.0,
        ge=0,
        description="Seconds that running turns get to end when the agent is told to stop. It hands over the "
        "rest.",
    )
    history_tokens: int = Field(3000, ge=0, description="History shown to the model, in tokens.")
    ambient_tokens: int = Field(
        2000, ge=600, description="Tokens of what the agentic engine tells its model anew for every call."
    )
    evidence_tokens: int = Field(
        12_000,
        ge=500,
        description="Tokens of tool results that stand before the model in full. Older ones are shortened to "
        "numbers and titles.",
    )
    agent_steps: int = Field(12, ge=1, le=100, description="Calls of the model in one agentic turn.")
    agent_tool_calls: int = Field(40, ge=1, le=1000, description="Calls of tools in one agentic turn.")
    agent_tokens: int = Field(
        200_000, ge=1000, description="Tokens in and out of the model in one agentic turn."
    )
    agent_parallel_tools: int = Field(4, ge=1, le=32, description="Tools of one turn that run at once.")
    agent_tools_off: str = Field(
        "", description="Names of tools that no model may call, separated by commas."
    )
    web_search: Literal["", "searxng", "brave", "tavily", "ddgs"] = Field(
        "", description="Search engine that models may ask about the web. Empty: none, and the web is closed."
    )
    web_search_url: str = Field(
        "",
        description="Address of the search engine. SearXNG and the server of ddgs (`ddgs api`) need one, "
        "SearXNG with the form JSON in its settings; the others have theirs.",
    )
    web_search_key: SecretStr = Field(SecretStr(""), description="Key of the search engine.")
    web_pages: bool = Field(
        False,
        description="Whether models may read web pages that the user names, also without a search engine.",
    )
    tool_timeout_s: float = Field(20.0, gt=0, description="Seconds that one call of a tool may take.")
    automations_per_avatar: int = Field(50, ge=0, description="Automations that one avatar may have.")
    automation_interval_s: float = Field(
        900.0, ge=60, description="Least seconds between two due moments of one automation."
    )
    automation_look_s: float = Field(
        5.0,
        gt=0,
        description="Seconds after which each process of the agent looks again for automations that are due.",
    )
