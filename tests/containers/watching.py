"""The profile `observability` beside the services: what Prometheus reads and judges, as its own API says."""

from typing import Any

import httpx

from footnote_testing.eventually import LIMIT_S, eventually

ADDRESS = "http://127.0.0.1:9090"
_PROCESSES = 8
"""Four services, three workers and the clock: as many as docker-compose.yml starts."""


def look(limit_s: float) -> str:
    """Wait until Prometheus reads every process, and has judged every rule. Returns what there is.

    Raises NeverHappened, with what Prometheus says, if that does not come.
    """
    with httpx.Client(base_url=ADDRESS, trust_env=False, timeout=LIMIT_S) as http:

        def asked(what: str) -> Any:
            try:
                return http.get(f"/api/v1/{what}").json()["data"]
            except httpx.TransportError:
                return {}

        def wrong() -> list[str]:
            targets = asked("targets").get("activeTargets", [])
            found = [f"{one['scrapeUrl']} {one['lastError']}" for one in targets if one["health"] != "up"]
            if len(targets) < _PROCESSES:
                found.append(f"{len(targets)} processes of {_PROCESSES} are known")
            rules = [rule for group in asked("rules").get("groups", []) for rule in group["rules"]]
            found += [f"{rule['name']} is {rule['health']}" for rule in rules if rule["health"] != "ok"]
            return found if rules else [*found, "there are no rules"]

        eventually(
            wrong, "every process is read and every rule judged", until=lambda f: not f, limit_s=limit_s
        )
        read = len(asked("targets")["activeTargets"])
        rules = [rule for group in asked("rules")["groups"] for rule in group["rules"]]
        firing = sorted({rule["name"] for rule in rules if rule.get("state") == "firing"})
        return f"{read} processes read, {len(rules)} rules judged, firing: {', '.join(firing) or 'none'}"
