"""The chart renders into what Kubernetes takes, and lets only those talk who do so in the code."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import helm_python as helm
import kubernetes_validate
import pytest
import yaml
from deploy.monitoring.rules import rules

from footnote_cli.embedded.gateway import SERVICE_OF_SEGMENT
from footnote_shared.settings.base import PREFIX, Settings, known_names, secret_file_names

ROOT = Path(__file__).parents[3]
CHART = ROOT / "deploy/helm/footnote"
VERSIONS = ("1.32", "1.33", "1.34", "1.35", "1.36", "1.37")
BUNDLED = {"bundled": dict.fromkeys(("postgres", "redis", "qdrant", "objects"), True)}
EVERYTHING: Mapping[str, Any] = {
    "autoscaling": {"enabled": True, "keda": {"enabled": True}},
    "ingress": {"enabled": True, "tlsSecret": "footnote-tls", "annotations": {"example.com/a": "b"}},
    "gateway": {"enabled": True, "parentRefs": [{"name": "public"}]},
    "metrics": {
        "serviceMonitor": True,
        "prometheusRule": True,
        "dashboards": True,
        "labels": {"release": "prometheus"},
        "runbooks": "https://example.com/runbooks",
    },
    "secrets": {
        "optional": ["chat-api-key", "credentials-key"],
        "externalSecret": {"enabled": True, "store": "vault"},
    },
    "operatorWorkspace": "01a2019d-3c0a-7b6e-8d1f-5a4e90b7c2d1",
    "encryption": {"enabled": True, "vaultKey": "https://vault:8200/v1/transit/keys/footnote"},
    "userTokens": {"jwksUrl": "https://id.example.com/keys", "issuer": "https://id", "audience": "docs"},
    "chunkPolicies": {"code": {"tokens": 400, "overlap": 0, "whole": True}},
    "nodeSelector": {"kubernetes.io/arch": "amd64"},
    "tolerations": [{"key": "gpu", "operator": "Exists"}],
    "image": {"pullSecrets": ["registry"]},
    "traces": {"endpoint": "http://collector.monitoring:4318", "share": 0.1},
    "settings": {"FOOTNOTE_LOG_LEVEL": "DEBUG", "FOOTNOTE_VISION_MODEL": "sees"},
    "networkPolicy": {"connectorPorts": [443, 8443], "issuerPorts": [8443]},
}
MATRIX: Mapping[str, Mapping[str, Any]] = {
    "everything bundled": {**EVERYTHING, **BUNDLED},
    "defaults": {},
    "bundled": BUNDLED,
    "everything": EVERYTHING,
    "a master key": {"encryption": {"enabled": True}, "secrets": {"optional": ["qdrant-api-key"]}},
    "one bundled": {"bundled": {"redis": True}, "networkPolicy": {"enabled": False}},
}
CUSTOM = {
    "ExternalSecret": ("external-secrets.io/v1", {"secretStoreRef", "target", "dataFrom"}),
    "HTTPRoute": ("gateway.networking.k8s.io/v1", {"parentRefs", "hostnames", "rules"}),
    "PodMonitor": ("monitoring.coreos.com/v1", {"selector", "podMetricsEndpoints"}),
    "ServiceMonitor": ("monitoring.coreos.com/v1", {"selector", "endpoints"}),
    "PrometheusRule": ("monitoring.coreos.com/v1", {"groups"}),
    "ScaledObject": ("keda.sh/v1alpha1", {"scaleTargetRef", "triggers"}),
}
"""Kinds that no schema of Kubernetes has: their version, and what their specification must hold."""

_STORE_OF_MODULE = {
    "footnote_shared.vectors.qdrant": "qdrant",
    "footnote_ingest.store.sealed_blobs": "objects",
}


@cache
def rendered(name: str) -> tuple[dict[str, Any], ...]:
    """The objects that the chart makes of a row of the matrix."""
    with helm.Chart.load(str(CHART)) as chart:
        texts = chart.render(values=dict(MATRIX[name]), name="fn", namespace="docs")
    manifests = [text for path, text in texts.items() if path.endswith(".yaml")]
    return tuple(document for text in manifests for document in yaml.safe_load_all(text) if document)


def of_kind(row: str, *kinds: str) -> Iterator[dict[str, Any]]:
    return (document for document in rendered(row) if document["kind"] in kinds)


def pods(row: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each pod's specification, by the name of what makes it."""
    for document in of_kind(row, "Deployment", "StatefulSet", "Job"):
        yield document["metadata"]["name"], document["spec"]["template"]["spec"]
    for document in of_kind(row, "Pod"):
        yield document["metadata"]["name"], document["spec"]


rows = pytest.mark.parametrize("row", MATRIX)


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


def environment(container: dict[str, Any]) -> dict[str, str]:
    return {variable["name"]: variable.get("value", "") for variable in container.get("env", [])}


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


def secrets_of(values: Mapping[str, Any]) -> dict[str, set[str]]:
    """The settings that each role of the chart has from the Secret."""
    with helm.Chart.load(str(CHART)) as chart:
        texts = chart.render(values=dict(values), name="fn", namespace="docs")
    made = (one for path, text in texts.items() if path.endswith(".yaml") for one in yaml.safe_load_all(text))
    found = {}
    for document in made:
        if document and document["kind"] in ("Deployment", "Job"):
            (container,) = document["spec"]["template"]["spec"]["containers"]
            files = {name for name in environment(container) if name.endswith("_FILE")}
            role = document["metadata"]["labels"]["app.kubernetes.io/component"]
            found[role] = {name.removesuffix("_FILE").removeprefix(PREFIX).lower() for name in files}
    return found


def test_each_role_has_the_secrets_of_what_it_does_and_no_others() -> None:
    schema = json.loads((CHART / "values.schema.json").read_text("utf-8"))
    optional = schema["properties"]["secrets"]["properties"]["optional"]["items"]["enum"]
    facts = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))["workers"]["embed"]
    found = secrets_of(
        {
            "secrets": {"optional": optional},
            "encryption": {"enabled": True},
            "workers": {"facts": {**facts, "queues": ["facts"]}},
        }
    )
    ours = {name.removeprefix(PREFIX).lower() for name in secret_file_names() if name.startswith(PREFIX)}
    assert set.union(*found.values()) == ours - {"api_key"}
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


def open_to(row: str, ports: list[int]) -> set[str]:
    """The roles that reach any address at these ports."""
    found = (
        (role, rule) for role, policy in policies(row).items() for rule in policy["spec"]["egress"] or []
    )
    return {role for role, rule in found if "to" not in rule and [p["port"] for p in rule["ports"]] == ports}


def test_only_who_needs_them_reaches_models_the_issuer_vault_and_the_traces() -> None:
    workers = {"worker-parse", "worker-media", "worker-embed", "worker-index"}
    services, asking = {"ingest", "retriever", "agent", "resolver"}, {"agent", "retriever"}
    assert open_to("everything", [8200]) == open_to("everything", [4318]) == services | workers
    assert open_to("everything", [8443]) == services
    assert (open_to("everything", [443]), open_to("defaults", [443])) == ({*asking, "worker-media"}, asking)
    assert open_to("a master key", [8200]) == open_to("defaults", [4318]) == set()


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


@cache
def code_calls(package: str) -> tuple[set[str], set[str]]:
    """The services whose client, and the stores whose adapter, a package imports."""
    services: set[str] = set()
    stores: set[str] = set()
    for path in (ROOT / "services" / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                if found := re.fullmatch(r"footnote_shared\.clients\.(?!base|in_process)(\w+)", node.module):
                    services.add(found[1])
                if node.module in _STORE_OF_MODULE and path.name in ("app.py", "resources.py"):
                    stores.add(f"{path.name}:{_STORE_OF_MODULE[node.module]}")
    return services, stores


def peers(policy: dict[str, Any], way: str, key: str) -> set[tuple[str, Any]]:
    """Components that a policy lets in or out, with the port."""
    return {
        (peer["podSelector"]["matchLabels"]["app.kubernetes.io/component"], rule["ports"][0]["port"])
        for rule in policy["spec"][way] or []
        for peer in rule.get(key, [])
        if "podSelector" in peer and rule.get("ports")
    }


def policies(row: str) -> dict[str, dict[str, Any]]:
    return {
        policy["metadata"]["labels"]["app.kubernetes.io/component"]: policy
        for policy in of_kind(row, "NetworkPolicy")
    }


def test_each_service_may_reach_the_neighbours_whose_clients_it_has_and_no_others() -> None:
    made = policies("defaults")
    for service in ("ingest", "retriever", "agent", "resolver"):
        called, _ = code_calls(service)
        assert peers(made[service], "egress", "to") == {(callee, "neighbours") for callee in called}
        callers = {
            caller
            for caller in ("ingest", "retriever", "agent", "resolver")
            if service in code_calls(caller)[0]
        }
        let_in = {name for name, port in peers(made[service], "ingress", "from") if port == "neighbours"}
        assert let_in == callers


def test_only_who_serves_connectors_reaches_the_systems_that_they_bring_in() -> None:
    def open_to(row: str) -> set[str]:
        return {
            role
            for role, policy in policies(row).items()
            for rule in policy["spec"]["egress"] or []
            if "to" not in rule and [port["port"] for port in rule["ports"]] == [443, 8443]
        }

    assert open_to("everything bundled") == {"ingest", "worker-index"}
    assert open_to("defaults") == set()


def test_each_role_may_reach_the_bundled_stores_whose_adapters_it_has() -> None:
    made = policies("bundled")

    def allowed(role: str) -> set[str]:
        return {name for name, _ in peers(made[role], "egress", "to")} & set(BUNDLED["bundled"])

    adapters = {
        "ingest": {s.partition(":")[2] for s in code_calls("ingest")[1] if s.startswith("app.py")},
        "retriever": {s.partition(":")[2] for s in code_calls("retriever")[1]},
        "agent": set(),
        "resolver": set(),
        "worker-parse": {
            s.partition(":")[2] for s in code_calls("ingest")[1] if s.startswith("resources.py")
        },
    }
    for role, own in adapters.items():
        # Every role has the database, and the limits of requests or the hints of work in Redis.
        assert allowed(role) == {"postgres", "redis"} | own, role
    for store in BUNDLED["bundled"]:
        let_in = {name for name, _ in peers(made[store], "ingress", "from")}
        assert let_in == {role for role in made if role not in BUNDLED["bundled"] and store in allowed(role)}


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
