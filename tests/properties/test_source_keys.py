"""Canonical keys over hostile addresses and ids (spec 2.2)."""

import random

from hypothesis import given
from hypothesis import strategies as st

from footnote_resolver.registry.keys import source_key
from footnote_resolver.registry.urls import canonical_url

PARTS = [
    "http", "HTTPS", "://", ":", "/", "//", "@", "user", "pw", "Example.org", "bücher", "例え。jp", "xn--",
    "xn--bcher-kva", "[::1]", "[2001:DB8::1]", "%", "%41", "%2F", "%c3%a4", "%zz", "..", ".", "/../", "a",
    "ä", "?", "&", "=", "utm_source=x", "#", "80", ":443", ":99999", " ", "\\", "\u200b", "\ud800", "\n", ";",
    "+",
]  # fmt: skip
ADDRESSES = st.one_of(
    st.text(max_size=40),
    st.lists(st.sampled_from(PARTS), max_size=12).map("".join),
    st.lists(st.sampled_from(PARTS), max_size=12).map(lambda parts: "https://example.org/" + "".join(parts)),
    st.lists(st.sampled_from(PARTS), max_size=6).map(lambda parts: "https://" + "".join(parts)),
)


@given(ADDRESSES)
def test_a_normal_form_is_its_own_and_travels_anywhere(written: str) -> None:
    canonical = canonical_url(written)
    if canonical is not None:
        assert canonical_url(canonical) == canonical
        assert canonical.startswith(("http://", "https://"))
        assert "#" not in canonical
        canonical.encode()


@given(
    st.lists(st.sampled_from(["a", "b/", "C", "%7e", "ä"]), max_size=4),
    st.lists(st.sampled_from(["x=1", "y=2", "z"]), max_size=3),
    st.randoms(use_true_random=False),
)
def test_spelling_makes_no_difference(path: list[str], query: list[str], chance: random.Random) -> None:
    def spelt() -> str:
        noise = [*query, *chance.sample(["utm_source=s", "fbclid=f", "gclid=g", ""], chance.randint(0, 4))]
        order = sorted(noise, key=lambda p: (chance.random(), p) if p not in query else (0.5, ""))
        host = chance.choice(["example.org", "EXAMPLE.org.", "example.org:443", "Example.ORG:"])
        end = chance.choice(["", "/"]) + ("?" + "&".join(order) if order else chance.choice(["", "?"]))
        written = (
            "/".join(path)
            .replace("%7e", chance.choice(["%7E", "~", "%7e"]))
            .replace("ä", chance.choice(["ä", "%C3%A4", "%c3%a4"]))
        )
        return f"{chance.choice(['https', 'HTTPS'])}://{host}/{written}{end}{chance.choice(['', '#part'])}"

    one, other = canonical_url(spelt()), canonical_url(spelt())
    assert one == other
    assert one is not None


@given(
    st.lists(st.tuples(st.text("ab:%3A"), st.text("ab:%3A")), min_size=2, max_size=2, unique=True),
    st.sampled_from(["kb_chunk", "connector_item"]),
)
def test_two_locators_never_share_a_key(pairs: list[tuple[str, str]], source_type: str) -> None:
    keys = {source_key(source_type, {"first": first, "second": second}) for first, second in pairs}
    assert len(keys) == 2
