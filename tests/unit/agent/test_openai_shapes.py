"""What a client of the OpenAI interface sends and reads, without a server."""

import json
from typing import Any

import pytest

from footnote_agent.api.chat_request import ChatCompletionRequest, asked_chat
from footnote_agent.api.openai.cited_text import CitedText, list_of_sources
from footnote_agent.api.openai.errors import openai_error
from footnote_agent.api.openai.housekeeping import housekeeping_answer
from footnote_agent.context.asked_turn import Exchange
from footnote_agent.context.client_chat import fingerprint, foreign_answer, whole_turns, without_sources
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.evidence import Display
from footnote_shared.kernel.errors import InvalidRequest


def entry(n: int, **display: Any) -> CitationEntry:
    return CitationEntry(
        n=n, source_type="kb_chunk", locator={}, display=Display(**display), quote="q", content_hash="h"
    )


def request(*messages: dict[str, Any], **more: Any) -> ChatCompletionRequest:
    return ChatCompletionRequest.model_validate({"model": "footnote", "messages": messages, **more})


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


class TestARequest:
    def test_of_parts_is_their_text(self) -> None:
        chat = asked_chat(request(user([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])))
        assert chat.question == "a\nb"

    @pytest.mark.parametrize(
        ("model", "preset", "settings"),
        [
            ("footnote", None, None),
            ("footnote-pipeline", None, {"engine": "pipeline"}),
            ("extractive", None, {"engine": "extractive"}),
            ("high_recall", "high_recall", None),
        ],
    )
    def test_names_an_engine_or_a_preset(
        self, model: str, preset: str | None, settings: dict[str, Any] | None
    ) -> None:
        chat = asked_chat(request(user("a"), model=model))
        assert (chat.preset, chat.settings) == (preset, settings)

    def test_says_what_of_it_has_no_effect(self) -> None:
        body = request(
            {"role": "system", "content": "s"}, user("a"), temperature=1, tools=[], stop=None, seed=3
        )
        chat = asked_chat(body)
        assert chat.ignored_by("extractive") == ["messages.system", "seed", "temperature"]
        assert chat.ignored_by("agentic") == ["seed", "temperature"]

    def test_names_twenty_fields_without_effect(self) -> None:
        body = request(user("a"), **{f"field_{n:02}": 1 for n in range(30)})
        assert asked_chat(body).ignored_by("agentic") == [f"field_{n:02}" for n in range(20)]

    def test_guides_by_its_system_messages_in_their_order(self) -> None:
        system, developer = (
            {"role": "system", "content": "Be brief."},
            {"role": "developer", "content": "Fr."},
        )
        chat = asked_chat(
            request(system, user("a"), {"role": "assistant", "content": "b"}, developer, user("c"))
        )
        assert (chat.guidance, chat.question) == ("Be brief.\n\nFr.", "c")
        assert [one.role for one in chat.earlier] == ["user", "assistant"]

    @pytest.mark.parametrize(
        "messages",
        [
            [user("a"), {"role": "assistant", "content": "b"}],
            [user([{"type": "input_audio", "input_audio": {}}])],
        ],
    )
    def test_that_holds_no_question_is_refused(self, messages: list[dict[str, Any]]) -> None:
        with pytest.raises(InvalidRequest):
            asked_chat(request(*messages))


class TestAnAnswer:
    def test_has_its_annotations_where_its_numbers_stand(self) -> None:
        cited = CitedText()
        said = cited.add("One [citation:1]") + cited.add(" and two [citation:2][citation:1].")
        assert said == cited.text == "One [1] and two [2][1]."
        found = cited.annotations([entry(1, title="A", url="https://a.example/x"), entry(2, title="B")])
        spans = [(a["url_citation"]["start_index"], a["url_citation"]["end_index"]) for a in found]
        assert [cited.text[start:end] for start, end in spans] == ["[1]", "[1]"]
        assert spans == [(4, 7), (19, 22)]

    @pytest.mark.parametrize(
        "url", ["javascript:alert(1)", "https://a.example/ x", "https://a.example/)![x](y", "ftp://a", None]
    )
    def test_leads_nowhere_but_to_pages(self, url: str | None) -> None:
        cited = CitedText()
        cited.add("[citation:1]")
        assert cited.annotations([entry(1, title="A", url=url)]) == []
        assert list_of_sources([entry(1, title="A", url=url)]).endswith("- [1] A")

    def test_lists_sources_without_markup_of_theirs(self) -> None:
        title = "![x](https://evil.example/p.png)\n\n# <img src=x>"
        (line,) = list_of_sources([entry(3, title=title)]).splitlines()[4:]
        assert line == "- [3] !(x)(https://evil.example/p.png) # ‹img src=x›"

    def test_says_nothing_of_a_source_that_was_withdrawn(self) -> None:
        hidden = entry(1, title="Secret", url="https://a.example").without_source("forbidden")
        assert "Secret" not in list_of_sources([hidden])


class TestAChat:
    def test_is_the_same_whatever_its_layout_and_lists_of_sources(self) -> None:
        ours = [Exchange("user", "When?"), Exchange("assistant", "Soon [1]." + list_of_sources([entry(1)]))]
        sent = [Exchange("user", " When? "), Exchange("assistant", "Soon  [1].\r\n")]
        other = [Exchange("user", "When?"), Exchange("assistant", "Later [1].")]
        assert fingerprint(ours) == fingerprint(sent) != fingerprint(other)

    def test_loses_no_text_that_only_names_sources(self) -> None:
        assert without_sources("See **Sources** below.") == "See **Sources** below."

    def test_of_others_loses_its_numbers(self) -> None:
        assert foreign_answer("It was [1] so [23].") == "It was  so ."

    def test_is_told_in_whole_turns_the_newest_first_to_stay(self) -> None:
        chat = [
            Exchange("assistant", "Hello."),
            Exchange("user", "a"),
            Exchange("user", "b"),
            Exchange("assistant", "B"),
            Exchange("user", "c"),
            Exchange("assistant", "C"),
            Exchange("user", "d"),
        ]
        assert whole_turns(chat, 20) == [("b", "B"), ("c", "C")]
        assert whole_turns(chat, 1) == [("c", "C")]


class TestHousekeeping:
    @pytest.mark.parametrize(
        ("said", "title"),
        [
            ("When do we close the old harbour again?", "When do we close the old"),
            (f"{'x' * 70} and more", "x" * 60),
        ],
    )
    def test_a_title_is_six_words_of_sixty_characters(self, said: str, title: str) -> None:
        task = f'### Task:\nAnswer {{"title": "..."}}\n<chat_history>\nUSER: {said}\n</chat_history>'
        assert json.loads(housekeeping_answer(task) or "") == {"title": title}

    @pytest.mark.parametrize(
        "text",
        [
            "Write a title for our annual report.",
            "### Task: how do I close one?",
            'What does "title" mean in <chat_history>?',
        ],
    )
    def test_leaves_questions_of_people_alone(self, text: str) -> None:
        assert housekeeping_answer(text) is None

    @pytest.mark.parametrize("name", ["follow_ups", "queries", "tags", "text", "prompt"])
    def test_offers_nothing_but_titles(self, name: str) -> None:
        prompt = f'### Task:\nDo it.\n{{ "{name}": [] }}\n<chat_history>\nUSER: "title"?\n</chat_history>'
        assert not json.loads(housekeeping_answer(prompt) or "")[name]

    def test_makes_a_title_of_the_first_words(self) -> None:
        prompt = '### Task:\n{ "title": "x" }\n<chat_history>\nUSER: one two three four five six seven\n'
        assert json.loads(housekeeping_answer(prompt) or "") == {"title": "one two three four five six"}


def test_a_problem_is_told_as_openai_tells_errors() -> None:
    problem = {"status": 429, "detail": "Too many.", "code": "too_many_requests"}
    assert openai_error(problem)["error"] == {
        "message": "Too many.",
        "type": "rate_limit_error",
        "param": None,
        "code": "rate_limit_exceeded",
    }


class TestWhatAPolicyHasWithdrawn:
    def streamed(self) -> CitedText:
        cited = CitedText()
        for piece in ("A [citation:1]. B ", "[citation:2][citation:1]. C [citation:3]."):
            cited.add(piece)
        return cited

    def test_is_what_the_client_has_and_the_answer_has_not(self) -> None:
        assert self.streamed().withdrawn_in("A. B [citation:1]. C.") == [1, 2, 3]
        assert (
            self.streamed().withdrawn_in("A [citation:1]. B [citation:2][citation:1]. C [citation:3].") == []
        )

    def test_stands_behind_the_sources_with_the_places_of_what_is_cited_still(self) -> None:
        assert list_of_sources([entry(1, title="Plan", source="p.md")], [1, 2, 2]) == (
            "\n\n**Sources**\n\n"
            "- [1] Plan · p.md\n"
            "- [1] withdrawn in 1 place: the passage does not support the sentence\n"
            "- [2] withdrawn: the passage does not support the sentence"
        )
        assert list_of_sources([], [4]).endswith(
            "**Sources**\n\n- [4] withdrawn: the passage does not support the sentence"
        )

    def test_is_no_part_of_the_chat_that_goes_on(self) -> None:
        assert without_sources("A [2]." + list_of_sources([], [2])).strip() == "A [2]."
