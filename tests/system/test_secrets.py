"""Secrets stay where they were put: none is in a log, a trace, a metric, a command line, an environment, an
answer, a record or a backup, also after each thing that holds one has failed with it in hand.
"""

import base64
import gzip
import hashlib
import hmac
import json
import secrets
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from footnote_testing.eventually import eventually
from footnote_testing.planners import PlannedReply, call, results_in
from footnote_testing.scripted_model import Script
from footnote_testing.tool_server import dying, redirecting, refusing
from tests.system.planted import Planted

STAGES = "queued", "extracting", "chunking", "embedding", "indexing"

PIPELINE: dict[str, Any] = {"settings": {"engine": "pipeline"}}
"""A model that may call tools, as this one may, answers with `agentic` where nobody says so."""

pytestmark = pytest.mark.system


def work_and_fail(planted: Planted) -> None:
    """Let everything that holds a secret use it well, and fail with it."""
    document = planted.client.upload("gull.txt", b"The gull of Scarborough steals four sandwiches a day.")
    planted.client.wait_ended([document["id"]])
    thread = planted.client.thread()
    planted.model.script = Script(tokens=["It steals four sandwiches [1]."])
    question = {"text": "How many sandwiches does the gull steal?", "stream": False, **PIPELINE}
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
    _tools(planted)
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


def _tools(planted: Planted) -> None:
    """Calls of a tool server that are made, refused, broken off and answered with the credential itself."""
    path = "/v1/tool-servers/depot"
    body = {
        "url": planted.tools.url,
        "credential": planted.secrets["tool server"],
        "tools": [{"name": "lookup", "reads_only": True}],
    }
    assert planted.send("PUT", path, json=body).status_code == 201
    planted.send("GET", path)
    planted.send("POST", f"{path}:test")
    thread = planted.client.thread()

    def asking(request: Any) -> PlannedReply:
        # What a tool has answered, and what it was asked, is a person's own and stands in no reply here.
        said = PlannedReply("I have asked the depot.")
        return said if results_in(request) else call("depot__lookup", thing=planted.secrets["argument"])

    def asked() -> None:
        planted.model.script = Script(planner=asking)
        question = {"text": "When does the warehouse open?", "stream": False}
        turn = planted.send("POST", f"/v1/threads/{thread}/turns", json=question)
        assert turn.json()["status"] == "completed", turn.text
        planted.send("GET", f"/v1/turns/{turn.json()['turn_id']}")

    asked()
    planted.tools.answer = f"You have sent {planted.secrets['tool server']}"
    asked()
    assert planted.tools.asked.count("tools/call") == 2
    for temper in (refusing(500), dying, redirecting(f"{planted.echo}/500")):
        planted.tools.tempers["tools/call"] = temper
        asked()
    planted.tools.tempers.clear()
    planted.tools.wanted_key = "another"
    planted.send("POST", f"{path}:test")
    asked()
    planted.tools.wanted_key = planted.secrets["tool server"]
    assert planted.secrets["tool server"] in planted.tools.keys


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
    files = {"file": ("tern.txt", b"The tern of Whitby steals four sandwiches a day.")}
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
    body = {"text": "How many sandwiches does the tern steal?", "stream": False, **PIPELINE}
    answer = planted.client.http.post(path, json=body, headers=asked)
    assert answer.status_code == 200, answer.text
    inside = "invoke_agent pipeline", "relay turn", "chat scripted", "POST retriever", "POST /v1/search"
    for name in (*inside, "POST /v1/threads/{thread_id}/turns"):
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
    assert b"Whitby" not in said


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
        if words[0] == "backup":
            assert done.returncode == 0, done.stderr
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
