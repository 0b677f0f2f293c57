"""Whoever asks for a way is told the steps, and not only that there are some."""

import pytest
from tests.unit.agent.test_blocks import answer

from footnote_agent.engines.quotable import PassageText, Quotable, quotables_of
from footnote_agent.engines.steps import BEHIND, MOST_CHARS, MOST_STEPS, SHORT_RUN, with_steps

RESET = "You can reset your password by yourself at any time, day and night."
STEPS = "1. Open the menu.\n2. Choose the key.\n3. Confirm it by mail."


def told(text: str, weights: dict[str, float] | None = None, headings: tuple[str, ...] = ()) -> list[str]:
    """What is said where the first sentence of the text is the best part."""
    passage = PassageText("d", 0, text, headings)
    found = quotables_of([passage], "en")
    fit = [one for one in found if one.fits]
    return [one.text for one in with_steps(fit[:1], fit, [passage], weights or {"password": 1.0})]


class TestStepsBehindTheBestPart:
    def test_are_told_with_it(self) -> None:
        said = answer("How do I reset my password?", f"{RESET}\n\n{STEPS}\n\nThe hotline is open at night.")
        assert said == f"{RESET[:-1]} [7].\n\n*The manual* [7]:\n\n{STEPS}"

    def test_are_told_for_a_way_alone(self) -> None:
        assert "1." not in answer("Who can reset a password at any time?", f"{RESET}\n\n{STEPS}")

    @pytest.mark.parametrize(("between", "are"), [(BEHIND, True), (BEHIND + 1, False)])
    def test_are_right_behind_it(self, between: int, are: bool) -> None:
        assert ("2. Choose the key." in told(f"{RESET}{' ' * (between - 1)}\n{STEPS}")) is are

    def test_are_numbered(self) -> None:
        assert told(f"{RESET}\n\n- Open the menu.\n- Choose the key.") == [RESET]
        assert told(f"{RESET}\n\n1. Open the menu.\n1. Choose the key.") == [RESET]

    def test_keep_what_stands_further_in(self) -> None:
        inner = "   1. Turn left.\n   2. Turn right."
        steps = f"1. Open the menu.\n{inner}\n2. Choose the key.\n   - Any one is fine."
        assert told(f"{RESET}\n\n{steps}") == [RESET, *steps.split("\n")]

    @pytest.mark.parametrize(("steps", "are"), [(MOST_STEPS, True), (MOST_STEPS + 1, False)])
    def test_are_a_dozen_at_most(self, steps: int, are: bool) -> None:
        listed = "\n".join(f"{number}. Turn the key." for number in range(1, steps + 1))
        assert (len(told(f"{RESET}\n\n{listed}")) > 1) is are

    @pytest.mark.parametrize(("chars", "are"), [(MOST_CHARS, True), (MOST_CHARS + 1, False)])
    def test_are_short_enough_to_be_read(self, chars: int, are: bool) -> None:
        steps = [f"{number}. {'x' * 400}" for number in (1, 2, 3)]
        last = f"4. {'y' * (chars - sum(map(len, steps)) - 3)}"
        assert (len(told(f"{RESET}\n\n" + "\n".join([*steps, last]))) > 1) is are


class TestStepsThatTheQuestionNames:
    @pytest.mark.parametrize(("share", "are"), [(0.61, True), (0.59, False)])
    def test_have_six_tenths_of_it_in_what_stands_above_them(self, share: float, are: bool) -> None:
        text = f"{RESET} The menu is on the left.\n\nTo change the key:\n\n{STEPS}"
        said = told(text, {"key": share, "password": 1 - share})
        assert (said == [RESET, *STEPS.split("\n")]) is are

    def test_are_not_those_that_are_rejected(self) -> None:
        text = f"{RESET} The menu is on the left.\n\n{STEPS}"
        assert len(told(text, {"key": 1.0}, ("Keys", "Deprecated key"))) == 1
        assert len(told(text, {"key": 1.0}, ("Keys", "Changing the key"))) == 4


class TestStepsWithCode:
    TEXT = (
        "Backups are kept for a month.\n\n1. Stop the writers:\n\n```\nkettle stop\n```\n\n"
        "2. Fetch the backup:\n\n```\nkettle fetch backup\n```\n\n3. Start the writers.\n4. Count the rows.\n"
    )

    def test_are_told_in_order_from_the_first_on(self) -> None:
        said = answer("How do I fetch a backup?", self.TEXT, headings=("Runbook", "Restore a backup"))
        assert said == (
            "Backups are kept for a month [7].\n\n"
            "1. Stop the writers [7]:\n\n```\nkettle stop\n```\n\n"
            "2. Fetch the backup [7]:\n\n```\nkettle fetch backup\n```\n\n"
            "*Restore a backup* [7]:\n\n3. Start the writers.\n4. Count the rows."
        ) or said.startswith("1. Stop the writers [7]:")

    def test_have_it_behind_a_whole_sentence_and_further_in_too(self) -> None:
        text = (
            "1. Stop the writers.\n\n      ```sh\n      kettle stop\n      ```\n\n"
            "   It takes a while to stop them.\n\n"
            "2. Fetch the backup.\n   ```\n   kettle fetch backup\n   ```\n3. Count the rows.\n"
        )
        said = told(text, {"backup": 1.0}, ("Runbook", "Restore a backup"))
        assert said == [
            "1. Stop the writers.",
            "      kettle stop",
            "2. Fetch the backup.",
            "   kettle fetch backup",
            "3. Count the rows.",
        ]

    def test_leave_other_code_alone(self) -> None:
        passage = PassageText("d", 0, f"{RESET}\n\n```\npassword reset\n```\n\n{STEPS}")
        found = quotables_of([passage], "en")
        code = [one for one in found if one.kind == "code"]
        assert with_steps([found[0], *code], found, [passage], {"password": 1.0}) == [found[0], *code]


def test_of_nothing_there_are_no_steps() -> None:
    nothing: list[Quotable] = []
    assert with_steps(nothing, nothing, [], {}) == []


@pytest.mark.parametrize(("chars", "are"), [(SHORT_RUN, True), (SHORT_RUN + 1, False)])
def test_one_step_that_is_told_brings_the_others(chars: int, are: bool) -> None:
    first, second = "1. Choose the key.", "2. Confirm it."
    text = f"{first}\n{second}\n3. {'x' * (chars - len(first) - len(second) - 3)}"
    other = PassageText("d", 0, RESET, ("Passwords",))
    steps = PassageText("d", 200, text, ("Keys",))
    found = [one for one in quotables_of([other, steps], "en") if one.fits]
    chosen = [found[0], found[1]]
    assert chosen[1].text == first
    said = with_steps(chosen, found, [other, steps], {"password": 1.0})
    assert (second in [one.text for one in said]) is are
