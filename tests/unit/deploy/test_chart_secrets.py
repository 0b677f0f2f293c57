"""Each role of the chart has the secrets that it needs, as files and not as variables."""

import json
import re

import yaml

from footnote_shared.settings.base import PREFIX, secret_file_names
from tests.unit.deploy.rendered_chart import CHART, ROOT, environment, pods, rows, secrets_by_role


@rows
def test_no_secret_is_in_an_environment_and_each_is_a_file_that_is_mounted(row: str) -> None:
    files_of = secret_file_names()
    for name, pod in pods(row):
        kept = {volume["name"]: volume for volume in pod.get("volumes", [])}
        for container in [*pod["containers"], *pod.get("initContainers", [])]:
            assert not [one for one in container.get("env", []) if "valueFrom" in one], name
            assert not environment(container).keys() & files_of.keys(), name
            named = {value for key, value in environment(container).items() if key.endswith("_FILE")}
            if not named:
                continue
            mounted = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
            assert mounted["/run/secrets/footnote"]["readOnly"] is True, name
            secret = kept["secrets"]["secret"]
            assert secret["secretName"] == "footnote"
            assert secret["defaultMode"] == 0o440
            assert named == {f"/run/secrets/footnote/{item['path']}" for item in secret["items"]}, name


def test_every_secret_of_the_settings_has_a_key_of_the_secret() -> None:
    helpers = (CHART / "templates/_helpers.tpl").read_text("utf-8")
    table = re.search(r'define "footnote.secretSettings" -}}\n(.*?){{- end }}', helpers, re.DOTALL)
    assert table is not None
    settings = yaml.safe_load(table[1])
    ours = {name for name in secret_file_names() if name.startswith(PREFIX)}
    assert set(settings.values()) == ours - {f"{PREFIX}API_KEY"}, "that one is the command line's"
    schema = json.loads((CHART / "values.schema.json").read_text("utf-8"))
    optional = schema["properties"]["secrets"]["properties"]["optional"]["items"]["enum"]
    assert {*optional, "database-url", "redis-url", "blob-options", "service-secret"} == settings.keys()


def test_each_role_has_the_secrets_of_what_it_does_and_no_others() -> None:
    found = secrets_by_role()
    ours = {name.removeprefix(PREFIX).lower() for name in secret_file_names() if name.startswith(PREFIX)}
    assert frozenset().union(*found.values()) == ours - {"api_key"}
    assert found["beat"] == {"redis_url"}
    assert found["migrate"] == {"database_url"}
    assert "blob_options" not in found["agent"] | found["resolver"] | found["retriever"]
    assert "chat_api_key" not in found["ingest"] | found["resolver"] | found["worker-parse"]
    assert "chat_api_key" in found["worker-facts"]
    for service in ("ingest", "retriever", "agent", "resolver"):
        code = "\n".join(file.read_text("utf-8") for file in (ROOT / "services" / service).rglob("*.py"))
        named = {secret for secret in ours if re.search(rf"settings\.{secret}\b", code)}
        having = found[service] | (found["worker-parse"] if service == "ingest" else set())
        assert named <= having, service
