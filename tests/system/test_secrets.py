"""Secrets stay where they were put: none is in a log, a trace, a metric, a command line, an environment, an
answer, a record or a backup, also after each thing that holds one has failed with it in hand.
"""

import gzip
import json
import secrets
from pathlib import Path

import psutil
import pytest

from footnote_shared.settings.base import PREFIX, secret_file_names
from footnote_testing.eventually import eventually
from footnote_testing.scripted_model import Script
from tests.system.planted import SECRET_OF, SHOWN_TO_ECHO, Planted
from tests.system.planted_work import PIPELINE

STAGES = "queued", "extracting", "chunking", "embedding", "indexing"

NOT_PLANTED = {
    "DATABASE_URL": "another name of FOOTNOTE_DATABASE_URL",
    "REDIS_URL": "another name of FOOTNOTE_REDIS_URL",
    "OTEL_EXPORTER_OTLP_HEADERS": "another name of FOOTNOTE_OTLP_HEADERS",
}

pytestmark = pytest.mark.system


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
    inside = "invoke_agent pipeline", "relay turn", "chat scripted", "POST retriever"
    for name in (*inside, "POST /v1/threads/{thread_id}/turns"):
        arrived(name)
    spans = planted.traces.of(trace)
    turn = spans["invoke_agent pipeline"]
    assert turn.attributes["footnote.status"] == "completed"
    assert spans["chat scripted"].parent == turn.id
    assert spans["chat scripted"].attributes["gen_ai.operation.name"] == "chat"
    assert spans["POST retriever"].parent == turn.id
    above = {span.id: span for span in spans.values()}
    assert {above[turn.parent].name, above[spans["relay turn"].parent].name} == {
        "POST /v1/threads/{thread_id}/turns"
    }
    said = b"".join(planted.traces.bodies)
    assert b"sandwiches" not in said
    assert b"Scarborough" not in said
    assert b"Whitby" not in said


def test_every_setting_that_takes_a_secret_has_one(worked: Planted) -> None:
    assert {PREFIX + name for name in SECRET_OF} | NOT_PLANTED.keys() == secret_file_names().keys()
    assert set(SECRET_OF.values()) <= {name for name, secret in worked.secrets.items() if len(secret) >= 20}
    shown = {told.removeprefix("Bearer ") for _, told in worked.echo.shown}
    assert {name for name in SHOWN_TO_ECHO if worked.secrets[name] in shown} == set(SHOWN_TO_ECHO)


def test_no_secret_is_anywhere_but_where_it_was_put(worked: Planted) -> None:
    planted = worked
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
