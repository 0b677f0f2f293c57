"""Looking at a connector that nobody has made yet: a foreign system may hold or fill nothing of ours."""

import json
import threading
from collections.abc import Iterator, Mapping

import pytest

from footnote_ingest.connectors import preview as preview_module
from footnote_ingest.connectors.kinds import Asked, SourceResources
from footnote_ingest.connectors.outside import OutsideResources
from footnote_ingest.connectors.preview import preview
from footnote_shared.egress.client import FetchLimits
from footnote_shared.kernel.errors import TooMany
from footnote_shared.security.sealing import Seals
from footnote_testing.eventually import LIMIT_S
from tests.unit.ingest.connectors.local_site import HERE, NO_REDIS, LocalSite, Reply, SiteRequest, serving

RESOURCES = SourceResources(
    Seals.of("a key that only these tests know"), "", 10**6, OutsideResources(HERE, NO_REDIS, 10_000)
)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalSite]:
    """A site, and previews that a busy machine does not cut short."""
    monkeypatch.setattr(preview_module, "WAITED_FOR", FetchLimits(total_s=LIMIT_S))
    monkeypatch.setattr(preview_module, "WAITED_FOR_S", LIMIT_S)
    with serving() as found:
        yield found


def asked(config: Mapping[str, object]) -> Asked:
    return Asked("w", config, {})


def test_a_system_that_does_not_answer_holds_the_request_for_a_while_only(
    site: LocalSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()

    def held(request: SiteRequest) -> Reply:
        over.wait(LIMIT_S)
        return Reply("late")

    site.answer = held
    monkeypatch.setattr(preview_module, "WAITED_FOR_S", 0.2)
    shown = preview(RESOURCES, "web", asked({"url": f"{site.url}/"}))
    over.set()
    assert shown.items == []
    assert "0.2 seconds" in (shown.problem or "")


def test_few_systems_are_looked_at_at_once(site: LocalSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview_module, "_AT_ONCE", threading.BoundedSemaphore(1))
    refused: list[TooMany] = []

    def second(request: SiteRequest) -> Reply:
        with pytest.raises(TooMany) as error:
            preview(RESOURCES, "rss", asked({"url": f"{site.url}/other"}))
        refused.append(error.value)
        return Reply("<rss><channel></channel></rss>")

    site.answer = second
    assert preview(RESOURCES, "rss", asked({"url": f"{site.url}/feed"})).problem is None
    assert len(refused) == 1
    assert preview(RESOURCES, "rss", asked({"url": f"{site.url}/feed"})).items == []


def test_whatever_a_server_says_can_be_answered(site: LocalSite) -> None:
    threads = [{"number": 1, "title": "x" * 5000, "html_url": "y" * 5000, "user": 7, "updated_at": {}}]
    site.answer = lambda request: Reply(json.dumps(threads), kind="application/json")
    config = {"repository": "a/b", "api_url": site.url, "parts": ["issues"]}
    (item,) = preview(RESOURCES, "github", asked(config)).items
    assert len(item.title or "") == len(item.url or "") == 500
