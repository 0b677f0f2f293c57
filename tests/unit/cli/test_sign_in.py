"""The link that signs a browser in, and the private page that keeps it out of the list of processes."""

from pathlib import Path

from footnote_cli.embedded.sign_in import sign_in_link, write_sign_in_page
from footnote_shared.settings.base import Settings


def test_the_key_stands_in_the_fragment_alone(tmp_path: Path) -> None:
    (tmp_path / "api_key").write_text("fn_first\n")
    (tmp_path / "link_key").write_text("fn_secret+/=\n")
    link = sign_in_link(Settings(data=tmp_path, port=8123))
    assert link == "http://127.0.0.1:8123/console#once=fn_secret%2B%2F%3D"


def test_without_a_key_there_is_no_link_and_the_page_leads_to_the_form(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, port=8123)
    assert sign_in_link(settings) is None
    assert 'url=http://127.0.0.1:8123/console"' in write_sign_in_page(settings).read_text()


def test_the_page_that_leads_on_is_for_its_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "link_key").write_text("fn_secret\n")
    page = write_sign_in_page(Settings(data=tmp_path, port=8123))
    assert page.stat().st_mode & 0o077 == 0
    assert "#once=fn_secret" in page.read_text()
