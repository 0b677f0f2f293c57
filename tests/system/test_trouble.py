"""Processes die, the vector store stops: each document still ends, once (spec 7.5)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_testing.eventually import LIMIT_S, eventually
from tests.system.files import essay
from tests.system.stacks import Client, DistributedStack, server_events

pytestmark = pytest.mark.system


def points_of(stack: DistributedStack, document_id: str) -> int:
    """Vector points that a document has."""
    body = {"exact": True, "filter": {"must": [{"key": "document_id", "match": {"value": document_id}}]}}
    answer = httpx.post(
        f"http://127.0.0.1:{stack.ports['vectors']}/collections/footnote-document/points/count",
        json=body,
        headers={"api-key": stack.vectors_key},
        trust_env=False,
        timeout=LIMIT_S,
        verify=NO_CERTIFICATES,
    )
    return int(answer.json()["result"]["count"])


def assert_indexed_once(stack: DistributedStack, user: Client, documents: list[dict[str, Any]]) -> None:
    for document in documents:
        assert document["status"] == "indexed", document
        timeline = user.http.get(f"/v1/documents/{document['id']}/events").json()["items"]
        assert [t["status"] for t in timeline].count("indexed") == 1, timeline

    def a_point_per_chunk() -> bool:
        return all(points_of(stack, document["id"]) == document["chunks"] for document in documents)

    eventually(a_point_per_chunk, "every document has one point per chunk")


def test_an_embedder_killed_at_work_costs_nothing(distributed: DistributedStack) -> None:
    """On SQLite `tests/integration/ingest/test_processes.py` kills a worker in every stage."""
    user = distributed.client()
    documents = [user.upload(f"{i}.txt", essay(f"beetle {i}", 200), folder="/kill") for i in range(4)]
    ids = [d["id"] for d in documents]

    def in_stage() -> bool:
        items = user.http.post("/v1/documents:lookup", json={"ids": ids}).json()["items"]
        return any(d["status"] == "embedding" for d in items) or all(d["status"] == "indexed" for d in items)

    eventually(in_stage, "a document is embedded")
    distributed.kill_role("embedder")
    distributed.start_worker("embedder", "embed")
    assert_indexed_once(distributed, user, user.wait_ended(ids))


def test_the_vector_store_stopped_while_indexing(distributed: DistributedStack) -> None:
    user = distributed.client()
    ids = [user.upload(f"v{i}.txt", essay(f"vector wasp {i}", 60), folder="/vectors")["id"] for i in range(8)]
    eventually(
        lambda: any(user.document(i)["status"] in ("embedding", "indexing", "indexed") for i in ids),
        "a document is on its way",
    )
    distributed.kill_role("vectors")
    search = Client(f"http://127.0.0.1:{distributed.ports['retriever']}", distributed.key)
    refused = search.http.post("/v1/search", json={"query": "wasp"})
    assert refused.status_code == 503
    assert "Retry-After" in refused.headers
    ready = httpx.get(
        f"http://127.0.0.1:{distributed.ports['retriever']}/readyz",
        trust_env=False,
        timeout=LIMIT_S,
        verify=NO_CERTIFICATES,
    )
    assert ready.status_code == 503
    assert [name for name, answer in ready.json()["checks"].items() if answer != "ok"] == ["qdrant"]
    distributed.start_vectors()
    assert_indexed_once(distributed, user, user.wait_ended(ids))
    eventually(
        lambda: search.http.post("/v1/search", json={"query": "vector wasp"}).status_code == 200,
        "search is back",
    )


def test_two_resolvers_number_the_same_passages_alike(distributed: DistributedStack) -> None:
    urls = [f"http://127.0.0.1:{distributed.ports[name]}" for name in ("resolver0", "resolver1")]
    clients = [Client(url, distributed.key) for url in urls]
    conversation = clients[0].http.post("/v1/conversations", json={}).json()["id"]

    def item(i: int) -> dict[str, object]:
        return {
            "source_type": "web_result",
            "locator": {"url": f"https://example.org/{i}"},
            "display": {"title": f"Page {i}"},
            "text": f"t{i}",
        }

    def register(worker: int) -> dict[str, int]:
        wanted = [i for i in range(60) if i % 3 != worker % 3] + [1000 + worker]
        shown = {}
        for start in range(0, len(wanted), 7):
            batch = wanted[start : start + 7]
            body = {"items": [item(i) for i in batch]}
            answer = clients[worker % 2].http.post(f"/v1/conversations/{conversation}/citations", json=body)
            assert answer.status_code == 200, answer.text
            shown.update(
                {f"https://example.org/{i}": n for i, n in zip(batch, answer.json()["numbers"], strict=True)}
            )
        return shown

    with ThreadPoolExecutor(16) as pool:
        told = list(pool.map(register, range(16)))
    entries = clients[1].http.get(f"/v1/conversations/{conversation}/citations").json()["items"]
    by_number = {entry["n"]: entry["locator"]["url"] for entry in entries}
    assert sorted(by_number) == list(range(1, 60 + 16 + 1))
    for shown in told:
        for url, n in shown.items():
            assert by_number[n] == url


def test_a_turn_goes_through_separate_processes_and_survives_its_agent(distributed: DistributedStack) -> None:
    user = distributed.client()
    made = user.upload(
        "heron.txt", b"The heron of Lake Tuusula eats 300 grams of fish a day.", folder="/birds"
    )
    user.wait_ended([made["id"]])
    agent = Client(f"http://127.0.0.1:{distributed.ports['agent1']}", distributed.key)
    thread = agent.thread()
    with agent.http.stream(
        "POST", f"/v1/threads/{thread}/turns", json={"text": "How much fish does the heron eat?"}
    ) as response:
        turn_id = response.headers["footnote-turn-id"]
        next(server_events(response))
        distributed.kill_role("agent1")
    other = Client(f"http://127.0.0.1:{distributed.ports['agent0']}", distributed.key)

    def ended() -> bool:
        return other.http.get(f"/v1/turns/{turn_id}").json()["status"] in ("completed", "failed")

    eventually(ended, "another agent has ended the turn")
    resolver = Client(f"http://127.0.0.1:{distributed.ports['resolver1']}", distributed.key)
    with resolver.http.stream("GET", f"/v1/streams/{turn_id}") as response:
        events = list(server_events(response))
    assert [e.event["seq"] for e in events] == list(range(1, len(events) + 1))
    assert [e.type for e in events if e.type in ("message.completed", "turn.failed")] == [events[-1].type]
    distributed.start_service("agent1")
    distributed.wait_ready("agent1")


def test_a_trace_can_be_followed_from_http_into_the_workers(distributed: DistributedStack) -> None:
    user = distributed.client()
    trace = "0af7651916cd43dd8448eb211c80319c"
    answer = user.http.post(
        "/v1/documents",
        json={"title": "traced", "text": "A traced text."},
        headers={"traceparent": f"00-{trace}-b7ad6b7169203331-01"},
    )
    assert answer.headers["trace-id"] == trace
    user.wait_ended([answer.json()["id"]])
    eventually(
        lambda: trace in (distributed.folder / "parser.log").read_text(),
        "the trace id stands in the worker's log",
    )
