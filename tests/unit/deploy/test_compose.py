"""The compose file names what is there: settings, targets of the Dockerfile, paths, secrets."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from footnote_cli.embedded.gateway import SERVICE_OF_SEGMENT
from footnote_shared.settings.base import PREFIX, Settings, known_names, secret_file_names
from tests.unit.deploy.rendered_chart import secrets_by_role

ROOT = Path(__file__).parents[3]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
ROLES = {name: service for name, service in SERVICES.items() if "build" in service}
KNOWN = known_names()


def test_each_role_is_a_target_of_the_dockerfile() -> None:
    targets = set(
        re.findall(r"^FROM \S+ AS (\S+)$", (ROOT / "deploy/Dockerfile").read_text("utf-8"), re.MULTILINE)
    )
    assert {role["build"]["target"] for role in ROLES.values()} <= targets


def test_settings_are_known_and_none_is_a_secret() -> None:
    secret = {
        PREFIX + name.upper() for name, f in Settings.model_fields.items() if "SecretStr" in str(f.annotation)
    }
    for name, role in ROLES.items():
        assert role.get("environment", {}).keys() <= KNOWN - secret, name


def files_of(role: dict[str, Any]) -> dict[str, str]:
    """The files that hold secrets of a role, by their variables."""
    return {key: value for key, value in role.get("environment", {}).items() if key.endswith("_FILE")}


@pytest.mark.parametrize("name", ROLES)
def test_secrets_are_files_that_the_role_is_given(name: str) -> None:
    files = files_of(ROLES[name])
    assert set(files) <= set(secret_file_names().values())
    assert {Path(value).name for value in files.values()} == set(ROLES[name].get("secrets", []))


def test_each_role_has_the_secrets_that_the_chart_gives_it_and_no_others() -> None:
    of_chart = {role.removeprefix("worker-"): secrets for role, secrets in secrets_by_role().items()}
    # It says that all is ready, and is no process of ours.
    of_chart["ready"] = frozenset()
    assert {
        name: {key.removeprefix(PREFIX).removesuffix("_FILE").lower() for key in files_of(role)}
        for name, role in ROLES.items()
    } == of_chart


def test_files_in_which_nothing_was_written_are_taken_by_a_role(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deploy/compose").mkdir(parents=True)
    script = shutil.copy(ROOT / "deploy/compose/make_secrets.sh", tmp_path / "deploy/compose")
    subprocess.run(["sh", script], check=True, capture_output=True)
    for key, path in ROLES["agent"]["environment"].items():
        if key.endswith("_FILE"):
            monkeypatch.setenv(key, str(tmp_path / ".secrets" / Path(path).name))
    read = Settings()
    assert (read.chat_fallbacks, read.web_search_key.get_secret_value()) == ([], "")
    assert read.service_secret.get_secret_value()


def test_keys_that_are_put_in_stay_when_the_script_runs_again(tmp_path: Path) -> None:
    (tmp_path / "deploy/compose").mkdir(parents=True)
    script = shutil.copy(ROOT / "deploy/compose/make_secrets.sh", tmp_path / "deploy/compose")
    subprocess.run(["sh", script], check=True, capture_output=True)
    given = {"chat_api_key": "of a provider", "settings.env": "FOOTNOTE_ENCRYPTION=true\n"}
    for name, text in given.items():
        (tmp_path / ".secrets" / name).write_text(text)
    before = {file.name: file.read_text() for file in (tmp_path / ".secrets").iterdir()}
    subprocess.run(["sh", script], check=True, capture_output=True)
    assert {file.name: file.read_text() for file in (tmp_path / ".secrets").iterdir()} == before


def test_each_role_has_time_to_end_what_it_has_in_hand() -> None:
    given = {name: int(role["stop_grace_period"].removesuffix("s")) for name, role in ROLES.items()}
    settings = Settings()
    assert min(given.values()) >= 2 * settings.drain_s + settings.requests_end_s + settings.turn_grace_s


def test_each_role_takes_other_settings_from_one_file() -> None:
    assert {tuple(role["env_file"]) for role in ROLES.values()} == {(".secrets/settings.env",)}


def test_the_script_writes_what_settings_read(tmp_path: Path) -> None:
    for place in ("deploy/compose", ".secrets"):
        (tmp_path / place).mkdir(parents=True)
    script = shutil.copy(ROOT / "deploy/compose/make_secrets.sh", tmp_path / "deploy/compose")
    subprocess.run(["sh", script], check=True, capture_output=True)
    written = {Path(secret["file"]).name for secret in COMPOSE["secrets"].values()}
    assert written <= {file.name for file in (tmp_path / ".secrets").iterdir()}
    assert (tmp_path / ".secrets/settings.env").read_text() == ""
    assert (tmp_path / ".secrets/chat_api_key").read_text() == ""
    assert len((tmp_path / ".secrets/master_key").read_text()) >= 32
    options = json.loads((tmp_path / ".secrets/blob_options").read_text())
    assert options["secret_access_key"] == (tmp_path / ".secrets/objects_password").read_text()


@pytest.mark.parametrize("name", ROLES)
def test_a_role_has_no_rights_that_it_does_not_need(name: str) -> None:
    role = ROLES[name]
    assert role["read_only"] is True
    assert role["cap_drop"] == ["ALL"]
    assert role["security_opt"] == ["no-new-privileges:true"]


def test_only_the_proxy_is_reached_from_other_machines() -> None:
    published = {name: port for name, service in SERVICES.items() for port in service.get("ports", [])}
    outside = [name for name, port in published.items() if not port.startswith("127.0.0.1:")]
    assert outside == ["proxy"]


def test_files_that_are_mounted_are_there() -> None:
    for service in SERVICES.values():
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            if source.startswith("./"):
                assert (ROOT / source).exists(), source
            else:
                assert source in COMPOSE["volumes"]


def test_the_proxy_leads_paths_where_the_gateway_of_an_embedded_run_leads_them() -> None:
    text = (ROOT / "deploy/compose/proxy.conf").read_text("utf-8")
    routes = re.findall(r'location ~ "(\S+)" \{\s+set \$to http://(\w+):8000;', text)
    for segment, service in SERVICE_OF_SEGMENT.items():
        for path in (f"/v1/{segment}", f"/v1/{segment}/1/x", f"/v1/{segment}:do"):
            assert {name for pattern, name in routes if re.match(pattern, path)} == {service}
    assert {name for pattern, name in routes if re.match(pattern, "/mcp")} == {"agent"}
    assert "proxy_buffering off;" in text


def test_the_proxy_refuses_no_upload_that_the_services_take() -> None:
    text = (ROOT / "deploy/compose/proxy.conf").read_text("utf-8")
    assert re.findall(r"client_max_body_size (\S+);", text) == ["0"]


def test_prometheus_reads_every_role_that_stays() -> None:
    said = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yaml").read_text("utf-8"))
    read = {
        name for job in said["scrape_configs"] for found in job["dns_sd_configs"] for name in found["names"]
    }
    assert read == ROLES.keys() - {"migrate", "ready"}
