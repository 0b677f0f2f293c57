"""Sentences that a line of code stands within: "The option", `--kettle`, "sets the kettle." Pure.

A converter writes such a line as a paragraph of its own, and each half of the sentence says nothing alone.
"""

from collections.abc import Sequence

from footnote_agent.engines.block import Block
from footnote_shared.kernel.text import Sentence

MOST_OF_LINE = 80
"""Characters of the line within a sentence at most. More of it stands by itself."""

FEWEST_ABOVE = 3
"""Words of the half above at least. Fewer are a heading."""

_OPEN_ENDS = tuple(".!?…:;。！？：")


def rejoined(split: Sequence[Sentence], text: str, blocks: Sequence[Block]) -> list[Sentence]:
    """The sentences of a text, where two that one line parts are one, with that line as code in it."""
    code_behind = {_before(text, block.start): block for block in blocks if _is_line(block)}
    kept: list[Sentence] = []
    at = 0
    while at < len(split):
        sentence = split[at]
        before = kept[-1] if kept else None
        block = code_behind.get(before.end) if before else None
        line, rest = "", sentence
        if block is not None and not text[block.end : sentence.start].strip():
            line = block.parts[0].text.strip()
        elif at + 1 < len(split) and _is_alone(sentence, text):
            line, rest = sentence.text, split[at + 1]
        if before is not None and line and _breaks_off(before) and opens_as_rest(rest.text, before.text):
            whole = f"{before.text} `{line}` {rest.text}"
            kept[-1] = Sentence(whole, before.start, rest.end)
            at += 1 if rest is sentence else 2
        else:
            kept.append(sentence)
            at += 1
    return kept


def opens_as_rest(text: str, before: str) -> bool:
    """Whether a sentence behind code is the rest of one that broke off above it. `before`: that one."""
    return text[:1].islower() and bool(before) and not before.rstrip().endswith(_OPEN_ENDS)


def _before(text: str, place: int) -> int:
    """Where the text before a block ends."""
    while place > 0 and text[place - 1].isspace():
        place -= 1
    return place


def _is_line(block: Block) -> bool:
    return block.kind == "code" and len(block.parts) == 1 and _fits(block.parts[0].text.strip())


def _fits(line: str) -> bool:
    return "\n" not in line and "`" not in line and 0 < len(line) <= MOST_OF_LINE


def _is_alone(sentence: Sentence, text: str) -> bool:
    """Whether it is a paragraph of one line that is further in than text, and no sentence."""
    opens = text.rfind("\n", 0, sentence.start) + 1
    indent = text[opens : sentence.start]
    return (
        _fits(sentence.text)
        and not indent.strip()
        and len(indent) > 1
        and not sentence.text.endswith(_OPEN_ENDS)
        and text[max(0, opens - 2) : opens] == "\n\n"
        and text.startswith("\n\n", sentence.end)
    )


def _breaks_off(before: Sentence) -> bool:
    return before.text[-1:].islower() and len(before.text.split()) >= FEWEST_ABOVE
