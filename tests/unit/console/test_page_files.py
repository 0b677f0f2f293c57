"""The console as it is delivered: its files, their caching, and what the page is allowed to do."""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import AsyncIterator
from typing import get_args

import httpx
import pytest
from fastapi import FastAPI

from footnote_agent.api import console
from footnote_agent.console import page_files
from footnote_agent.console.page_files import release
from footnote_ingest.parsing.errors import FailureCode
from footnote_shared.contracts.audit import AuditAction
from footnote_shared.contracts.connector_kinds import KIND_FIELDS
from footnote_shared.contracts.flags import FLAGS
from footnote_shared.web.problems import add_problem_handlers

STATIC = page_files._FOLDER
VENDOR = STATIC / "vendor"
MOST_BYTES = 200_000


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    add_problem_handlers(app)
    app.include_router(console.router)
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://agent") as made:
        yield made


async def test_the_front_leads_to_the_console(client: httpx.AsyncClient) -> None:
    answer = await client.get("/")
    assert (answer.status_code, answer.headers["location"]) == (307, "/console")


async def test_the_page_may_run_its_own_modules_and_nothing_else(client: httpx.AsyncClient) -> None:
    answer = await client.get("/console")
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    (script,) = re.findall(r"<script type=\"importmap\">(.*?)</script>", answer.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == f"'self' 'sha256-{digest}'"
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert policy["require-trusted-types-for"] == "'script'"
    assert answer.headers["cache-control"] == "no-cache"
    for path in re.findall(r"/console/[0-9a-f]+/([\w./-]+)", answer.text):
        assert path in release().files


async def test_files_of_a_release_are_kept_and_others_are_asked_for_again(client: httpx.AsyncClient) -> None:
    kept = await client.get(f"/console/{release().name}/app.js")
    assert "immutable" in kept.headers["cache-control"]
    assert kept.headers["content-type"].startswith("text/javascript")
    loose = await client.get("/console/footnote-citations.js")
    assert loose.headers["cache-control"] == "no-cache"
    again = await client.get(
        "/console/footnote-citations.js", headers={"If-None-Match": loose.headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


async def test_a_file_is_compressed_for_whoever_takes_that(client: httpx.AsyncClient) -> None:
    packed = await client.get("/console/console.css", headers={"Accept-Encoding": "gzip"})
    plain = await client.get("/console/console.css", headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.text == plain.text


@pytest.mark.parametrize(
    "path", ["nothing.js", "../app.py", "%2e%2e/app.py", "index.html", "0123456789abcdef/app.js", "vendor"]
)
async def test_there_is_nothing_but_the_files(client: httpx.AsyncClient, path: str) -> None:
    assert (await client.get(f"/console/{path}")).status_code == 404


async def test_samples_go_out_as_files_to_save(client: httpx.AsyncClient) -> None:
    corpus = (await client.get("/console/samples/corpus.json")).json()
    assert corpus["files"]
    answer = await client.get("/console/samples/files/website/questions.html")
    assert b"half an hour before departure" in answer.content
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == "attachment"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["", "nothing", "../sample_files.py", "files/%2e%2e/corpus.json", "files"])
async def test_there_is_nothing_but_the_samples(client: httpx.AsyncClient, path: str) -> None:
    assert (await client.get(f"/console/samples/{path}")).status_code == 404


def test_nothing_comes_from_elsewhere() -> None:
    """Our own files name no foreign address that a browser would load."""
    for path in STATIC.rglob("*"):
        if path.suffix in {".html", ".js", ".css"} and VENDOR not in path.parents:
            text = path.read_text("utf-8")
            assert not re.findall(r"(?:from|import|src=|url\()\s*[\"'(]?\s*(?:https?:)?//", text), path.name


def test_the_vendored_files_are_those_that_are_recorded() -> None:
    record = json.loads((VENDOR / "vendored.json").read_text("utf-8"))
    sums = {name: digest for library in record for name, digest in library["sha256"].items()}
    files = {path.name: path.read_bytes() for path in VENDOR.iterdir() if path.name != "vendored.json"}
    assert {name: hashlib.sha256(content).hexdigest() for name, content in files.items()} == sums
    for library in record:
        assert library["package"].endswith(f"/{library['name']}-{library['version']}.tgz")
        assert library["licence"]
        assert f"{library['name']}.LICENSE.txt" in library["sha256"]


def test_the_console_is_light() -> None:
    """Sentences of the server come after the page, when there is one to say, to readers of the language."""
    sent = {
        path: len(file.packed or file.body)
        for path, file in release().files.items()
        if not path.endswith((".txt", ".json", ".ts"))
    }
    later = {path for path in sent if re.fullmatch(r"strings/\w+/server/\w+\.js", path)}
    assert sum(size for path, size in sent.items() if path not in later) < MOST_BYTES
    assert 0 < sum(sent[path] for path in later) < MOST_BYTES // 8


_ENTRY = re.compile(r'^  "([\w.]+)": (\{\n(?:    .*\n)+  \}|.*),$', re.MULTILINE)
"""A key with its text, or with one for each number on lines of their own."""


def test_both_languages_say_the_same_things() -> None:
    said = {language: _said(language) for language in ("de", "en")}
    assert said["de"] == said["en"]
    used = "\n".join(path.read_text("utf-8") for path in STATIC.rglob("*.js") if VENDOR not in path.parents)
    named = set(re.findall(r'say\("([\w.]+)"', used))
    assert named <= set(said["en"])


def _said(language: str) -> dict[str, set[str]]:
    """The keys of a language, each with the names of what is put into its text. No key stands twice."""
    found: dict[str, set[str]] = {}
    for path in (STATIC / "strings" / language).glob("*.js"):
        for key, said in _ENTRY.findall(path.read_text("utf-8")):
            assert key not in found, f"{path.name} says {key} again"
            found[key] = set(re.findall(r"\{(\w+)\}", said))
    return found


def test_there_are_words_for_all_that_is_filled_in_and_all_that_is_noted() -> None:
    said = _said("en")
    needed = {f"audit.{action}" for action in get_args(AuditAction)} | {f"flag.{name}" for name in FLAGS}
    needed |= {f"reason.{code}" for code in get_args(FailureCode)}
    for kind, parts in KIND_FIELDS.items():
        fields = [name for part in parts for name in part.model_fields]
        needed |= {f"kind.{kind}", *(f"field.{name}" for name in fields)}
        needed |= {f"hint.{kind}.{name}" for name in fields}
    assert needed <= set(said), sorted(needed - set(said))


def test_every_file_of_words_is_read() -> None:
    for language in ("de", "en"):
        joined = (STATIC / "strings" / f"{language}.js").read_text("utf-8")
        for path in (STATIC / "strings" / language).glob("*.js"):
            assert f'"./{language}/{path.name}"' in joined
            assert f"...{path.stem}" in joined


def test_what_is_sent_is_what_is_installed() -> None:
    file = release().files["console.css"]
    assert file.packed is not None
    assert gzip.decompress(file.packed) == (STATIC / "console.css").read_bytes()
