"""Where the master key comes from: the settings, a file, or Vault over HTTP (spec 7.3)."""

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from footnote_shared.kernel.errors import Misconfigured, Unavailable
from footnote_shared.security.master_key import GivenMasterKey, VaultMasterKey, make_key_text, master_key
from footnote_shared.security.sealing import Seals
from footnote_shared.security.vault_transit import VaultTransit
from footnote_shared.settings.base import Settings
from footnote_testing.loopback_server import LoopbackServer

TOKEN = "hvs.only-these-tests-know"
KEY = b"k" * 32


class ScriptedTransit(LoopbackServer):
    """The transit engine as its documentation describes it, with one key. `status` replaces each answer's."""

    def __init__(self) -> None:
        super().__init__(_Transit)
        self.seals = Seals.of("what the engine keeps for itself, always")
        self.status: int | None = None
        self.body: bytes | None = None


class _Transit(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, ScriptedTransit)
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["X-Vault-Token"] != TOKEN:
            return self._answer(403, {"errors": ["permission denied"]})
        if server.status is not None or server.body is not None:
            return self._answer(server.status or 200, server.body or {"errors": ["sealed"]})
        context = asked.get("associated_data", "")
        try:
            if self.path == "/v1/transit/encrypt/footnote":
                sealed = server.seals.seal(asked["plaintext"], context)
                return self._answer(200, {"data": {"ciphertext": f"vault:v1:{sealed}", "key_version": 1}})
            if self.path == "/v1/transit/decrypt/footnote":
                plain = server.seals.open(asked["ciphertext"].removeprefix("vault:v1:"), context)
                return self._answer(200, {"data": {"plaintext": plain}})
        except Misconfigured:
            return self._answer(400, {"errors": ["cipher: message authentication failed"]})
        return self._answer(404, {"errors": []})

    def _answer(self, status: int, body: dict[str, Any] | bytes) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nothing: the output of tests is for failures."""


@pytest.fixture
def transit() -> Iterator[ScriptedTransit]:
    server = ScriptedTransit()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def vault(server: ScriptedTransit, token: str = TOKEN, key: str = "footnote") -> VaultTransit:
    return VaultTransit(f"{server.url}/v1/transit/keys/{key}", token)


def test_vault_wraps_for_one_place_and_the_key_stays_there(transit: ScriptedTransit) -> None:
    wrapped = VaultMasterKey(vault(transit), None).wrap(KEY, "here")
    assert wrapped.startswith("vault:v1:")
    assert base64.b64encode(KEY).decode() not in wrapped
    assert VaultMasterKey(vault(transit), None).unwrap(wrapped, "here") == KEY
    with pytest.raises(Misconfigured, match="did not wrap"):
        vault(transit).decrypt(wrapped, "there")


def test_vault_says_who_must_act(transit: ScriptedTransit) -> None:
    with pytest.raises(Misconfigured, match="FOOTNOTE_VAULT_TOKEN"):
        vault(transit, token="another").encrypt(KEY, "here")
    with pytest.raises(Misconfigured, match="does not know the key"):
        vault(transit, key="absent").encrypt(KEY, "here")
    transit.status = 503
    with pytest.raises(Unavailable):
        vault(transit).encrypt(KEY, "here")
    transit.status = None
    for nonsense in (b"<html>", b"[]", b'{"data": {"ciphertext": 5}}', b"x" * 100_000):
        transit.body = nonsense
        with pytest.raises(Unavailable):
            vault(transit).encrypt(KEY, "here")
    transit.body = b'{"data": {"plaintext": "no base64"}}'
    with pytest.raises(Unavailable):
        vault(transit).decrypt("vault:v1:x", "here")


def test_vault_that_is_away_is_told_from_vault_that_refuses() -> None:
    server = ScriptedTransit()
    server.server_close()
    with pytest.raises(Unavailable):
        vault(server).encrypt(KEY, "here")


def test_what_a_master_key_wrapped_opens_after_the_change_to_vault(transit: ScriptedTransit) -> None:
    before = GivenMasterKey(make_key_text())
    wrapped = before.wrap(KEY, "here")
    assert VaultMasterKey(vault(transit), before).unwrap(wrapped, "here") == KEY
    with pytest.raises(Misconfigured, match="rewrap"):
        VaultMasterKey(vault(transit), None).unwrap(wrapped, "here")


@pytest.mark.parametrize("url", ["vault:8200/v1/transit/keys/a", "http://v/v1/transit", "http://v/keys/a/b"])
def test_a_url_that_names_no_key_is_refused(url: str) -> None:
    with pytest.raises(Misconfigured, match="/keys/"):
        VaultTransit(url, TOKEN)


def test_the_settings_name_the_master_key(tmp_path: Path) -> None:
    assert master_key(Settings(data=tmp_path)) is None
    with pytest.raises(Misconfigured, match="make-key"):
        master_key(Settings(data=tmp_path, encryption=True))
    old, new = make_key_text(), make_key_text()
    given = master_key(Settings(data=tmp_path, encryption=True, master_key=SecretStr(f"{new}, {old}")))
    assert given is not None
    wrapped = given.wrap(KEY, "here")
    assert GivenMasterKey(new).unwrap(wrapped, "here") == KEY
    assert given.unwrap(GivenMasterKey(old).wrap(KEY, "here"), "here") == KEY
    with pytest.raises(Misconfigured, match="FOOTNOTE_MASTER_KEY does not give"):
        GivenMasterKey(old).unwrap(wrapped, "here")


def test_a_file_holds_keys_line_by_line_and_each_is_long_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = make_key_text(), make_key_text()
    file = tmp_path / "master"
    file.write_text(f"{new}\n{old}\n")
    monkeypatch.setenv("FOOTNOTE_MASTER_KEY_FILE", str(file))
    given = master_key(Settings(data=tmp_path))
    assert given is not None
    assert GivenMasterKey(new).unwrap(given.wrap(KEY, "here"), "here") == KEY
    assert given.unwrap(GivenMasterKey(old).wrap(KEY, "here"), "here") == KEY
    file.write_text("short\n")
    with pytest.raises(Misconfigured, match="FOOTNOTE_MASTER_KEY needs 32"):
        master_key(Settings(data=tmp_path))
