"""Injection: live and whole give one text, only white space waits, and none of the model's text is lost."""

import re
from collections.abc import Callable, Generator
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from footnote_resolver.injection.live import MAX_HELD, AskMatch, LiveInjector, inject
from footnote_resolver.sentences.claims import answer_sentences, cited_in_first_paragraph

PIECES = [
    "The launch moved to March 10",
    "It costs 3.5 euros, e.g. in Rome",
    "Sales grew a lot",
    "Hello",
    "What is next",
    ".",
    "!",
    "?",
    ". ",
    ".\n",
    ".\n\n",
    "\n- ",
    "\n1. ",
    "\n\n",
    " ",
    "\n",
    ":",
    "```\n",
    "\n```\n",
    "`x`",
    "[citation:1]",
    " [citation:2]",
    '"',
    "”",
    "# ",
    "\n## Head\n",
    "…",
    "| a | b |\n",
    "> ",
    "。",
    "3",
    "   ",
    "\n\n\n\n",
    "[note]",
    " " * 27,
]
texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
INJECTED = re.compile(r" \[citation:1\d\]")
TOKENS = re.compile(r"\[citation:\d+\]|.", re.DOTALL)


def match(sentence: str) -> int | None:
    """A passage for two sentences of three, the same for the same sentence."""
    return None if len(sentence) % 3 == 0 else len(sentence) % 7 + 10


def run(asking: Generator[AskMatch, int | None, str], answer: Callable[[str], int | None] = match) -> str:
    try:
        question = next(asking)
        while True:
            question = asking.send(answer(question.sentence))
    except StopIteration as end:
        return str(end.value)


def live(text: str, policy: Any, cuts: list[int], *, cut: bool = False) -> tuple[str, int]:
    """The live text, and the most characters that were ever held back; `cut`: the turn was stopped."""
    injector = LiveInjector(policy)
    units = TOKENS.findall(text)
    out, fed, held, at = "", 0, 0, 0
    for size in [*cuts, len(units)]:
        piece = "".join(units[at : at + size])
        at += size
        fed += len(piece)
        out += run(injector.feed(piece))
        held = max(held, fed - len(INJECTED.sub("", out)))
    return out + run(injector.close(cut=cut)), held


@given(texts, st.lists(st.integers(1, 9), max_size=60))
@example("The launch moved to March 10# ", [7, 30])
@example("。```\nThe launch moved to March 10", [])
@example("HelloWhat is next   \n```\n", [1, 3, 9, 9])
@example(". . [citation:2] The launch moved to March 10", [5])
@example("The launch is late now.\n\n- One thing here\n- Other thing here", [1] * 60)
def test_live_and_whole_are_one(text: str, cuts: list[int]) -> None:
    out, held = live(text, "always", cuts)
    assert out == run(inject(text, "always"))
    assert held <= MAX_HELD


@given(texts, st.lists(st.integers(1, 9), max_size=60))
@example("The launch moved to March 10. It costs 3", [4, 9])
def test_the_last_sentence_of_a_turn_that_was_stopped_gets_no_number(text: str, cuts: list[int]) -> None:
    out, _ = live(text, "always", cuts, cut=True)
    assert out == run(inject(text, "always", cut=True))
    stopped = run(inject(text, "always", cut=True), lambda _: 11)
    last = answer_sentences(text)[-1:]
    assert not last or stopped[len(stopped) - len(text) + last[0].start :] == text[last[0].start :]


@given(texts, st.lists(st.integers(1, 9), max_size=60), st.sampled_from(["off", "missing_only", "always"]))
def test_taking_the_injected_tokens_away_gives_the_text_back(text: str, cuts: list[int], policy: Any) -> None:
    out, _ = live(text, policy, cuts)
    assert INJECTED.sub("", out) == text


@given(texts, st.lists(st.integers(1, 9), max_size=60))
@example("Here it is:\n\nThe launch moved to March 10. It costs 3.5 euros, e.g. in Rome", [])
@example("Here it is:\n\nThe launch moved to March 10. It costs 3.5 euros, e.g. in Rome", [5, 9])
def test_what_comes_with_the_end_of_the_first_paragraph_or_later_is_cited_live(
    text: str, cuts: list[int]
) -> None:
    sent = sent_before_the_decision(text, cuts)
    if sent is None:
        assert live(text, "missing_only", cuts)[0] == text
    else:
        out, _ = live(text, "missing_only", cuts)
        assert out.startswith(text[:sent])
        assert whole_behind(out, sent) == whole_behind(run(inject(text, "missing_only")), sent)


def test_a_first_paragraph_of_any_length_is_followed_by_citations() -> None:
    """The first paragraph has been sent; it costs as much to go over it again as it is long."""
    text = "So it is all of the time. " * 1_000 + "\n\nThe launch moved to March 10. And it is late."
    out, _ = live(text, "missing_only", [26_000])
    assert out == text[:26_000] + run(inject(text[26_000:], "always"))


def sent_before_the_decision(text: str, cuts: list[int]) -> int | None:
    """Characters that went out before the model was seen not to cite; None where that was never seen."""
    units, at, fed = TOKENS.findall(text), 0, ""
    for size in [*cuts, len(units)]:
        sent, fed, at = len(fed), fed + "".join(units[at : at + size]), at + size
        cited = cited_in_first_paragraph(fed)
        if cited is not None:
            return None if cited else sent
    return None


def whole_behind(text: str, sent: int) -> str:
    """The text behind this many characters of the model's own, with what was injected from there on."""
    own = at = 0
    for found in INJECTED.finditer(text):
        if own + found.start() - at >= sent:
            break
        own, at = own + found.start() - at, found.end()
    return text[at + sent - own :]


@given(texts)
def test_off_changes_nothing(text: str) -> None:
    assert run(inject(text, "off")) == text


@given(texts)
def test_a_model_that_cites_in_its_first_paragraph_is_left_alone(text: str) -> None:
    cited = "Sure [citation:5]. " + text
    assert run(inject(cited, "missing_only")) == cited
    assert live(cited, "missing_only", [3] * 30)[0] == cited


@given(texts)
def test_a_sentence_that_cites_is_never_given_another(text: str) -> None:
    whole = run(inject(text, "always"))
    assert not re.search(r"\[citation:[12]\] \[citation:1\d\]", whole)
