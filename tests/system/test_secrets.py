"""Secrets stay where they were put: none is in a log, a trace, a metric, a command line, an environment, an
answer, a record or a backup, also after each thing that holds one has failed with it in hand.
"""

import base64
import gzip
import hashlib
import hmac
import json
import secrets
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import psutil
import pytest

from footnote_shared.settings.base import child_environment
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.loopback_server import LoopbackServer
from footnote_testing.postgres_process import PostgresProcess
from footnote_testing.s3_server import running_s3
from footnote_testing.scripted_model import Script, ScriptedModel
from footnote_testing.token_issuer import TokenIssuer
from footnote_testing.trace_collector import TraceCollector
from tests.system.stacks import FOOTNOTE, Client, EmbeddedStack

STAGES = "queued", "extracting", "chunking", "embedding", "indexing"

pytestmark = pytest.mark.system


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


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory, postgres: PostgresProcess) -> Iterator[Planted]:
    folder = tmp_path_factory.mktemp("secrets")
    names = ("model", "service", "credentials", "master", "database", "objects", "connector", "url", "traces")
    made = {name: f"{name}-{secrets.token_hex(20)}" for name in names}
    source, model, issuer = LoopbackServer(_Echo), ScriptedModel().start(), TokenIssuer().start()
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
            "FOOTNOTE_CHAT_TOOLS": "false",
            "FOOTNOTE_OTLP_ENDPOINT": traces.url,
            "FOOTNOTE_EGRESS_ALLOW": "127.0.0.1",
            "FOOTNOTE_LOG_LEVEL": "DEBUG",
            **{f"FOOTNOTE_{name.upper()}": value for name, value in issuer.settings.items()},
        }
        stack = EmbeddedStack(folder / "data", environment=environment).start()
        client = stack.client()
        made["key"] = client.key
        yield Planted(stack, client, model, issuer, source.url, folder, made, traces)
        stack.stop()
    traces.stop()
    source.shutdown()
    model.stop()
    issuer.stop()


def work_and_fail(planted: Planted) -> None:
    """Let everything that holds a secret use it well, and fail with it."""
    document = planted.client.upload("gull.txt", b"The gull of Scarborough steals four sandwiches a day.")
    planted.client.wait_ended([document["id"]])
    thread = planted.client.thread()
    planted.model.script = Script(tokens=["It steals four sandwiches [1]."])
    question = {"text": "How many sandwiches does the gull steal?", "stream": False}
    turn = planted.send("POST", f"/v1/threads/{thread}/turns", json=question)
    assert turn.status_code == 200, turn.text
    planted.model.script = Script(status=401, error=f"no such key: Bearer {planted.secrets['model']}")
    failed = planted.send("POST", f"/v1/threads/{thread}/turns", json=question | {"text": "And the crow?"})
    for answer in (turn, failed):
        if "turn_id" in answer.text:
            planted.send("GET", f"/v1/turns/{answer.json()['turn_id']}/record")
    planted.send("GET", f"/v1/threads/{thread}/messages")
    _sync(planted)
    _hook(planted)
    workspace = document["workspace_id"]
    wanted: dict[str, dict[str, Any]] = {
        "token": {},
        "expired": {"exp": 1, "iat": 0},
        "foreign": {"aud": "others"},
    }
    for name, claims in wanted.items():
        token = planted.issuer.sign(workspace, **claims)
        planted.secrets[name] = token.rpartition(".")[2]
        got = planted.send("GET", "/v1/documents", headers={"Authorization": f"Bearer {token}"})
        assert got.status_code == (200 if name == "token" else 401), got.text
    planted.secrets["wrong key"] = "fn_" + secrets.token_urlsafe(32)
    wrong = {"Authorization": f"Bearer {planted.secrets['wrong key']}"}
    assert planted.send("GET", "/v1/documents", headers=wrong).status_code == 401
    for path in ("/v1/audit", "/v1/keys", "/readyz", "/metrics", "/agent/metrics"):
        planted.send("GET", path)


def _sync(planted: Planted) -> None:
    """Syncs that fail in each way, with a token in the header and with a secret in the address."""
    token = {"token": planted.secrets["connector"]}
    for status in (400, 401, 403, 404, 429, 500):
        config = {"url": f"{planted.echo}/{status}"}
        feed = {"url": f"{planted.echo}/{status}/feed?key={planted.secrets['url']}"}
        for body in (
            {"kind": "confluence", "name": f"wiki {status}", "config": config, "credentials": token},
            {"kind": "rss", "name": f"feed {status}", "config": feed},
        ):
            made = planted.client.http.post("/v1/connectors", json=body)
            assert made.status_code == 201, made.text
            path = f"/v1/connectors/{made.json()['id']}"
            planted.client.http.post(f"{path}:sync")

            def tried(path: str = path) -> bool:
                runs = planted.client.http.get(f"{path}/runs").json()["items"]
                return any(run.get("ended_at") or run.get("reason") or run["errors"] for run in runs)

            eventually(tried, f"the sync of {body['name']} has met the source")
            if body["kind"] == "confluence":
                planted.send("GET", path)
                planted.send("GET", f"{path}/runs")
                planted.send("POST", "/v1/connectors:preview", json=body)


def _hook(planted: Planted) -> None:
    made = planted.client.http.post("/v1/connectors", json={"kind": "push", "name": "pushed"}).json()
    secret = str(made["webhook_secret"])
    planted.secrets["hook"] = secret.removeprefix("whsec_")
    body = json.dumps({"type": "item.upserted", "data": {"id": "a", "text": "A crow."}})
    path, moment = f"/v1/webhooks/{made['id']}", str(int(time.time()))
    signed = hmac.new(
        base64.b64decode(planted.secrets["hook"]), f"e1.{moment}.{body}".encode(), hashlib.sha256
    ).digest()
    for signature, status in ((base64.b64encode(signed).decode(), 202), ("AAAA", 401)):
        headers = {
            "webhook-id": "e1",
            "webhook-timestamp": moment,
            "webhook-signature": f"v1,{signature}",
            "content-type": "application/json",
        }
        assert planted.send("POST", path, content=body, headers=headers).status_code == status
    planted.send("GET", f"/v1/connectors/{made['id']}")


def test_a_trace_leads_from_a_request_to_the_end_of_its_work(planted: Planted) -> None:
    trace = secrets.token_hex(16)
    asked = {"traceparent": f"00-{trace}-00f067aa0ba902b7-01"}
    files = {"file": ("gull.txt", b"The gull of Scarborough steals four sandwiches a day.")}
    document = planted.client.http.post("/v1/documents", files=files, headers=asked).json()
    planted.client.wait_ended([document["id"]])

    def arrived(name: str) -> None:
        eventually(lambda: name in planted.traces.of(trace), f"the span {name} has arrived")

    for name in (*(f"document {stage}" for stage in STAGES), "POST /v1/documents"):
        arrived(name)
    spans = planted.traces.of(trace)
    request = spans["POST /v1/documents"]
    assert request.parent == "00f067aa0ba902b7"
    stages = [spans[f"document {stage}"] for stage in STAGES]
    assert {span.parent for span in stages} == {request.id}
    assert {span.attributes["footnote.document_id"] for span in stages} == {document["id"]}
    assert [span.begun for span in stages] == sorted(span.begun for span in stages)
    assert stages[-1].attributes["footnote.next"] == "indexed"
    arrived("parse.document")
    task = planted.traces.of(trace)["parse.document"]
    assert task.service == "footnote-worker"
    assert task.parent == request.id

    trace = secrets.token_hex(16)
    asked = {"traceparent": f"00-{trace}-00f067aa0ba902b7-01"}
    path = f"/v1/threads/{planted.client.thread()}/turns"
    planted.model.script = Script(tokens=["It steals four sandwiches [1]."])
    body = {"text": "How many sandwiches does the gull steal?", "stream": False}
    answer = planted.client.http.post(path, json=body, headers=asked)
    assert answer.status_code == 200, answer.text
    for name in ("invoke_agent pipeline", "relay turn", "chat scripted", "POST /v1/search"):
        arrived(name)
    spans = planted.traces.of(trace)
    turn = spans["invoke_agent pipeline"]
    assert turn.attributes["footnote.status"] == "completed"
    assert spans["chat scripted"].parent == turn.id
    assert spans["chat scripted"].attributes["gen_ai.operation.name"] == "chat"
    assert spans["POST /v1/search"].parent == spans["POST retriever"].id
    above = {span.id: span for span in spans.values()}
    assert {above[turn.parent].name, above[spans["relay turn"].parent].name} == {
        "POST /v1/threads/{thread_id}/turns"
    }
    said = b"".join(planted.traces.bodies)
    assert b"sandwiches" not in said
    assert b"Scarborough" not in said


def test_no_secret_is_anywhere_but_where_it_was_put(planted: Planted) -> None:
    work_and_fail(planted)
    leaks: dict[str, list[str]] = {}

    def look(where: str, text: str, *but: str) -> None:
        """`but`: secrets that stand there on purpose."""
        found = {name for name, secret in planted.secrets.items() if secret in text}
        if found - set(but):
            leaks[where] = sorted(found)

    backup = planted.folder / "backup"
    for words in (
        ["backup", str(backup)],
        ["doctor"],
        ["status"],
        ["keys", "list"],
        ["encryption", "status"],
    ):
        done = planted.run(*words)
        look(" ".join(words[:2]), done.stdout + done.stderr)
    assert (backup / "manifest.json").is_file()
    for file in filter(Path.is_file, backup.rglob("*")):
        content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        # The address of a feed is no secret of ours: its owner reads it in the connector.
        of_feeds = ("url",) if file.name == "connectors.jsonl.gz" else ()
        look(f"backup {file.relative_to(backup)}", content.decode("utf-8", "replace"), *of_feeds)
    for answer in planted.answers:
        look(answer[:60], answer)
    look("traces", b"".join(planted.traces.bodies).decode("utf-8", "replace"))
    assert any(f"Bearer {planted.secrets['traces']}" in told.values() for told in planted.traces.headers)

    assert planted.stack.process is not None
    for process in planted.stack.process.family():
        try:
            look(f"command line of {process.name()}", " ".join(process.cmdline()))
            look(f"environment of {process.name()}", json.dumps(process.environ()))
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    logs = [planted.stack.process.log, *planted.stack.data.rglob("*.log")]
    assert sum(file.stat().st_size for file in logs) > 1000
    for file in logs:
        look(f"log {file.name}", file.read_text(errors="replace"))
    assert leaks == {}
