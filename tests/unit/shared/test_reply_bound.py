"""What fits into a reply, and the first character that does not."""

import pytest

from footnote_shared.models.reply_bound import CHARS_PER_TOKEN, THOUGHT_CHARS, ReplyBound


@pytest.mark.parametrize(("length", "passed"), [(512, False), (513, True)])
def test_text_is_cut_at_eight_characters_for_each_token_asked_for(length: int, passed: bool) -> None:
    bound = ReplyBound(64)
    text = "".join(bound.fitting(piece) for piece in ["a" * 500, "b" * (length - 500)])
    assert (text, bound.passed) == ("a" * 500 + "b" * 12, passed)
    assert bound.fitting("c") == ""


def test_text_and_calls_share_the_tokens_asked_for() -> None:
    bound = ReplyBound(64)
    bound.say(510)
    assert (bound.fitting("ab"), bound.passed) == ("ab", False)
    bound.say(1)
    assert (bound.fitting("c"), bound.passed) == ("", True)


@pytest.mark.parametrize(("length", "passed"), [(128_512, False), (128_513, True)])
def test_thoughts_may_be_longer_and_take_no_room_from_the_text(length: int, passed: bool) -> None:
    assert 64 * CHARS_PER_TOKEN + THOUGHT_CHARS == 128_512
    bound = ReplyBound(64)
    bound.think(length)
    assert (bound.fitting("a" * 512), bound.passed) == ("a" * 512, passed)


def test_what_turns_out_to_be_text_is_no_thought() -> None:
    bound = ReplyBound(64)
    bound.think(128_512)
    bound.think(-12)
    bound.think(12)
    assert not bound.passed
