"""Calls that a model wrote as text: the usual forms, however they are cut, and what only looks like one."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote_shared.models.text_calls import CALL_CHARS, TextCalls
from footnote_shared.models.written_call import WrittenCall
from tests.properties.effort import examples

TOOLS = ("search_knowledge_base", "write_todos")
ARGUMENTS = {"query": "the launch"}
PLAIN = json.dumps({"name": "search_knowledge_base", "arguments": ARGUMENTS})
LLAMA = json.dumps({"type": "function", "name": "search_knowledge_base", "parameters": ARGUMENTS})
NESTED = json.dumps(
    {"type": "function", "function": {"name": "search_knowledge_base", "arguments": ARGUMENTS}}
)

FORMS = [
    pytest.param(f"<tool_call>\n{PLAIN}\n</tool_call>", id="hermes"),
    pytest.param(f"<tool_call>{PLAIN}", id="hermes, not closed"),
    pytest.param(f"<TOOL_CALL>{NESTED}</tool_call>\n", id="nested"),
    pytest.param(f"<tool_call>[{PLAIN}]</tool_call>", id="a list"),
    pytest.param(f"```json\n{PLAIN}\n```", id="fence"),
    pytest.param(f"```\n[{PLAIN}]\n```\n", id="fence without a language"),
    pytest.param(f"[TOOL_CALLS] [{PLAIN}]", id="mistral"),
    pytest.param(f"[TOOL_CALLS]search_knowledge_base[ARGS]{json.dumps(ARGUMENTS)}", id="mistral, named"),
    pytest.param(f"<function=search_knowledge_base>{json.dumps(ARGUMENTS)}</function>", id="llama"),
    pytest.param(
        "<tool_call>\n<function=search_knowledge_base>\n<parameter=query>\nthe launch\n</parameter>\n"
        "</function>\n</tool_call>",
        id="qwen coder",
    ),
    pytest.param(f"<|python_tag|>{LLAMA}<|eom_id|>", id="python tag"),
    pytest.param(f"\n {LLAMA}", id="bare"),
    pytest.param(f"<|tool_call|>[{PLAIN}]", id="granite"),
]


def heard(pieces: list[str], tools: tuple[str, ...] = TOOLS) -> tuple[str, list[WrittenCall]]:
    calls = TextCalls(tools)
    text = "".join([*(calls.feed(piece) for piece in pieces), calls.close()])
    return text, calls.calls


@pytest.mark.parametrize("written", FORMS)
def test_a_call_in_each_of_the_usual_forms_is_one_and_is_not_shown(written: str) -> None:
    text, (call,) = heard([written])
    assert not text.strip()
    assert (call.name, json.loads(call.arguments)) == ("search_knowledge_base", ARGUMENTS)


@pytest.mark.parametrize("written", FORMS)
def test_it_does_not_matter_how_it_is_cut(written: str) -> None:
    bare = written.lstrip().startswith("{")
    whole = written if bare else f"Let me look.\n{written}"
    assert heard([*whole]) == heard([whole])


def test_several_calls_keep_their_order_and_nothing_behind_them_is_shown() -> None:
    other = json.dumps({"name": "write_todos", "arguments": {"items": []}})
    text, calls = heard(
        [f"I look.\n<tool_call>{PLAIN}</tool_call><tool_call>{other}</tool_call> It says [7]."]
    )
    assert text == "I look.\n"
    assert [call.name for call in calls] == ["search_knowledge_base", "write_todos"]


def test_a_marked_call_that_cannot_be_read_is_a_call_all_the_same() -> None:
    text, (call,) = heard(["<tool_call>{broken</tool_call>"])
    assert (text, call) == ("", WrittenCall("", "{broken"))


@pytest.mark.parametrize(
    "text",
    [
        "A config: ```json\n" + PLAIN + "\n```",
        '```json\n{"name": "gull", "arguments": {}}\n```\nis an example.',
        '```json\n{"name": "search_knowledge_base", "price": 3}\n```',
        '{"name": "gull", "arguments": {}} is JSON.',
        '{"rows": [1, 2]}',
        "Hermes writes `<tool_call>{}</tool_call>` for that.",
        "```xml\n<tool_call>{}</tool_call>\n```",
        "The marker [TOOL_CALLS] is Mistral's, <tool_call> is not, and <function=> neither.",
        "a < b, [1], {x}, ``` and <",
        '```json\n{"name": "search_knowledge_base"',
        '{"name": "' + "long" * CALL_CHARS + '"}',
    ],
)
def test_what_is_no_call_is_text_to_the_last_character(text: str) -> None:
    assert heard([text]) == (text, [])
    assert heard([text[at : at + 7] for at in range(0, len(text), 7)]) == (text, [])


def test_without_tools_on_offer_marked_calls_are_hidden_and_json_is_text() -> None:
    assert heard([PLAIN], tools=()) == (PLAIN, [])
    assert heard([f"<tool_call>{PLAIN}</tool_call>"], tools=())[0] == ""


_PIECES = st.lists(
    st.sampled_from(
        [
            *(
                "<tool_call>",
                "</tool_call>",
                "<function=",
                ">",
                "</function>",
                "[TOOL_CALLS]",
                "[ARGS]",
                "```",
            ),
            *("json", "\n", "{", "}", "[", "]", '"name"', ":", '"search_knowledge_base"', ",", '"arguments"'),
            *("{}", "`", " ", "a", "<|python_tag|>", "<|eom_id|>", "<parameter=", "\\", '"', PLAIN),
        ]
    ),
    max_size=40,
)


@settings(max_examples=examples(150))
@given(_PIECES, st.integers(1, 9))
def test_no_text_depends_on_its_cuts_and_none_is_lost_without_a_call(parts: list[str], width: int) -> None:
    text = "".join(parts)
    whole = heard([text])
    assert heard([text[at : at + width] for at in range(0, len(text), width)]) == whole
    if not any(marker in text for marker in ("<tool_call>", "<function=", "[TOOL_CALLS]", "<|python_tag|>")):
        assert whole[1] or whole[0] == text
