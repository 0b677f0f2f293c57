"""What a system with a secret in every place does with each: uses it well, and fails with it in hand."""

import base64
import hashlib
import hmac
import json
import secrets
import time
from typing import Any

from footnote_testing.eventually import eventually
from footnote_testing.planners import PlannedReply, call, results_in
from footnote_testing.scripted_model import Script
from footnote_testing.tool_server import dying, redirecting, refusing
from tests.system.planted import Planted

PIPELINE: dict[str, Any] = {"settings": {"engine": "pipeline"}}
"""A model that may call tools, as this one may, answers with `agentic` where nobody says so."""

WAV = b"RIFF\x24\x08\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00" + b"\x01\x02" * 500
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def work_and_fail(planted: Planted) -> None:
    """Let everything that holds a secret use it well, and fail with it."""
    document = planted.client.upload("gull.txt", b"The gull of Scarborough steals four sandwiches a day.")
    planted.client.wait_ended([document["id"]])
    thread = planted.client.thread()
    planted.model.script = Script(tokens=["It steals four sandwiches [1]."])
    question = {"text": "How many sandwiches does the gull steal?", "stream": False, **PIPELINE}
    turn = planted.send("POST", f"/v1/threads/{thread}/turns", json=question)
    assert turn.status_code == 200, turn.text
    answers = [turn]
    refusal = f"no such key: Bearer {planted.secrets['model']}"
    cut = Script(tokens=["It steals four sandwiches [1]."], finish="length")
    # One model refuses, another is asked in the place of one that has failed, and an answer is cut.
    for script in (Script(status=401, error=refusal), Script(status=500, error=refusal), cut):
        planted.model.script = script
        body = question | {"text": "And the crow?"}
        answers.append(planted.send("POST", f"/v1/threads/{thread}/turns", json=body))
    for answer in answers:
        if "turn_id" in answer.text:
            planted.send("GET", f"/v1/turns/{answer.json()['turn_id']}/record")
    planted.send("GET", f"/v1/threads/{thread}/messages")
    _search(planted)
    _media(planted)
    _sync(planted)
    _hook(planted)
    _tools(planted)
    _web(planted)
    _automation(planted)
    _tokens(planted, document["workspace_id"])
    for path in ("/v1/audit", "/v1/keys", "/readyz", "/metrics", "/agent/metrics"):
        planted.send("GET", path)


def _search(planted: Planted) -> None:
    """A search that asks a reranker and a fast model, which both refuse their keys."""
    body = {"query": "the gull of Scarborough", "settings": {"reranker": "http", "expand": ["hyde"]}}
    found = planted.send("POST", "/v1/search", json=body)
    assert set(found.json()["degraded"]) >= {"rerank"}, found.text


def _media(planted: Planted) -> None:
    """A recording and a picture that models are asked about, one of which is away at first."""
    files = {"gull.wav": WAV, "gull.png": PNG}
    made = [planted.client.upload(name, content)["id"] for name, content in files.items()]
    for document in planted.client.wait_ended(made):
        assert document["status"] == "failed", document
        for path in ("", "/events"):
            planted.send("GET", f"/v1/documents/{document['id']}{path}")


def _tokens(planted: Planted, workspace: str) -> None:
    """Tokens of an issuer that are good, of another time, of another audience and for too little."""
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
    reading = planted.issuer.sign(workspace, scope="footnote:read")
    planted.secrets["token to read"] = reading.rpartition(".")[2]
    denied = planted.send("GET", "/v1/keys", headers={"Authorization": f"Bearer {reading}"})
    assert denied.status_code == 403, denied.text


def _sync(planted: Planted) -> None:
    """Syncs that fail in each way, with a token in the header and with a secret in the address."""
    token = {"token": planted.secrets["connector"]}
    for status in (400, 401, 403, 404, 429, 500):
        config = {"url": f"{planted.echo.url}/{status}"}
        feed = {"url": f"{planted.echo.url}/{status}/feed?key={planted.secrets['url']}"}
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
    for temper in (refusing(500), dying, redirecting(f"{planted.echo.url}/500")):
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


def _web(planted: Planted) -> None:
    """A model that searches the web, whose engine refuses the key."""

    def searching(request: Any) -> PlannedReply:
        said = PlannedReply("The web says nothing.")
        return said if results_in(request) else call("web_search", query="the gull of Scarborough")

    planted.model.script = Script(planner=searching)
    asked = {"text": "What does the web say of the gull?", "stream": False}
    turn = planted.send("POST", f"/v1/threads/{planted.client.thread()}/turns", json=asked)
    assert turn.json()["status"] == "completed", turn.text
    planted.send("GET", f"/v1/turns/{turn.json()['turn_id']}")


def _automation(planted: Planted) -> None:
    planted.model.script = Script(tokens=["It steals four sandwiches [1]."])
    asked = {"name": "gulls", "text": "How many sandwiches does the gull steal?", "schedule": "0 0 1 1 *"}
    made = planted.send("POST", "/v1/automations", json=asked | PIPELINE)
    assert made.status_code == 201, made.text
    path = f"/v1/automations/{made.json()['id']}"
    planted.send("POST", f"{path}:run")

    def runs() -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = planted.client.http.get(f"{path}/runs").json()["items"]
        return items

    eventually(runs, "the run ends", until=lambda items: items and "ended_at" in items[0])
    planted.send("GET", f"{path}/runs")
