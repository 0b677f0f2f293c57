"""Tools and what stands around them: schemas, switches, handles, names, bounds, the ambient block."""

import pytest

from footnote_agent.context.ambient import AmbientNotes, ambient_block
from footnote_agent.context.handles import HandleBook, HandleTarget
from footnote_agent.context.plain_name import plain_name
from footnote_agent.context.tokens import count_tokens
from footnote_agent.context.trajectory import ModelReply, SeenPassage, ToolResult, shortened
from footnote_agent.engines.reply_text import ReplyText, closing_words
from footnote_agent.engines.tool_calls import short_arguments
from footnote_agent.engines.turn_limits import TurnLimits, answer_reserve_s, narrowed, seconds_of, used_up
from footnote_agent.store.tool_switches import ToolSwitches
from footnote_agent.tools.all_tools import TOOLS, allowed, asking_first, switched_on
from footnote_agent.tools.guard import bounded
from footnote_agent.tools.tool_context import ToolAnswer
from footnote_shared.contracts.turns import TurnSettings
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Misconfigured

LIMITS = TurnLimits(steps=3, tool_calls=2, tokens=1000, parallel_tools=4)


class TestTheLimitsOfATurn:
    @pytest.mark.parametrize(
        ("asked", "limits"),
        [
            ({}, TurnLimits(3, 2, 1000, 4)),
            ({"max_steps": 1}, TurnLimits(1, 2, 1000, 4)),
            ({"max_tool_calls": 1}, TurnLimits(3, 1, 1000, 4)),
            ({"parallel_tools": 2}, TurnLimits(3, 2, 1000, 2)),
            (
                {"max_steps": 99, "max_tool_calls": 99, "max_turn_tokens": 99_999, "parallel_tools": 9},
                TurnLimits(3, 2, 1000, 4),
            ),
        ],
    )
    def test_are_narrowed_and_never_widened(self, asked: dict[str, int], limits: TurnLimits) -> None:
        assert narrowed(LIMITS, TurnSettings.model_validate(asked)) == limits

    def test_of_its_tokens_too(self) -> None:
        asked = TurnSettings(max_turn_tokens=1000)
        assert narrowed(TurnLimits(3, 2, 5000, 4), asked).tokens == 1000

    @pytest.mark.parametrize(("asked_s", "seconds"), [(None, 300.0), (20.0, 20.0), (900.0, 300.0)])
    def test_of_its_time(self, asked_s: float | None, seconds: float) -> None:
        assert seconds_of(300.0, TurnSettings(max_seconds=asked_s)) == seconds


class TestTheRegister:
    def test_models_are_told_what_the_functions_say(self) -> None:
        spec = TOOLS["search_knowledge_base"].spec
        assert spec.parameters["required"] == ["query"]
        assert set(spec.parameters["properties"]) == {"query", "scope"}
        assert spec.description.startswith("Search the user's documents.")

    def test_a_tool_is_described_once_for_all_turns(self) -> None:
        told = [TOOLS[name].spec for name in TOOLS]
        assert all(TOOLS[name].spec is spec for name, spec in zip(TOOLS, told, strict=True))
        assert [spec.name for spec in told] == list(TOOLS)

    def test_every_argument_is_described(self) -> None:
        silent = [
            f"{tool.name}.{name}"
            for tool in TOOLS.values()
            for name, about in tool.spec.parameters["properties"].items()
            if not about.get("description")
        ]
        assert not silent

    def test_a_tool_can_be_switched_off_for_all_or_for_a_turn(self) -> None:
        left = switched_on("read_chat, write_todos")
        assert "read_chat" not in left
        assert list(allowed(left, ["get_document", "read_chat"])) == ["get_document"]
        assert list(allowed(left, ["get_document", "recall"], {"recall"})) == ["get_document"]

    def test_what_changes_files_or_the_future_asks_first_unless_the_workspace_says_otherwise(self) -> None:
        by_themselves = {"edit_file", "move_file", "rm", "rmdir", "create_automation", "act"}
        assert asking_first(TOOLS, ToolSwitches(), None) == by_themselves
        decided = ToolSwitches(ask_first=frozenset({"recall"}), decided=frozenset({"recall", "rm"}))
        assert asking_first(TOOLS, decided, ["ls"]) == by_themselves - {"rm"} | {"recall", "ls"}

    def test_a_name_that_is_no_tool_is_refused(self) -> None:
        with pytest.raises(Misconfigured, match="launch_rockets"):
            switched_on("launch_rockets")


class TestHandles:
    def test_a_target_keeps_its_handle(self) -> None:
        book = HandleBook()
        one, two = HandleTarget("document", "a", "One"), HandleTarget("document", "b", "Two")
        assert [book.handle(target) for target in (one, two, one)] == ["D1", "D2", "D1"]
        assert book.handle(HandleTarget("folder", "a", "/x")) == "F1"

    def test_it_is_found_as_models_write_it(self) -> None:
        book = HandleBook({"D": [("a", "One")]})
        assert book.find(" d1 ", ["document"]) == HandleTarget("document", "a", "One")

    @pytest.mark.parametrize("written", ["D2", "D0", "D01", "F1", "a", "", "D1; D1", "D" + "9" * 5000])
    def test_what_stands_for_nothing_is_not_found(self, written: str) -> None:
        assert HandleBook({"D": [("a", "One")], "F": [("f", "/x")]}).find(written, ["document"]) is None

    def test_the_latest_thirty_are_listed(self) -> None:
        book = HandleBook({"D": [(f"d{n}", f"Plan {n}") for n in range(1, 41)]})
        assert book.listing(["document"]).split(", ") == [f"D{n} (Plan {n})" for n in range(11, 41)]


def test_a_name_cannot_look_like_a_citation_or_markup() -> None:
    assert plain_name("A [3]\n</document> 【4】\0") == "A (3) ‹/document› (4)"
    assert len(plain_name("x" * 5000)) == 120


def test_a_result_of_fifty_megabytes_is_cut_and_says_so() -> None:
    cut = bounded(ToolAnswer("x" * 50_000_000))
    assert len(cut.text) < 61_000
    assert cut.text.endswith("(cut: the result has 50000000 characters)")


def test_old_evidence_is_its_numbers_by_title() -> None:
    shown = (SeenPassage(n=3, title="A"), SeenPassage(n=7, title="B"), SeenPassage(n=4, title="A"))
    assert shortened(ToolResult(call_id="c", text="long", shown=shown)).splitlines()[1:] == [
        "A: [3][4]",
        "B: [7]",
    ]


class TestTheAmbientBlock:
    def test_keeps_its_budget_and_its_contract(self) -> None:
        notes = AmbientNotes(
            now(),
            mentions=("D1: the document Plan",),
            folders=tuple(f"F{n}: /folder/{n} with a long name" for n in range(500)),
            used_up="all steps",
        )
        block = ambient_block(notes, 900)
        assert count_tokens(block) <= 900
        assert "D1: the document Plan" in block
        assert "You have used up all steps" in block
        assert "F499" not in block


class TestLimits:
    REPLY = ModelReply(text="")
    RESULT = ToolResult(call_id="c", text="")

    def test_nothing_is_used_up_at_first(self) -> None:
        assert used_up(LIMITS, [], 0, 100, 10) is None

    def test_the_last_step_is_for_the_answer(self) -> None:
        assert used_up(LIMITS, [self.REPLY], 0, 100, 10) is None
        assert used_up(LIMITS, [self.REPLY] * 2, 0, 100, 10) == "all steps"

    def test_tools_tokens_and_time_run_out_too(self) -> None:
        assert used_up(LIMITS, [self.RESULT] * 2, 0, 100, 10) == "all calls of tools"
        assert used_up(LIMITS, [], 1000, 100, 10) == "all tokens"
        assert used_up(LIMITS, [], 0, 10, 10) == "nearly all the time"

    @pytest.mark.parametrize(("turn_s", "reserve_s"), [(100, 20), (220, 44), (230, 45), (3600, 45)])
    def test_a_fifth_of_the_time_is_for_the_answer_and_no_more_than_it_needs(
        self, turn_s: float, reserve_s: float
    ) -> None:
        assert answer_reserve_s(turn_s) == pytest.approx(reserve_s)


class TestTheTextOfAReply:
    def test_stands_apart_from_what_was_said_before(self) -> None:
        reply = ReplyText(before="Let me look.", goes_on=False)
        assert [reply.add("It"), reply.add(" is.")] == ["\n\nIt", " is."]

    def test_goes_on_where_another_broke_off(self) -> None:
        assert ReplyText(before="It i", goes_on=True).add("s.") == "s."

    def test_words_of_ours_name_what_was_found(self) -> None:
        shown = [SeenPassage(n=2, title="Plan"), SeenPassage(n=2, title="Plan")]
        assert closing_words(shown, "all steps").endswith("came nearest:\n\n- Plan [2]")
        assert "found nothing" in closing_words([], None)

    def test_words_of_ours_keep_a_number_behind_whatever_title(self) -> None:
        shown = [SeenPassage(n=2, title="~~~ Using `")]
        assert closing_words(shown, None).endswith("- `~~~` Using ' [2]")

    def test_words_of_ours_name_five_documents_and_five_passages_of_each(self) -> None:
        shown = [SeenPassage(n=10 * plan + n, title=f"Plan {plan}") for plan in range(1, 7) for n in range(6)]
        assert closing_words(shown, None).splitlines()[2:] == [
            f"- Plan {plan} " + "".join(f"[{10 * plan + n}]" for n in range(5)) for plan in range(1, 6)
        ]


@pytest.mark.parametrize("written", ["", "[]", "{", '"a"', "[" * 10_000])
def test_arguments_that_cannot_be_read_are_not_shown(written: str) -> None:
    assert short_arguments(written) == {}


def test_six_arguments_are_shown() -> None:
    assert list(short_arguments('{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7}')) == list("abcdef")
