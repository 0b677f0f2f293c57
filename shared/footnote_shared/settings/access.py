"""The settings of access: addresses, keys, and limits of what comes in."""

from pydantic import BaseModel, Field, SecretStr

from footnote_shared.contracts.identity import ServiceName


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
    neighbour_port: int = Field(
        0,
        ge=0,
        le=65535,
        description="Further port of a service, for its neighbours alone: their signed calls are refused on "
        "its other port. 0: one port for all. `footnote up` and `serve all` choose one on loopback.",
    )
    service_secret: SecretStr = Field(
        SecretStr(""),
        description="Secret of 32 characters or more that all services share, to sign for whom they call. "
        "Empty: made in the data folder.",
    )
    credentials_key: SecretStr = Field(
        SecretStr(""),
        description="Key of 32 characters or more under which the credentials of connectors and the secrets "
        "of web hooks are encrypted in SQL. Several, divided by commas: the first encrypts, each decrypts. "
        "Empty: made from the service secret if that is set, or else in the data folder.",
    )
    operator_workspace: str = Field(
        "",
        description="Id of the workspace whose administrators may see and change what belongs to the whole "
        "deployment, such as lanes. Empty: those of the only workspace, and nobody where there are several.",
    )
    proxies: str = Field(
        "",
        description="Addresses of proxies in front of the services, divided by commas. Only from them is "
        "X-Forwarded-For believed.",
    )
    egress_allow: str = Field(
        "",
        description="Networks of your own that fetches may go to, on any port: addresses or CIDR "
        "ranges, divided by commas. Without them only the public internet is fetched from.",
    )
    egress_ports: str = Field(
        "80,443,8080,8443",
        description="Ports of the public internet that may be fetched from, divided by commas.",
    )
    drain_s: float = Field(
        2.0,
        ge=0,
        description="Seconds for which a web process that was told to stop goes on taking requests, while "
        "/readyz says that it stops. It takes twice that while requests still come.",
    )
    requests_end_s: int = Field(
        15,
        ge=0,
        description="Seconds that requests in hand get to end after that. A turn that is asked for without a "
        "stream takes as long as its model; streams are resumed elsewhere.",
    )
    headers_within_s: float = Field(
        10.0, gt=0, description="Seconds that a client may take to send the head of a request."
    )
    slowest_body: int = Field(
        1024,
        ge=1,
        description="Bytes a second that a body has to bring once the first half minute is over.",
    )
    answers_alone: bool = Field(
        False,
        description="Whether one process answers all requests over these stores. It then counts them, and "
        "keeps results of searches, in its memory and not in Redis. `footnote up` says so to its web "
        "process, unless Redis is another one than its own.",
    )
    requests_per_key: int = Field(
        12_000,
        ge=1,
        description="Requests of one API key a minute, at once or spread. A further one gets 429.",
    )
    requests_per_workspace: int = Field(
        24_000, ge=1, description="Requests of all keys of a workspace a minute. A further one gets 429."
    )
    failed_keys_per_address: int = Field(
        600,
        ge=1,
        description="Requests without a known key a minute from one address (IPv6: one /64). A further one "
        "gets 429.",
    )
    max_upload_bytes: int = Field(100 * 2**20, ge=1, description="Largest upload, in bytes.")
    max_json_bytes: int = Field(
        2**20,
        ge=1,
        description="Largest JSON body, in bytes. Most routes take less. Send longer texts as files.",
    )
    max_json_depth: int = Field(32, ge=2, description="Deepest nesting of a JSON body.")
    max_json_values: int = Field(50_000, ge=1, description="Most values in a JSON body.")
    max_query_chars: int = Field(8_000, ge=1, description="Longest question or query, in characters.")
    max_documents_per_workspace: int = Field(1_000_000, ge=1, description="Most documents of a workspace.")
    max_bytes_per_workspace: int = Field(
        2**40,
        ge=1,
        description="Most bytes of files that a workspace holds, versions that are kept included.",
    )
    max_turns_in_flight: int = Field(
        50, ge=1, description="Most turns of a workspace that run at once. A further one gets 429."
    )
    turns_at_work: int = Field(
        4,
        ge=1,
        description="Most turns that one process of the agent works on at the same time. Those that wait for "
        "a model do not count; others wait until one of these is done with its step.",
    )

    def service_url(self, name: ServiceName) -> str:
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
