"""The chart renders into what Kubernetes takes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import helm_python as helm
import kubernetes_validate
import pytest
import yaml
from deploy.monitoring.rules import rules

from footnote_cli.embedded.gateway import SERVICE_OF_SEGMENT
from footnote_shared.settings.base import PREFIX, Settings, known_names
from tests.unit.deploy.rendered_chart import (
    CHART,
    EVERYTHING,
    MATRIX,
    VERSIONS,
    environment,
    of_kind,
    pods,
    rendered,
    rows,
)

CUSTOM = {
    "ExternalSecret": ("external-secrets.io/v1", {"secretStoreRef", "target", "dataFrom"}),
    "HTTPRoute": ("gateway.networking.k8s.io/v1", {"parentRefs", "hostnames", "rules"}),
    "PodMonitor": ("monitoring.coreos.com/v1", {"selector", "podMetricsEndpoints"}),
    "ServiceMonitor": ("monitoring.coreos.com/v1", {"selector", "endpoints"}),
    "PrometheusRule": ("monitoring.coreos.com/v1", {"groups"}),
    "ScaledObject": ("keda.sh/v1alpha1", {"scaleTargetRef", "triggers"}),
}
"""Kinds that no schema of Kubernetes has: their version, and what their specification must hold."""


@rows
def test_the_chart_lints(row: str) -> None:
    told = helm.lint(str(CHART), dict(MATRIX[row]), strict=True, kube_version=VERSIONS[-1])
    assert not told["errors"]
    assert [message for message in told["messages"] if message["severity"] > 1] == []


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_takes_all_that_the_chart_makes(version: str) -> None:
    """The newest version judges every object; the others, which cost as much, one of each kind."""
    seen = set()
    for row in MATRIX:
        for document in rendered(row):
            name = document["kind"], document["metadata"]["name"] if version == VERSIONS[-1] else ""
            if name not in seen and document["kind"] not in CUSTOM:
                seen.add(name)
                kubernetes_validate.validate(document, version, strict=True)


def test_objects_of_other_operators_have_their_version_and_their_parts() -> None:
    found = {document["kind"] for document in of_kind("everything", *CUSTOM)}
    assert found == CUSTOM.keys()
    for document in of_kind("everything", *CUSTOM):
        version, parts = CUSTOM[document["kind"]]
        assert document["apiVersion"] == version
        assert parts <= document["spec"].keys()


@rows
def test_no_pod_has_more_rights_than_it_needs(row: str) -> None:
    for name, pod in pods(row):
        assert pod["automountServiceAccountToken"] is False, name
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        for container in [*pod["containers"], *pod.get("initContainers", [])]:
            held = container["securityContext"]
            assert held["allowPrivilegeEscalation"] is False, name
            assert held["readOnlyRootFilesystem"] is True, name
            assert held["capabilities"] == {"drop": ["ALL"]}, name
            assert container["resources"]["limits"]["memory"], name
            assert container["resources"]["requests"].keys() == {"cpu", "memory"}, name


@rows
def test_every_setting_is_a_known_one_and_all_of_them_together_are_taken(row: str) -> None:
    for name, pod in pods(row):
        for container in pod["containers"]:
            ours = {key: value for key, value in environment(container).items() if key.startswith(PREFIX)}
            if not ours:
                continue
            assert ours.keys() <= known_names(), name
            plain = {key: text for key, text in ours.items() if not key.endswith("_FILE")}
            texts = {key.removeprefix(PREFIX).lower(): text for key, text in plain.items()}
            read = {key: json.loads(text) if text[:1] == "{" else text for key, text in texts.items()}
            assert Settings.model_validate(read).data == Path("/data"), name


@pytest.mark.parametrize(
    ("recorded", "keda", "says"),
    [(False, True, True), (True, True, False), (False, False, False)],
    ids=["no recordings", "both", "neither"],
)
def test_who_scales_by_recordings_that_nothing_makes_is_told_so(
    recorded: bool, keda: bool, says: bool
) -> None:
    values = {"autoscaling": {"keda": {"enabled": keda}}, "metrics": {"prometheusRule": recorded}}
    with helm.Chart.load(str(CHART)) as chart:
        texts = chart.render(values=values, name="fn", namespace="docs")
    (notes,) = (text for path, text in texts.items() if path.endswith("/NOTES.txt"))
    assert ("Set metrics.prometheusRule" in notes) is says


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"settings": {"FOOTNOTE_CHAT_API_KEY": "k"}}, "a secret comes from the Secret"),
        ({"settings": {"FOOTNOTE_DATABASE_URL_FILE": "/x"}}, "a secret comes from the Secret"),
        ({"settings": {"FOOTNOTE_QDRANT_URL": "http://x"}}, "the chart sets this one itself"),
        ({"settings": {"FOOTNOTE_REQUESTS_END_S": "60"}}, "give at least 85"),
        ({"terminationGraceSeconds": 30}, "give at least 40"),
    ],
    ids=str,
)
def test_values_that_contradict_each_other_are_refused(values: dict[str, Any], said: str) -> None:
    with helm.Chart.load(str(CHART)) as chart, pytest.raises(helm.HelmRenderError, match=said):
        chart.render(values=values, name="fn", namespace="docs")


def test_what_the_chart_sets_for_comfort_can_be_set_otherwise() -> None:
    given = {"FOOTNOTE_DRAIN_S": "0.5", "FOOTNOTE_LOG_FORMAT": "text"}
    with helm.Chart.load(str(CHART)) as chart:
        texts = chart.render(values={"settings": given}, name="fn", namespace="docs")
    for document in yaml.safe_load_all(texts["footnote/templates/services.yaml"]):
        if document["kind"] == "Deployment":
            (container,) = document["spec"]["template"]["spec"]["containers"]
            names = [one["name"] for one in container["env"]]
            assert given.items() <= environment(container).items()
            assert len(names) == len(set(names))


def test_encryption_tokens_and_policies_are_settings_of_every_role() -> None:
    of_vault = {"FOOTNOTE_VAULT_TOKEN_FILE", "FOOTNOTE_MASTER_KEY_VAULT", "FOOTNOTE_JWT_ISSUER"}
    of_a_key = {"FOOTNOTE_MASTER_KEY_FILE", "FOOTNOTE_ENCRYPTION"}
    for row, expected in (("everything", of_vault), ("a master key", of_a_key)):
        for name, pod in pods(row):
            found = environment(pod["containers"][0])
            if "FOOTNOTE_HOST" in found:
                # The clock and the migration read nothing that is encrypted.
                keyless = name.startswith(("fn-beat", "fn-migrate"))
                assert {one for one in expected if not (keyless and one.endswith("_FILE"))} <= found.keys()
                assert not keyless or not {one for one in expected if one.endswith("_FILE")} & found.keys()
    given = environment(dict(pods("everything"))["fn-agent"]["containers"][0])
    assert json.loads(given["FOOTNOTE_CHUNK_POLICIES"]) == EVERYTHING["chunkPolicies"]
    assert given["FOOTNOTE_OPERATOR_WORKSPACE"] == EVERYTHING["operatorWorkspace"]
    plain = environment(dict(pods("defaults"))["fn-agent"]["containers"][0])
    assert not [name for name in plain if "JWT" in name or "ENCRYPTION" in name or "VAULT" in name]


def test_probes_ask_workers_whether_they_consume_and_services_whether_they_take_requests() -> None:
    for name, pod in pods("defaults"):
        (container,) = pod["containers"]
        if "migrate" in name or "test" in name:
            continue
        paths = {kind: container[kind]["httpGet"] for kind in container if kind.endswith("Probe")}
        port = "metrics" if "worker" in name or "beat" in name else "http"
        assert paths["livenessProbe"] == {"path": "/healthz", "port": port}
        if port == "http":
            assert paths["readinessProbe"] == {"path": "/acceptz", "port": port}


def test_paths_lead_where_the_gateway_of_an_embedded_run_leads_them() -> None:
    (ingress,) = of_kind("everything", "Ingress")
    (route,) = of_kind("everything", "HTTPRoute")
    by_ingress = {
        path["path"]: path["backend"]["service"]["name"]
        for path in ingress["spec"]["rules"][0]["http"]["paths"]
    }
    by_route = {
        rule["matches"][0]["path"]["value"]: rule["backendRefs"][0]["name"] for rule in route["spec"]["rules"]
    }
    for routes in (by_ingress, by_route):
        for segment, service in SERVICE_OF_SEGMENT.items():
            for path in (f"/v1/{segment}", f"/v1/{segment}/1/x", f"/v1/{segment}:do"):
                assert {name for pattern, name in routes.items() if re.fullmatch(pattern, path)} == {
                    f"fn-{service}"
                }
            assert not any(re.fullmatch(pattern, f"/v1/{segment}s") for pattern in routes)
        assert {name for pattern, name in routes.items() if re.fullmatch(pattern, "/mcp")} == {"fn-agent"}


def test_streams_pass_the_ingress_unbuffered() -> None:
    (ingress,) = of_kind("everything", "Ingress")
    said = ingress["metadata"]["annotations"]
    assert said["nginx.ingress.kubernetes.io/proxy-buffering"] == "off"
    assert int(said["nginx.ingress.kubernetes.io/proxy-read-timeout"]) >= 3600


def test_the_ingress_leaves_the_size_of_uploads_to_the_setting_and_takes_other_annotations() -> None:
    prefix = "nginx.ingress.kubernetes.io"
    given = {f"{prefix}/proxy-read-timeout": "7200", "example.com/a": "b"}
    values = {"ingress": {"enabled": True, "annotations": given}}
    with helm.Chart.load(str(CHART)) as chart:
        text = chart.render(values=values, name="fn", namespace="docs")["footnote/templates/ingress.yaml"]
    (ingress,) = (one for one in yaml.safe_load_all(text) if one)
    said = ingress["metadata"]["annotations"]
    assert given.items() <= said.items()
    assert said[f"{prefix}/proxy-body-size"] == "0"
    assert text.count("proxy-read-timeout") == 1


def test_every_pod_is_placed_and_fetched_as_the_values_say() -> None:
    for name, pod in pods("everything bundled"):
        assert pod["nodeSelector"] == EVERYTHING["nodeSelector"], name
        assert pod["tolerations"] == EVERYTHING["tolerations"], name
        assert pod["imagePullSecrets"] == [{"name": "registry"}], name


def test_bundled_objects_have_the_bucket_that_the_roles_write_into() -> None:
    for bucket, url in (("footnote", "s3://footnote"), ("ours", "s3://ours/below/it")):
        values = {"bundled": {"objects": True}, "stores": {"blobUrl": url}}
        with helm.Chart.load(str(CHART)) as chart:
            text = chart.render(values=values, name="fn", namespace="docs")["footnote/templates/stores.yaml"]
        (store,) = (one for one in yaml.safe_load_all(text) if one and one["kind"] == "StatefulSet")
        (making,) = store["spec"]["template"]["spec"]["initContainers"]
        assert making["command"][-1] == f"/data/{bucket}"
        (disk,) = making["volumeMounts"]
        (served,) = store["spec"]["template"]["spec"]["containers"]
        assert disk in served["volumeMounts"]
        assert served["args"] == ["server", disk["mountPath"]]


def test_the_schema_is_migrated_before_anything_needs_it() -> None:
    (hook,) = of_kind("defaults", "Job")
    assert hook["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
    (plain,) = of_kind("bundled", "Job")
    assert "annotations" not in plain["metadata"]
    for deployment in of_kind("bundled", "Deployment"):
        (waiting,) = deployment["spec"]["template"]["spec"]["initContainers"]
        assert "footnote migrate --check" in waiting["command"][-1]


def test_the_alerts_of_the_chart_are_the_rules_with_the_address_of_your_runbooks() -> None:
    (rule,) = of_kind("everything", "PrometheusRule")
    groups = json.loads(
        json.dumps(rules()["groups"]).replace("docs/operate/runbooks", "https://example.com/runbooks")
    )
    assert rule["spec"]["groups"] == groups


def test_each_dashboard_is_a_config_map() -> None:
    made = [d for d in of_kind("everything", "ConfigMap") if "grafana_dashboard" in d["metadata"]["labels"]]
    assert len(made) == len(list((CHART / "files/dashboards").glob("*.json")))
    for config in made:
        (text,) = config["data"].values()
        assert json.loads(text)["panels"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"servises": {}},
        {"settings": {"LOG_LEVEL": "DEBUG"}},
        {"services": {"agent": {"replicas": 0, "resources": {}}}},
        {"workers": {"parse": {"queues": ["parsing"]}}},
        {"image": {"pullPolicy": "Sometimes"}},
        {"secrets": {"optional": ["chat_api_key"]}},
        {"userTokens": {"jwksUrl": "https://id.example.com/keys", "issuer": "https://id"}},
        {"userTokens": {"jwksUrl": "http://id.example.com/keys", "issuer": "a", "audience": "b"}},
        {"chunkPolicies": {"poetry": {"tokens": 100}}},
    ],
    ids=str,
)
def test_values_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with helm.Chart.load(str(CHART)) as chart, pytest.raises(helm.HelmValuesError):
        chart.render(values=wrong, name="fn", namespace="docs")


def test_every_value_is_described() -> None:
    schema = json.loads((CHART / "values.schema.json").read_text("utf-8"))
    values = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))

    def undescribed(part: dict[str, Any], path: str) -> Iterator[str]:
        if not part.get("description"):
            yield path
        for name, inner in part.get("properties", {}).items():
            yield from undescribed(inner, f"{path}.{name}")

    assert not list(undescribed(schema, "values"))
    assert schema["properties"].keys() == values.keys()
