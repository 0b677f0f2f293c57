"""What a robots.txt lets us read, by the examples of RFC 9309 and some that sites really have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.connectors.robots import read_robots

SITE = "https://site.example"


def allowed(text: str, path: str) -> bool:
    return read_robots(text, "Footnote").allow(SITE + path)


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        ("", "/a", True),
        ("Disallow:", "/a", True),
        ("Disallow: /", "/a", False),
        ("Disallow: /", "/robots.txt", True),
        ("Disallow: /a", "/abc", False),
        ("Disallow: /a/", "/abc", True),
        ("Disallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("Allow: /a/b\nDisallow: /a", "/a/b/c", True),
        ("Disallow: /a\nAllow: /a", "/a", True),
        ("Disallow: /*.pdf$", "/x/report.pdf", False),
        ("Disallow: /*.pdf$", "/x/report.pdf?page=1", True),
        ("Disallow: /*?print=", "/x?print=1", False),
        ("Disallow: /private*/x", "/private-2/x", False),
        ("Disallow: /x$", "/x", False),
        ("Disallow: /x$", "/xy", True),
        ("Disallow: /a*bc$", "/abc", False),
        ("Disallow: /ab*bc$", "/abc", True),
        ("Disallow: /größe", "/gr%C3%B6%C3%9Fe", False),
        ("Disallow: /gr%C3%B6%C3%9Fe", "/größe/1", False),
        ("Disallow: /x # a remark", "/x", False),
    ],
)
def test_the_longest_rule_counts(rules: str, path: str, expected: bool) -> None:
    assert allowed(f"User-agent: *\n{rules}", path) is expected


def test_a_group_of_our_own_takes_the_place_of_that_for_all() -> None:
    text = "User-agent: *\nDisallow: /\n\nuser-agent: other\nUser-Agent: FOOTNOTE\nDisallow: /x\n"
    assert allowed(text, "/a")
    assert not allowed(text, "/x")


def test_groups_of_the_same_name_are_one() -> None:
    text = "User-agent: *\nDisallow: /a\nUser-agent: z\nDisallow: /\nUser-agent: *\nDisallow: /b"
    assert [allowed(text, path) for path in ("/a", "/b", "/c")] == [False, False, True]


def test_sitemaps_and_the_pause_are_told() -> None:
    found = read_robots("Sitemap: https://site.example/s.xml\nUser-agent: *\nCrawl-delay: 2.5", "Footnote")
    assert (found.sitemaps, found.delay_s) == (("https://site.example/s.xml",), 2.0)
    assert read_robots("User-agent: *\nCrawl-delay: 86400", "Footnote").delay_s == 10.0


@given(st.text(), st.text())
def test_any_text_is_read_and_any_path_is_judged(text: str, path: str) -> None:
    assert allowed(text, "/" + path) in (True, False)
    assert not allowed("User-agent: *\nDisallow: /", "/" + path.lstrip("/")) or path.startswith("robots.txt")


def test_a_file_of_many_names_costs_no_more_than_its_size() -> None:
    """Each name of a group used to keep every rule: 500 KB took gigabytes."""
    names = "".join(f"User-agent: bot-{n}\n" for n in range(15_000))
    rules = "Disallow: /a\n" * 15_000
    found = read_robots(f"{names}User-agent: *\n{rules}", "Footnote")
    assert len(found.rules) == 5000
    assert not found.allow("https://site.example/a")


def test_rules_beyond_the_wildcards_that_are_read_forbid_more_and_allow_nothing() -> None:
    costly = "Disallow: /a*b\n" * 2000
    found = read_robots(f"User-agent: *\n{costly}Disallow: /c/*d\nAllow: /c/e*f\nDisallow: /g\n", "Footnote")
    assert found.allow("https://site.example/ax")
    assert not found.allow("https://site.example/axb")
    assert not found.allow("https://site.example/c/ef")
    assert not found.allow("https://site.example/g")
    assert sum(pattern.count("*") for _, pattern in found.rules) == 2000
