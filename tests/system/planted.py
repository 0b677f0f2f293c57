"""A whole system with a secret in every place that takes one, and a scripted model to ask."""

import json
import secrets
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import httpx

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_testing.child_process import run_to_its_end
from footnote_testing.eventually import LIMIT_S
from footnote_testing.loopback_server import LoopbackServer
from footnote_testing.ports import ports_in_a_row
from footnote_testing.postgres_process import PostgresProcess
from footnote_testing.redis_process import start_redis
from footnote_testing.s3_server import running_s3
from footnote_testing.scripted_model import ScriptedModel
from footnote_testing.token_issuer import TokenIssuer
from footnote_testing.tool_server import LoopbackToolServer
from footnote_testing.trace_collector import TraceCollector
from tests.system.stacks import FOOTNOTE, ONE_PARSER, Client, EmbeddedStack

SECRET_OF: Mapping[str, str] = {
    "API_KEY": "key",
    "DATABASE_URL": "database",
    "REDIS_URL": "redis",
    "STREAM_REDIS_URLS": "streams",
    "QDRANT_API_KEY": "vectors",
    "BLOB_OPTIONS": "objects",
    "SERVICE_SECRET": "service",
    "CREDENTIALS_KEY": "credentials",
    "MASTER_KEY": "master",
    "VAULT_TOKEN": "vault",
    "CHAT_API_KEY": "model",
    "CHAT_FALLBACKS": "fallback",
    "FAST_API_KEY": "fast",
    "TRANSCRIBE_API_KEY": "hearing",
    "VISION_API_KEY": "seeing",
    "RERANKER_HTTP_KEY": "reranker",
    "WEB_SEARCH_KEY": "web",
    "OTLP_HEADERS": "traces",
}
"""The secret that stands in each setting which takes one. No Vault is asked, beside the master key."""

_MADE_BY_THE_RUN = frozenset({"API_KEY", "REDIS_URL", "STREAM_REDIS_URLS", "QDRANT_API_KEY"})

SHOWN_TO_ECHO = ("fallback", "fast", "hearing", "seeing", "reranker", "web", "connector")
"""Secrets of those whose part the broken source plays."""


class Echo(LoopbackServer):
    """A broken source: it repeats what it was told, with the status that its path begins with.

    Of several, such as `/503,400`, each is answered once and the last one from then on. `shown` is what came
    in the header `Authorization`, behind the path.
    """

    def __init__(self) -> None:
        super().__init__(_EchoHandler)
        self.shown: list[tuple[str, str]] = []


class _EchoHandler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Echo)
        told, before = str(self.headers.get("Authorization")), self.server.shown
        statuses = self.path.split("/")[1].partition("?")[0].split(",")
        asked_before = sum(path == self.path for path, _ in before)
        before.append((self.path, told))
        said = f"{self.path} {told}".encode()
        self.send_response(int(statuses[min(asked_before, len(statuses) - 1)]))
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Says nothing."""


WORKERS = (0, 1, 2, 4)
"""Where the metrics of its workers are, behind the first of their ports: this run has the one for media."""


@dataclass
class Planted:
    """A running system, the secrets that were put into it, and all that it has answered."""

    stack: EmbeddedStack
    client: Client
    model: ScriptedModel
    issuer: TokenIssuer
    echo: Echo
    tools: LoopbackToolServer
    folder: Path
    secrets: dict[str, str]
    traces: TraceCollector
    answers: list[str] = field(default_factory=list)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command of the operator, with the settings of the system."""
        given = {"FOOTNOTE_DATA": str(self.stack.data), "FOOTNOTE_API_KEY_FILE": str(self.folder / "API_KEY")}
        return run_to_its_end([*FOOTNOTE, *words], {**given, **self.stack.environment})

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        answer = self.client.http.request(method, path, **options)
        self.answers.append(f"{method} {path} {answer.status_code}: {answer.text} {dict(answer.headers)}")
        return answer


@contextmanager
def planted_system(folder: Path, postgres: PostgresProcess, model: ScriptedModel) -> Iterator[Planted]:
    """A system that asks this model, sends traces, and keeps what it has sealed, in PostgreSQL and in S3."""
    names = [SECRET_OF[setting] for setting in SECRET_OF if setting not in _MADE_BY_THE_RUN]
    names += ["connector", "url", "tool server", "argument"]
    made = {name: f"{name[:4]}-{secrets.token_hex(20)}" for name in names}
    tools = LoopbackToolServer(wanted_key=made["tool server"]).start()
    source, issuer = Echo(), TokenIssuer().start()
    traces, streams = TraceCollector().start(), start_redis(folder / "streams")
    Thread(target=source.serve_forever, daemon=True).start()
    issuer.make_key("first")
    with running_s3() as objects:
        httpx.put(
            f"{objects.address}/ours", trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES
        ).raise_for_status()
        database = postgres.new_database().replace("postgres:@", f"postgres:{made['database']}@")
        spare = {"model": "spare", "base_url": f"{source.url}/401", "api_key": made["fallback"]}
        files = {
            "DATABASE_URL": database,
            "BLOB_OPTIONS": json.dumps(objects.options | {"secret_access_key": made["objects"]}),
            "CHAT_FALLBACKS": json.dumps([spare]),
            "OTLP_HEADERS": f"Authorization=Bearer {made['traces']}",
            "STREAM_REDIS_URLS": json.dumps([streams.url]),
        }
        plain = SECRET_OF.keys() - files.keys() - _MADE_BY_THE_RUN
        files |= {name: made[SECRET_OF[name]] for name in plain}
        for name, text in files.items():
            (folder / name).write_text(text)
        environment = {f"FOOTNOTE_{name}_FILE": str(folder / name) for name in files} | {
            "FOOTNOTE_BLOB_URL": "s3://ours/prefix",
            "FOOTNOTE_ENCRYPTION": "true",
            "FOOTNOTE_CHAT_BASE_URL": model.url,
            "FOOTNOTE_CHAT_MODEL": "scripted",
            "FOOTNOTE_CHAT_TOOLS": "true",
            "FOOTNOTE_CHAT_PRICES": '{"input": 3, "output": 15}',
            "FOOTNOTE_FAST_BASE_URL": f"{source.url}/401",
            "FOOTNOTE_FAST_MODEL": "quick",
            "FOOTNOTE_TRANSCRIBE_BASE_URL": f"{source.url}/503,400",
            "FOOTNOTE_TRANSCRIBE_MODEL": "hears",
            "FOOTNOTE_VISION_BASE_URL": f"{source.url}/400",
            "FOOTNOTE_VISION_MODEL": "sees",
            # Only who names it reranks: others search as they do without one.
            "FOOTNOTE_RERANKER": "none",
            "FOOTNOTE_RERANKER_HTTP": "tei",
            "FOOTNOTE_RERANKER_HTTP_URL": f"{source.url}/401",
            "FOOTNOTE_WEB_SEARCH": "tavily",
            "FOOTNOTE_WEB_SEARCH_URL": f"{source.url}/401",
            "FOOTNOTE_ANSWER_CACHE_S": "0",
            **ONE_PARSER,
            "FOOTNOTE_OTLP_ENDPOINT": traces.url,
            "FOOTNOTE_EGRESS_ALLOW": "127.0.0.1",
            "FOOTNOTE_TOOL_SERVERS": tools.origin,
            "FOOTNOTE_LOG_LEVEL": "DEBUG",
            **{f"FOOTNOTE_{name.upper()}": value for name, value in issuer.settings.items()},
        }
        ports = ports_in_a_row(WORKERS[-1] + 1)
        stack = EmbeddedStack(folder / "data", metrics_port=ports, environment=environment).start()
        client = stack.client()
        (folder / "API_KEY").write_text(client.key)
        configured = (stack.data / "redis" / "redis.conf").read_text()
        made["redis"] = configured.partition('requirepass "')[2].partition('"')[0]
        made |= {"key": client.key, "vectors": (stack.data / "vectors" / "api_key").read_text()}
        made["streams"] = urlsplit(streams.url).password or ""
        yield Planted(stack, client, model, issuer, source, tools, folder, made, traces)
        stack.stop()
    streams.stop()
    traces.stop()
    tools.stop()
    source.shutdown()
    issuer.stop()
