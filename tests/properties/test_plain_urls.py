"""An address in normal form is known at a glance, which says what taking it apart would say."""

from hypothesis import example, given
from hypothesis import strategies as st

from footnote_resolver.registry.urls import canonical_url

label = st.from_regex(r"[a-z0-9-]{1,24}", fullmatch=True)
segment = (
    st.sampled_from(["a", "B-2", "~me", ".", "..", "...", ".hidden", "", "a.b", "a_b", "%41", "a%2fb", "-"])
    | label
)
urls = st.builds(
    lambda scheme, labels, path, end: (
        f"{scheme}://{'.'.join(labels)}{''.join('/' + one for one in path)}{end}"
    ),
    st.sampled_from(["http", "https"]),
    st.lists(label | st.sampled_from(["org", "com", "xn--bcher-kva", "1", "127"]), min_size=1, max_size=5),
    st.lists(segment, max_size=4),
    st.sampled_from(["", "/", "//", "?", "."]),
)


@given(urls)
@example("https://example.org/a/b.html")
@example("https://xn--bcher-kva.example/")
@example("http://1.2.3.4/")
@example("https://a--b.org")
def test_an_address_is_the_same_at_a_glance(url: str) -> None:
    # With a fragment, which is no part of the form, it is always taken apart.
    assert canonical_url(url) == canonical_url(url + "#part")


@given(urls)
def test_a_form_is_its_own_form(url: str) -> None:
    form = canonical_url(url)
    assert form is None or canonical_url(form) == form
