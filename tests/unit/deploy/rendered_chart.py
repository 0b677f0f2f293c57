"""What the chart renders into, for a matrix of values."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import helm_python as helm
import pytest
import yaml

from footnote_shared.settings.base import PREFIX

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
    "streams elsewhere": {**BUNDLED, "secrets": {"optional": ["stream-redis-urls"]}},
    "one bundled": {"bundled": {"redis": True}, "networkPolicy": {"enabled": False}},
}


@cache
def rendered(name: str) -> tuple[dict[str, Any], ...]:
    """The objects that the chart makes of a row of the matrix."""
    return objects(MATRIX[name])


def objects(values: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    """The objects that the chart makes of values."""
    with helm.Chart.load(str(CHART)) as chart:
        texts = chart.render(values=dict(values), name="fn", namespace="docs")
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


def secrets_by_role() -> dict[str, frozenset[str]]:
    """What each role has from the Secret, by its component, where everything is set and every role runs."""
    schema = json.loads((CHART / "values.schema.json").read_text("utf-8"))
    plan = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))["workers"]["embed"]
    values = {
        "secrets": {"optional": schema["properties"]["secrets"]["properties"]["optional"]["items"]["enum"]},
        "encryption": {"enabled": True},
        "settings": {"FOOTNOTE_VISION_MODEL": "sees"},
        "workers": {"facts": {**plan, "queues": ["facts"]}},
    }
    found = {}
    for document in objects(values):
        if document["kind"] in ("Deployment", "Job"):
            (container,) = document["spec"]["template"]["spec"]["containers"]
            files = {name for name in environment(container) if name.endswith("_FILE")}
            component = document["metadata"]["labels"]["app.kubernetes.io/component"]
            found[component] = frozenset(
                name.removesuffix("_FILE").removeprefix(PREFIX).lower() for name in files
            )
    return found


rows = pytest.mark.parametrize("row", MATRIX)


def environment(container: dict[str, Any]) -> dict[str, str]:
    return {variable["name"]: variable.get("value", "") for variable in container.get("env", [])}
