"""What an embedded run tells the processes that it starts."""

import pytest

from footnote_cli.embedded.stack import Services
from footnote_cli.embedded.supervisor import Role, Supervisor
from footnote_shared.settings.base import Settings

OWN_REDIS = {"FOOTNOTE_REDIS_URL": "redis://:password@127.0.0.1:7001/0"}


class NotedRoles(Supervisor):
    """Notes the roles instead of starting them."""

    def __init__(self) -> None:
        self.noted: dict[str, Role] = {}

    def start(self, role: Role) -> None:
        self.noted[role.name] = role


def told(stores: dict[str, str], name: str) -> str | None:
    """What the process of this name is told of answering alone."""
    supervisor = NotedRoles()
    Services(Settings(), dict(stores), supervisor).start_with_model()
    return supervisor.noted[name].environment.get("FOOTNOTE_ANSWERS_ALONE")


def test_the_web_process_answers_alone_where_redis_is_the_runs_own() -> None:
    assert told(OWN_REDIS, "web") == "true"
    assert told(OWN_REDIS, "embedder") is None


def test_with_another_redis_or_another_word_it_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told({}, "web") is None
    monkeypatch.setenv("FOOTNOTE_ANSWERS_ALONE", "false")
    assert told(OWN_REDIS, "web") is None
