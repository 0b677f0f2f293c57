"""A whole system with a secret in every place that takes one, and a scripted model to ask."""

import json
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread
from typing import Any

import httpx

from footnote_shared.settings.base import child_environment
from footnote_testing.eventually import LIMIT_S
from footnote_testing.loopback_server import LoopbackServer
from footnote_testing.postgres_process import PostgresProcess
from footnote_testing.s3_server import running_s3
from footnote_testing.scripted_model import ScriptedModel
from footnote_testing.token_issuer import TokenIssuer
from footnote_testing.tool_server import LoopbackToolServer
from footnote_testing.trace_collector import TraceCollector
from tests.system.stacks import FOOTNOTE, ONE_PARSER, Client, EmbeddedStack


class _Echo(BaseHTTPRequestHandler):
    """A broken source: it answers the status that its path begins with, and repeats what it was told."""

    def do_GET(self) -> None:
        said = f"{self.path} {self.headers.get('Authorization')}".encode()
        self.send_response(int(self.path.split("/")[1][:3]))
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Says nothing."""


@dataclass
class Planted:
    """A running system, the secrets that were put into it, and all that it has answered."""

    stack: EmbeddedStack
    client: Client
    model: ScriptedModel
    issuer: TokenIssuer
    echo: str
    tools: LoopbackToolServer
    folder: Path
    secrets: dict[str, str]
    traces: TraceCollector
    answers: list[str] = field(default_factory=list)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command of the operator, with the settings of the system."""
        settings = child_environment({"FOOTNOTE_DATA": str(self.stack.data), **self.stack.environment})
        return subprocess.run([*FOOTNOTE, *words], env=settings, capture_output=True, text=True, check=False)

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        answer = self.client.http.request(method, path, **options)
        self.answers.append(f"{method} {path} {answer.status_code}: {answer.text} {dict(answer.headers)}")
        return answer


@contextmanager
def planted_system(folder: Path, postgres: PostgresProcess, model: ScriptedModel) -> Iterator[Planted]:
    """A system that asks this model, sends traces, and keeps what it has sealed, in PostgreSQL and in S3."""
    names = ("model", "service", "credentials", "master", "database", "objects", "connector", "url", "traces")
    names_of_tools = ("tool server", "argument")
    made = {name: f"{name[:4]}-{secrets.token_hex(20)}" for name in (*names, *names_of_tools)}
    tools = LoopbackToolServer(wanted_key=made["tool server"]).start()
    source, issuer = LoopbackServer(_Echo), TokenIssuer().start()
    traces = TraceCollector().start()
    Thread(target=source.serve_forever, daemon=True).start()
    issuer.make_key("first")
    with running_s3() as objects:
        httpx.put(f"{objects.address}/ours", trust_env=False, timeout=LIMIT_S).raise_for_status()
        database = postgres.new_database().replace("postgres:@", f"postgres:{made['database']}@")
        files = {
            "DATABASE_URL": database,
            "BLOB_OPTIONS": json.dumps(objects.options | {"secret_access_key": made["objects"]}),
            "CHAT_API_KEY": made["model"],
            "SERVICE_SECRET": made["service"],
            "CREDENTIALS_KEY": made["credentials"],
            "MASTER_KEY": made["master"],
            "OTLP_HEADERS": f"Authorization=Bearer {made['traces']}",
        }
        for name, text in files.items():
            (folder / name).write_text(text)
        environment = {f"FOOTNOTE_{name}_FILE": str(folder / name) for name in files} | {
            "FOOTNOTE_BLOB_URL": "s3://ours/prefix",
            "FOOTNOTE_ENCRYPTION": "true",
            "FOOTNOTE_CHAT_BASE_URL": model.url,
            "FOOTNOTE_CHAT_MODEL": "scripted",
            "FOOTNOTE_CHAT_TOOLS": "true",
            "FOOTNOTE_ANSWER_CACHE_S": "0",
            **ONE_PARSER,
            "FOOTNOTE_OTLP_ENDPOINT": traces.url,
            "FOOTNOTE_EGRESS_ALLOW": "127.0.0.1",
            "FOOTNOTE_TOOL_SERVERS": tools.origin,
            "FOOTNOTE_LOG_LEVEL": "DEBUG",
            **{f"FOOTNOTE_{name.upper()}": value for name, value in issuer.settings.items()},
        }
        stack = EmbeddedStack(folder / "data", environment=environment).start()
        client = stack.client()
        made["key"] = client.key
        yield Planted(stack, client, model, issuer, source.url, tools, folder, made, traces)
        stack.stop()
    traces.stop()
    tools.stop()
    source.shutdown()
    issuer.stop()
