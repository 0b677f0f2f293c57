"""One unit, one key: however an address is written, and whatever characters an id holds."""

import pytest

from footnote_resolver.registry.keys import canonical_locator, source_key
from footnote_resolver.registry.register import units_of
from footnote_resolver.registry.urls import canonical_url
from footnote_shared.contracts.evidence import CitableType, Display, EvidenceItem
from footnote_shared.kernel.errors import InvalidRequest

A = "0195f3a0-1111-7000-8000-00000000000a"


def item(source_type: str, **locator: str) -> EvidenceItem:
    return EvidenceItem(source_type=source_type, locator=locator, text="x")


@pytest.mark.parametrize(
    "written",
    [
        "https://Example.org/a/b?q=1",
        "HTTPS://example.org:443/a/b?q=1",
        "https://example.org./a/b/?q=1",
        "https://example.org/a/b?q=1#part",
        "https://example.org/a/b?utm_source=x&q=1&fbclid=zz&gclid=1",
        "https://example.org/a/./c/../b?q=1",
        "https://example.org/%61/b?q=1&",
        "  https://example.org/a/b?q=1 ",
    ],
)
def test_spellings_of_one_address_are_one(written: str) -> None:
    assert canonical_url(written) == "https://example.org/a/b?q=1"


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("HTTP://Example.ORG:80/Path?Q=1#F", "http://example.org/Path?Q=1"),
        ("http://example.org:443/", "http://example.org:443"),
        ("https://example.org:/", "https://example.org"),
        ("https://example.org:0443/a", "https://example.org/a"),
        ("https://example.org/a//", "https://example.org/a"),
        ("https://example.org/?", "https://example.org"),
        ("https://example.org/a?#", "https://example.org/a"),
        ("https://example.org/a/../../b", "https://example.org/b"),
        ("https://example.org/%2e%2e/a/%2E/b", "https://example.org/a/b"),
        ("https://example.org/%7Euser/%41", "https://example.org/~user/A"),
        ("https://example.org/a%2fb?q=%c3%a4", "https://example.org/a%2Fb?q=%C3%A4"),
        ("https://example.org/straße?q=ä", "https://example.org/stra%C3%9Fe?q=%C3%A4"),
        ("https://example.org/100%", "https://example.org/100%"),
        ("https://example.org/a?UTM_Source=x&q=1&_gl=2", "https://example.org/a?q=1"),
        ("https://example.org/?utm_source=x&utm_medium=y", "https://example.org"),
        ("https://example.org/a?b=c?d&&e", "https://example.org/a?b=c?d&e"),
        ("http://Bücher.example/", "http://xn--bcher-kva.example"),
        ("http://bu\u0308cher.example", "http://xn--bcher-kva.example"),
        ("http://xn--BCHER-kva.example/", "http://xn--bcher-kva.example"),
        ("https://例え.jp", "https://xn--r8jz45g.jp"),
        ("https://faß.de", "https://xn--fa-hia.de"),
        ("https://ｅｘａｍｐｌｅ。org/", "https://example.org"),
        ("https://ex%61mple.org/", "https://example.org"),
        ("https://a_b.example.org/", "https://a_b.example.org"),
        ("http://User:Secret@Example.org/", "http://User:Secret@example.org"),
        ("http://:@example.org/", "http://example.org"),
        ("https://@example.org/", "https://example.org"),
        ("https://user:@example.org/", "https://user@example.org"),
        ("http://[2001:DB8:0:0::1]:80/a", "http://[2001:db8::1]/a"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]"),
        ("http://192.168.0.1:8080/", "http://192.168.0.1:8080"),
    ],
)  # fmt: skip
def test_the_normal_form_of_an_address(written: str, canonical: str) -> None:
    assert canonical_url(written) == canonical
    assert canonical_url(canonical) == canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.org/a", "http://example.org/a"),
        ("https://example.org/a", "https://example.org/A"),
        ("https://example.org/a?x=1&y=2", "https://example.org/a?y=2&x=1"),
        ("https://example.org/a", "https://example.org:8443/a"),
        ("https://example.org/a%2Fb", "https://example.org/a/b"),
        ("https://example.org/?ref=1", "https://example.org/?ref=2"),
        ("https://example.org/?q=", "https://example.org/"),
        ("https://example.org/a+b", "https://example.org/a%20b"),
        ("https://example.org/a//b", "https://example.org/a/b"),
        ("https://faß.de", "https://fass.de"),
        ("https://example.org", "https://www.example.org"),
        ("https://one@example.org", "https://two@example.org"),
        ("http://[::1]/", "http://[::2]/"),
    ],
)
def test_different_pages_stay_different(one: str, other: str) -> None:
    assert canonical_url(one) != canonical_url(other)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "example.org",
        "ftp://example.org",
        "javascript:alert(1)",
        "https://",
        "http://[::1",
        "https://a b",
        "https://a:99999/",
        "https://example.org\\@evil.org",
        "https://example..org",
        "https://.example.org",
        "https://exam\nple.org",
        "https://example.org/\ud800",
        "https:example.org",
        "https:///path",
        "http://[2001:db8::1::2]/",
        "http://[v1.a]/",
        "data:text/html,x",
        "file:///etc/passwd",
    ],
)
def test_what_is_no_web_address_is_refused(written: str) -> None:
    assert canonical_url(written) is None


def test_the_root_has_no_slash_and_escapes_have_one_case() -> None:
    assert (
        canonical_url("http://example.org/") == canonical_url("http://EXAMPLE.org:80") == "http://example.org"
    )
    assert canonical_url("http://example.org/%e4") == canonical_url("http://example.org/%E4")


def test_a_missing_field_is_named() -> None:
    with pytest.raises(InvalidRequest) as caught:
        canonical_locator(item("kb_chunk", document_id=A), "items.3")
    assert [e.field for e in caught.value.errors] == ["items.3.locator.chunk_id"]


def test_a_field_of_another_type_is_named() -> None:
    with pytest.raises(InvalidRequest) as caught:
        canonical_locator(item("kb_document", document_id=A, url="https://a.org"))
    assert [e.field for e in caught.value.errors] == ["item.locator.url"]


def test_keys_are_typed_and_unambiguous() -> None:
    def key(source_type: str, **locator: str) -> str:
        return source_key(source_type, canonical_locator(item(source_type, **locator)))

    assert key("kb_chunk", document_id=A, chunk_id="c") == f"kb_chunk:{A}:c"
    assert key("kb_chunk", document_id=A.upper(), chunk_id="c") == f"kb_chunk:{A}:c"
    assert key("connector_item", connector_id="a:b", external_id="c") != key(
        "connector_item", connector_id="a", external_id="b:c"
    )
    assert key("connector_item", connector_id="a%3Ab", external_id="c") != key(
        "connector_item", connector_id="a:b", external_id="c"
    )
    assert key("kb_chunk", document_id="d", chunk_id="c") != key(
        "connector_item", connector_id="d", external_id="c"
    )
    assert key("chat_turn", thread_id="d", message_id="c") != key(
        "connector_item", connector_id="d", external_id="c"
    )


@pytest.mark.parametrize(
    ("source_type", "locator", "key"),
    [
        ("kb_chunk", {"document_id": A.upper(), "chunk_id": A}, f"kb_chunk:{A}:{A}"),
        ("kb_chunk", {"chunk_id": "c", "document_id": " d "}, "kb_chunk:d:c"),
        ("kb_document", {"document_id": A}, f"kb_document:{A}"),
        (
            "connector_item",
            {"connector_id": "Slack", "external_id": "C1:42%"},
            "connector_item:Slack:C1%3A42%25",
        ),
        ("web_result", {"url": "https://Example.org:443/a/?utm_source=x#f"}, "web_result:https://example.org/a"),
        ("chat_turn", {"thread_id": A, "message_id": "m"}, f"chat_turn:{A}:m"),
        ("anon_chunk", {"session_id": "s", "document_id": "d", "chunk_id": "c"}, "anon_chunk:s:d:c"),
    ],
)  # fmt: skip
def test_the_key_of_each_type(source_type: CitableType, locator: dict[str, str], key: str) -> None:
    unit = EvidenceItem(source_type=source_type, locator=locator, text="x")
    assert source_key(source_type, canonical_locator(unit)) == key


def test_a_long_address_has_a_short_key_of_its_own() -> None:
    keys = {
        source_key(
            "web_result", canonical_locator(item("web_result", url=f"https://example.org/{'a' * 3000}{i}"))
        )
        for i in range(3)
    }
    assert len(keys) == 3
    assert all(len(key) < 200 for key in keys)


def test_a_key_never_changes_its_form() -> None:
    """A form that changed would give the units of old answers second numbers."""

    def key(chars: int) -> str:
        url = "https://example.org/" + "a" * (chars - len("web_result:https://example.org/"))
        return source_key("web_result", canonical_locator(item("web_result", url=url)))

    assert key(500) == "web_result:https://example.org/" + "a" * 469
    digest = "e430f129781045d93cfe4ac477cb9bae1fb87965cd587572d57abae6d9a8e353"
    assert key(501) == f"web_result:sha256:{digest}"


def test_an_id_of_a_locator_holds_up_to_4096_characters() -> None:
    longest = "x" * 4096
    assert canonical_locator(item("connector_item", connector_id="c", external_id=longest)) == {
        "connector_id": "c",
        "external_id": longest,
    }
    with pytest.raises(InvalidRequest):
        canonical_locator(item("connector_item", connector_id="c", external_id=longest + "x"))


@pytest.mark.parametrize("value", ["a\x00b", "a\nb", "x" * 5000])
def test_hostile_ids_are_refused(value: str) -> None:
    with pytest.raises(InvalidRequest):
        canonical_locator(item("connector_item", connector_id="c", external_id=value))


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//evil.example/a",
        "",
        "https://x y",
        f"https://example.org/{'a' * 5000}",
    ],
)
def test_a_source_is_opened_at_a_web_address_alone(url: str) -> None:
    unit = item("chat_turn", thread_id=A, message_id=A)
    with pytest.raises(InvalidRequest) as refused:
        units_of([unit, unit.model_copy(update={"display": Display(url=url)})])
    assert [error.field for error in refused.value.errors] == ["items.1.display.url"]


@pytest.mark.parametrize("url", [None, "https://example.org/a?utm_source=x#part", "http://localhost:8000/"])
def test_its_address_stays_as_it_was_given(url: str | None) -> None:
    unit = item("chat_turn", thread_id=A, message_id=A).model_copy(update={"display": Display(url=url)})
    assert units_of([unit])[0].item.display.url == url
