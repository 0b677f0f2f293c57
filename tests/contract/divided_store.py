"""A stand-in for a cluster of Qdrant whose collections are divided by shard keys, over our bridge.

No such cluster is at hand. What it does is what Qdrant's documentation says of user-defined sharding: a
change has to name the keys whose shards it is for, a search that names one sees what lies under it and
nothing else, and one that names none sees all. Each shard is a collection of the bridge, so the points of two
keys are really apart.
"""

from typing import Any

import httpx
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_shared.vectors.schema import collection_of
from footnote_testing.bridge_process import BridgeProcess
from footnote_testing.eventually import LIMIT_S
from footnote_testing.served_app import ServedApp

Body = dict[str, Any]
_CHANGES = ("points", "points/delete", "points/payload")


class Refused(Exception):
    """Said with 400, as Qdrant says it."""


class DividedStore:
    """`asked` lists what each change and read named: its path within the collection, and its shard keys."""

    def __init__(self, bridge: BridgeProcess) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self._made: dict[str, Body] = {}
        self._keys: dict[str, list[str]] = {}
        self._bridge = httpx.AsyncClient(
            base_url=bridge.url,
            headers={"api-key": bridge.key},
            trust_env=False,
            timeout=LIMIT_S,
            verify=NO_CERTIFICATES,
        )
        app = FastAPI()
        app.api_route("/{path:path}", methods=["GET", "PUT", "POST", "PATCH", "DELETE"])(self._answer)
        self.served = ServedApp(app)

    def keys_of(self, lane: str) -> list[str]:
        """The shard keys of the first version of a lane, which may be changed."""
        return self._keys[collection_of(lane, 1)]

    async def _answer(self, path: str, request: Request) -> Response:
        body = await request.json() if await request.body() else {}
        query = dict(request.query_params)
        try:
            if path == "":
                return JSONResponse({"title": "qdrant", "version": "1.20.0"})
            parts = path.split("/", 2)
            if parts[0] == "collections" and len(parts) > 1 and parts[1] != "aliases":
                name = await self._collection(parts[1])
                return await self._of(name, "".join(parts[2:]), request.method, body, query)
            return await self._ask(request.method, path, body, query)
        except Refused as refused:
            return JSONResponse({"status": {"error": f"Bad request: {refused}"}}, status_code=400)

    async def _of(self, name: str, rest: str, method: str, body: Body, query: Body) -> Response:
        if not rest:
            return await self._whole(name, method, body, query)
        if name not in self._keys:
            self._must_name_none(body)
            return await self._ask(method, f"collections/{name}/{rest}", body, query)
        if rest == "shards":
            return await self._shards(name, method, body)
        if rest.startswith("index"):
            for shard in (name, *self._shards_of(name, self._keys[name])):
                answer = await self._ask(method, f"collections/{shard}/{rest}", body, query)
            return answer
        if rest == "points/query/batch":
            return await self._searched(name, body, query)
        change = rest in _CHANGES and not (rest == "points" and method == "POST")
        keys = self._named(name, rest, body, change=change)
        answers = [
            await self._ask(method, f"collections/{shard}/{rest}", part, query)
            for shard, part in ((shard, dict(body)) for shard in self._shards_of(name, keys))
        ]
        return answers[0] if change else _joined(rest, body, answers)

    async def _whole(self, name: str, method: str, body: Body, query: Body) -> Response:
        if method == "PUT" and body.pop("sharding_method", None) == "custom":
            self._keys.setdefault(name, [])
            self._made.setdefault(name, body)
        if method == "DELETE":
            for shard in self._shards_of(name, self._keys.pop(name, [])):
                await self._ask(method, f"collections/{shard}", {}, query)
        return await self._ask(method, f"collections/{name}", body, query)

    async def _shards(self, name: str, method: str, body: Body) -> Response:
        there = self._keys[name]
        if method == "PUT":
            if body["shard_key"] in there:
                raise Refused(f"Sharding key {body['shard_key']} already exists for collection {name}")
            there.append(body["shard_key"])
            (shard,) = self._shards_of(name, there[-1:])
            return await self._ask("PUT", f"collections/{shard}", self._made[name], {})
        return JSONResponse({"result": {"shard_keys": [{"key": key} for key in there]}})

    async def _searched(self, name: str, body: Body, query: Body) -> Response:
        """Each search of a batch names keys of its own; what their shards find is one list."""
        found = []
        for search in body["searches"]:
            shards = self._shards_of(name, self._named(name, "query", search, change=False))
            points: list[Body] = []
            for shard in shards:
                path = f"collections/{shard}/points/query/batch"
                answer = await self._ask("POST", path, {"searches": [search]}, query)
                if answer.status_code != httpx.codes.OK:
                    return answer
                points += _result(answer)[0]["points"]
            points.sort(key=lambda point: -point["score"])
            found.append({"points": points[: search["limit"]]})
        return JSONResponse({"result": found, "status": "ok", "time": 0.0})

    def _named(self, name: str, rest: str, body: Body, *, change: bool) -> list[str]:
        key = body.pop("shard_key", None)
        keys = [] if key is None else [key] if isinstance(key, str) else list(key)
        self.asked.append((rest, tuple(keys)))
        if not keys and change:
            raise Refused("Shard key not specified")
        for one in keys:
            if one not in self._keys[name]:
                raise Refused(f"Shard key {one} not found")
        return keys or self._keys[name]

    def _must_name_none(self, body: Body) -> None:
        for one in (body, *body.get("searches", [])):
            if one.pop("shard_key", None) is not None:
                raise Refused("Shard key not found")

    def _shards_of(self, name: str, keys: list[str]) -> list[str]:
        return [f"{name}.{key.replace(' ', '-')}" for key in keys]

    async def _collection(self, name: str) -> str:
        """The collection that a name or an alias stands for."""
        aliases = (await self._bridge.get("/aliases")).json()["result"]["aliases"]
        return next((one["collection_name"] for one in aliases if one["alias_name"] == name), name)

    async def _ask(self, method: str, path: str, body: Body, query: Body) -> Response:
        answer = await self._bridge.request(method, f"/{path}", params=query, json=body or None)
        return Response(answer.content, answer.status_code, media_type="application/json")


def _result(answer: Response) -> Any:
    return httpx.Response(200, content=bytes(answer.body)).json()["result"]


def _joined(rest: str, body: Body, answers: list[Response]) -> Response:
    """One answer for what several shards answer to a read."""
    failed = [one for one in answers if one.status_code != httpx.codes.OK]
    if failed:
        return failed[0]
    results = [_result(one) for one in answers]
    if rest == "points/count":
        joined: Any = {"count": sum(one["count"] for one in results)}
    elif rest == "points/scroll":
        points = sorted((point for one in results for point in one["points"]), key=lambda point: point["id"])
        page, further = points[: body["limit"]], points[body["limit"] :]
        behind = [one["next_page_offset"] for one in results if one["next_page_offset"] is not None]
        following = min([point["id"] for point in further[:1]] + behind, default=None)
        joined = {"points": page, "next_page_offset": following}
    else:
        joined = [point for one in results for point in one]
    return JSONResponse({"result": joined, "status": "ok", "time": 0.0})
