"""What a scripted model does with a request: the tempers of models that call tools. Pure.

A planner sees what the endpoint was sent and decides the next reply. It knows nothing else, so it goes on
rightly whoever sends the next request.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from footnote_shared.kernel.citation_tokens import NUMBER

_NUMBER = re.compile(rf"^\[({NUMBER})\] ", re.MULTILINE)
_HANDLE = re.compile(r"\b([DFTW][0-9]{1,6}) = ")
SPAM = 1000


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call of a tool; `arguments` go out as they are."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class PlannedReply:
    """One reply: its text, then its calls."""

    text: str = ""
    calls: tuple[PlannedCall, ...] = ()


Planner = Callable[[Mapping[str, Any]], PlannedReply]


def question_in(request: Mapping[str, Any]) -> str:
    """The last message of the user."""
    return [str(m["content"]) for m in request["messages"] if m["role"] == "user"][-1]


def results_in(request: Mapping[str, Any]) -> list[str]:
    """What tools have answered since the last message of the user."""
    messages = request["messages"]
    last = max(at for at, message in enumerate(messages) if message["role"] == "user")
    return [str(m["content"]) for m in messages[last:] if m["role"] == "tool"]


def passages_in(results: list[str]) -> list[tuple[int, str]]:
    """The numbered passages that a model was shown, in order."""
    found: list[tuple[int, str]] = []
    for result in results:
        pieces = _NUMBER.split(result)[1:]
        texts = (text.partition("</document>")[0].strip() for text in pieces[1::2])
        found += zip(map(int, pieces[::2]), texts, strict=True)
    return found


def nearest_sentence(question: str, passages: list[tuple[int, str]]) -> tuple[int, str]:
    """The sentence with most words of the question, and the number of its passage."""
    words = set(question.lower().strip("?").split())
    sentences = [
        (n, sentence.strip(" .\n"))
        for n, text in passages
        for line in text.splitlines()
        for sentence in line.split(". ")
        if sentence.strip(" .\n") and not line.startswith("#")
    ]
    return max(sentences, key=lambda one: len(words & set(one[1].lower().split())))


def handles_in(results: list[str]) -> list[str]:
    """The handles that a model was shown, in order."""
    return [handle for result in results for handle in _HANDLE.findall(result)]


def search_for(query: str, **more: Any) -> PlannedReply:
    """A reply that searches."""
    return call("search_knowledge_base", query=query, **more)


def call(name: str, **arguments: Any) -> PlannedReply:
    """A reply with one call."""
    return PlannedReply(calls=(PlannedCall(name, json.dumps(arguments)),))


def obedient(request: Mapping[str, Any]) -> PlannedReply:
    """Searches once, then says the best passage's first sentence behind its number."""
    return _searching(request, lambda n, text: f"{text} [{n}].")


def lazy(request: Mapping[str, Any]) -> PlannedReply:
    """Searches, and cites nothing."""
    return _searching(request, lambda n, text: f"{text}.")


def inventing(request: Mapping[str, Any]) -> PlannedReply:
    """Cites numbers that nobody has shown it beside the right one."""
    return _searching(request, lambda n, text: f"{text} [{n}][{n + 40}] [citation:d1] [0].")


def linking(request: Mapping[str, Any]) -> PlannedReply:
    """Makes links of its numbers, and draws a picture from a foreign host."""
    image = "![x](https://example.org/pixel.png)"
    return _searching(request, lambda n, text: f"{text} [{n}](https://example.org/{n}). {image}")


def ranging(request: Mapping[str, Any]) -> PlannedReply:
    """Cites ranges and lists."""
    return _searching(request, lambda n, text: f"{text} [{n}-{n + 1}], [{n}, {n + 1}].")


def spamming(request: Mapping[str, Any]) -> PlannedReply:
    """Calls a tool a thousand times in its first reply."""
    if results_in(request):
        return obedient(request)
    arguments = json.dumps({"query": question_in(request)})
    return PlannedReply(calls=(PlannedCall("search_knowledge_base", arguments),) * SPAM)


def malformed(request: Mapping[str, Any]) -> PlannedReply:
    """Writes arguments that are no JSON, then wrong ones, then right ones."""
    wrong = ('{"query": "unfinished', '{"query": 7, "depth": "all"}')
    return _after_faults(request, [PlannedCall("search_knowledge_base", one) for one in wrong])


def mistaken(request: Mapping[str, Any]) -> PlannedReply:
    """Calls a tool that is not there, and a handle that stands for nothing."""
    stray = json.dumps({"doc": "D99", "question": "What?"})
    faults = [PlannedCall("launch_rockets", "{}"), PlannedCall("analyze_document", stray)]
    return _after_faults(request, faults)


def text_shaped(request: Mapping[str, Any]) -> PlannedReply:
    """Writes its call as text, as small models do."""
    if results_in(request):
        return obedient(request)
    wanted = {"name": "search_knowledge_base", "arguments": {"query": question_in(request)}}
    return PlannedReply(f"<tool_call>\n{json.dumps(wanted)}\n</tool_call>")


def restless(request: Mapping[str, Any]) -> PlannedReply:
    """Never stops to call tools, whatever it is told."""
    return search_for(f"{question_in(request)} {len(results_in(request))}")


TEMPERS: Mapping[str, Planner] = {
    planner.__name__: planner
    for planner in (
        obedient,
        lazy,
        inventing,
        linking,
        ranging,
        spamming,
        malformed,
        mistaken,
        text_shaped,
        restless,
    )
}


def _searching(request: Mapping[str, Any], cite: Callable[[int, str], str]) -> PlannedReply:
    results = results_in(request)
    if not results:
        return search_for(question_in(request))
    found = passages_in(results)
    if not found:
        return PlannedReply("Your documents do not say.")
    return PlannedReply(cite(*nearest_sentence(question_in(request), found)))


def _after_faults(request: Mapping[str, Any], faults: list[PlannedCall]) -> PlannedReply:
    done = len(results_in(request))
    if done < len(faults):
        return PlannedReply(calls=(faults[done],))
    if done == len(faults):
        return search_for(question_in(request))
    return obedient(request)
