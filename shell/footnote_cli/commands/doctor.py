"""`footnote doctor`: what is configured, what answers, and which optional parts are missing."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer
from pydantic import SecretStr

from footnote_cli.api_client import connect as connect_to_server
from footnote_cli.commands.reconcile import reconcile as compare_stores
from footnote_cli.embedded.redis_server import find_redis_server
from footnote_cli.migrations import missing_revisions
from footnote_cli.own_server import client_settings, from_own_file, own_file
from footnote_cli.render import console, outside, print_json, table
from footnote_cli.services import parser_confinement
from footnote_shared.egress.web_authorities import web_authorities
from footnote_shared.embedding.load import runtime_state
from footnote_shared.kernel.errors import FootnoteError, Unavailable
from footnote_shared.kernel.shown_addresses import MASK, names_a_secret, shown_address
from footnote_shared.redis.connection import connect, redis_errors
from footnote_shared.security.open_database import open_database
from footnote_shared.settings.base import PREFIX, Settings, source_of
from footnote_shared.settings.models import ModelEndpoint

_ANSWER_S = 5.0


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
    reconcile: Annotated[
        bool, typer.Option("--reconcile", help="Compare the stores of a running server, and repair them.")
    ] = False,
    begin_at: Annotated[
        str | None, typer.Option("--from", help="Go on with --reconcile where it was interrupted.")
    ] = None,
) -> None:
    """Say what is configured, what answers and what is missing.

    Every setting is listed with its value, where that comes from, and what it means. Secrets are masked.

    Example: `footnote doctor --json`

    Exit status: 0 when all that is needed works, 1 when something does not, 2 on wrong use.
    """
    if reconcile:
        compare_stores(begin_at, as_json=as_json)
    settings = client_settings()
    own = dict.fromkeys(from_own_file(), str(own_file()))
    parts = {name: _try(check, settings) for name, check in _CHECKS.items()}
    options = {name: check(settings) for name, check in _OPTIONS.items()}
    values = {
        name: {"value": shown(getattr(settings, name)), "source": own.get(name) or source_of(name)}
        for name in Settings.model_fields
    }
    if as_json:
        print_json({"checks": parts, "optional": options, "settings": values})
    else:
        _print(parts, options, values)
    raise typer.Exit(0 if all(answer.startswith("ok") for answer in parts.values()) else 1)


def shown(value: Any) -> str:
    """A setting as text, with secrets masked, also those inside of addresses and options."""
    if isinstance(value, SecretStr):
        return MASK if value.get_secret_value() else ""
    if isinstance(value, list):
        return ", ".join(map(shown, value))
    if isinstance(value, ModelEndpoint):
        return f"{value.model} at {value.where}"
    if isinstance(value, dict):
        return str({key: MASK if names_a_secret(key) else shown(item) for key, item in value.items()})
    return shown_address(str(value))


def _print(parts: dict[str, str], options: dict[str, str], values: dict[str, dict[str, str]]) -> None:
    for title, answers in (("Needed", parts), ("Optional", options)):
        rows = table(title, "part", "state")
        for name, answer in answers.items():
            rows.add_row(name, outside(answer))
        console.print(rows, "")
    rows = table("Settings", "name", "value", "source", "meaning")
    for name, value in values.items():
        meaning = Settings.model_fields[name].description or ""
        rows.add_row(PREFIX + name.upper(), outside(value["value"]), value["source"], outside(meaning))
    console.print(rows)


def _try(check: Callable[[Settings], str], settings: Settings) -> str:
    try:
        return check(settings)
    except FootnoteError as error:
        return error.detail


def _database(settings: Settings) -> str:
    database = open_database(settings, answer_s=settings.database_answer_s)
    try:
        missing = missing_revisions(database)
    finally:
        database.close()
    kind = "SQLite" if database.is_sqlite else "PostgreSQL"
    if missing:
        return f"{kind} answers but lacks {', '.join(sorted(missing))}: run `footnote migrate`"
    return f"ok, {kind}, up to date"


def _redis(settings: Settings) -> str:
    if source_of("redis_url") == "default":
        said = f"ok, started by `footnote up` from {find_redis_server()}"
    else:
        with redis_errors():
            said = f"ok, Redis {_redis_version(settings.redis_url)}"
    if settings.stream_redis_urls:
        kept = [_streams_in(name, url) for name, url in settings.stream_servers.items()]
        said += f"; streams of turns in {', '.join(kept)}"
    return said


def _redis_version(url: str) -> str:
    return str(connect(url).info("server")["redis_version"])


def _streams_in(name: str, url: str) -> str:
    """One Redis of several that keep streams. Raises Unavailable, with its name."""
    try:
        with redis_errors():
            return f"{name} (Redis {_redis_version(url)})"
    except Unavailable as away:
        told = f"Redis at {name}, which keeps streams of turns, does not answer."
        raise Unavailable("redis", told) from away


def _vectors(settings: Settings) -> str:
    if source_of("qdrant_url") == "default":
        return "ok, the bridge over Qdrant Edge, started by `footnote up`"
    try:
        answer = httpx.get(
            settings.qdrant_url,
            headers={"api-key": settings.qdrant_api_key.get_secret_value()},
            timeout=_ANSWER_S,
        )
    except httpx.HTTPError:
        return f"Nothing answers at {shown_address(settings.qdrant_url)}."
    return f"ok, {answer.json().get('title')} {answer.json().get('version')}"


def _server(settings: Settings) -> str:
    try:
        answer = httpx.get(
            f"{settings.public_url}/readyz", timeout=_ANSWER_S, trust_env=False, verify=web_authorities()
        )
    except httpx.HTTPError:
        return f"Nothing answers at {settings.public_url}: start it with `footnote up`."
    return f"ok, ready at {settings.public_url}" if answer.status_code == 200 else f"not ready: {answer.text}"


def _chat(settings: Settings) -> str:
    endpoints = settings.endpoints("chat")
    if not endpoints:
        return (
            "no chat model: the extractive engine answers "
            "(set FOOTNOTE_CHAT_BASE_URL and FOOTNOTE_CHAT_MODEL for a model)"
        )
    return "; then ".join(map(_endpoint_state, endpoints))


def _fast(settings: Settings) -> str:
    endpoints = settings.endpoints("fast")
    if not endpoints:
        return "no fast model: rules rewrite questions (set FOOTNOTE_FAST_MODEL for one)"
    return f"{_endpoint_state(endpoints[0])}; then the chat model"


def _endpoint_state(endpoint: ModelEndpoint) -> str:
    """What the list of the endpoint's models says: whether it is on, and whether it takes the key."""
    key = endpoint.api_key.get_secret_value()
    where = endpoint.base_url.rstrip("/")
    match endpoint.provider:
        case "openai":
            url, headers = f"{where}/models", {"Authorization": f"Bearer {key}"} if key else {}
        case "anthropic":
            url = f"{where or 'https://api.anthropic.com'}/v1/models"
            headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
        case "google":
            url = f"{where or 'https://generativelanguage.googleapis.com'}/v1beta/models"
            headers = {"x-goog-api-key": key}
    try:
        answer = httpx.get(url, headers=headers, timeout=_ANSWER_S)
    except httpx.HTTPError:
        return f"{endpoint.model}: nothing answers at {endpoint.where}"
    return f"{endpoint.model} at {endpoint.where}: answers {answer.status_code}"


def _ocr(settings: Settings) -> str:
    found = shutil.which("tesseract")
    return f"tesseract at {found}" if found else "no tesseract: pages that are only pictures have no text"


def _embedding(settings: Settings) -> str:
    return f"{settings.embedding_model} by {runtime_state(settings)}"


def _old_office(settings: Settings) -> str:
    found = shutil.which("soffice") or shutil.which("libreoffice")
    return f"LibreOffice at {found}" if found else "no LibreOffice: doc, xls and ppt are not read"


def _blobs(settings: Settings) -> str:
    if settings.blob_url:
        return f"blobs in {shown_address(settings.blob_url)}"
    folder = settings.data / "blobs"
    refused = folder.is_dir() and not os.access(folder, os.W_OK)
    return f"blobs in {folder}" + (
        ", which cannot be written: uploads are answered with 503" if refused else ""
    )


def _nli(settings: Settings) -> str:
    """What can be said without loading the model, which takes long."""
    name = settings.verification_nli_model
    if not name:
        return (
            "no NLI model: citations are verified by rules and vectors alone "
            "(set FOOTNOTE_VERIFICATION_NLI_MODEL for one)"
        )
    if not Path(name).is_dir():
        return f"{name}: no folder of this name, so the resolver asks the hub for it when it starts"
    if not (Path(name) / "config.json").is_file():
        return f"{name}: the folder holds no config.json"
    return f"{name} on {settings.verification_nli_device}"


def _flags(settings: Settings) -> str:
    """What the workspace of this key has set in place of the operator, if a server is there to say it."""
    if not _server(settings).startswith("ok"):
        return "the workspace's flags are not known: no server is ready"
    try:
        cards = connect_to_server().get("/v1/flags")["items"]
    except FootnoteError as error:
        return f"the workspace's flags are not known: {error.detail}"
    own = [f"{card['name']}={card['value']}" for card in cards if card["source"] == "workspace"]
    if not own:
        return "the workspace has set no flag: the settings below hold"
    return f"the workspace has set {', '.join(own)} (see `footnote flags`)"


def _lanes(settings: Settings) -> str:
    """What is searched, and how far the next version is, if a server is there to say it to this key."""
    if not _server(settings).startswith("ok"):
        return "not known: no server is ready"
    try:
        lanes = connect_to_server().get("/v1/lanes")["items"]
    except FootnoteError as error:
        return f"not known: {error.detail}"
    return "; ".join(map(_lane_state, lanes)) or "nothing has been embedded yet"


def _lane_state(lane: dict[str, Any]) -> str:
    said = f"{lane['name']}: version {lane['live']} is searched"
    for version in lane["versions"]:
        if version["status"] in ("building", "checking", "ready", "switching"):
            said += f", {version['number']} is {version['status']}"
            said += f" ({version['chunks']} of {version['chunks_total']} chunks"
            if version.get("per_second"):
                said += f", {version['per_second']:.0f} a second, {version['seconds_left']:.0f} s left"
            said += ")"
        elif version["status"] == "previous":
            said += f", {version['number']} is kept for a rollback"
        if version["status"] in ("ready", "failed") and version.get("reason"):
            said += f": {version['reason']}"
    return f"{said} (see `footnote lanes`)"


def _reranker(settings: Settings) -> str:
    """What is configured. Asking a hosted one would cost money."""
    found = []
    if settings.reranker_model:
        found.append(f"{settings.reranker_model} on {settings.reranker_device}")
    if settings.reranker_http:
        where = shown_address(settings.reranker_http_url) or "the provider's own address"
        key = "with a key" if settings.reranker_http_key.get_secret_value() else "without a key"
        found.append(f"{settings.reranker_http} at {where}, {key}")
    if settings.reranker_late:
        found.append(f"late, by {settings.embedding_model}, where a search asks for it")
    return "; also ".join(found) or "no reranker: the fused order stands (docs/howto/rerank.md)"


_CHECKS: dict[str, Callable[[Settings], str]] = {
    "database": _database,
    "redis": _redis,
    "vectors": _vectors,
    "server": _server,
    "parser": parser_confinement,
}
_OPTIONS: dict[str, Callable[[Settings], str]] = {
    "chat model": _chat,
    "fast model": _fast,
    "embedding": _embedding,
    "reranker": _reranker,
    "OCR": _ocr,
    "old Office": _old_office,
    "blobs": _blobs,
    "NLI model": _nli,
    "flags": _flags,
    "lanes": _lanes,
}
