"""Writing down the chosen parts: each claim with its number, each block in the form that it has. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from footnote_agent.engines.blocks import Block, cells_of, is_row, row_of
from footnote_agent.engines.prose import inert, unlinked
from footnote_agent.engines.quotable import MAX_CODE_LINES, Quotable, clean, words_of
from footnote_agent.engines.term_entries import term_and_meaning
from footnote_shared.contracts.search import Passage
from footnote_shared.kernel.text import sentences

_BRACKETS = re.compile(r"[\[［【]([^\[\]［］【】]*)[\]］】]")
_END_MARK = re.compile(r"(?<![.!?…。！？])[.!?…。！？]++[\"'”’)]*+\Z")
_NUMBERED_ITEM = re.compile(r"[ \t]*(\d{1,3})[.)][ \t]")
_COUNTED_ITEM = re.compile(r"[ \t]*(\d{1,3})[ \t]+(?=[^\W\d_])")
_NAMED = re.compile(r"\[(`[^`\[\]]+`)\](?![\[(])")
"""The name of a link whose target stands elsewhere."""

_PAGE = re.compile(r"([\w.+:-]{1,40}\(\d\w{0,3}\)) .{0,120} \1\Z")
"""The title of a manual page, by its first line: `CRONTAB(5) File Formats Manual CRONTAB(5)`."""

_TICKS = re.compile(r"`+")

MOST_OF_ITEM = 350
"""Characters of an item that is quoted as it stands. Of a longer one two sentences are."""

MOST_OF_ENTRY = 250
"""Characters that are said of a term of a manual as they stand. Of more, two sentences are."""

NumberOf = Mapping[tuple[str, str], int]


def key_of(passage: Passage) -> tuple[str, str]:
    """What tells passages apart: document and chunk."""
    return passage.document_id, passage.chunk_id


def in_order(chosen: Sequence[Quotable]) -> list[Quotable]:
    """The parts as they are written: documents by their best part, passages too, each in its own order."""
    documents = {document: n for n, document in enumerate(dict.fromkeys(one.document for one in chosen))}
    passages = {passage: n for n, passage in enumerate(dict.fromkeys(one.passage for one in chosen))}
    return sorted(
        chosen, key=lambda one: (documents[one.document], passages[one.passage], one.start, one.index)
    )


def compose(
    chosen: Sequence[Quotable], passages: Sequence[Passage], number_of: NumberOf, query_words: frozenset[str]
) -> list[str]:
    """The answer in pieces: a paragraph for the prose of each passage, and one for each block.

    `query_words`: those of the question in small letters, by which long code is cut.
    """
    pieces: list[str] = []
    label = ""
    for _, group in groupby(in_order(chosen), key=_place):
        parts = list(group)
        passage = passages[parts[0].passage]
        if parts[0].block is None:
            label = ""
            for index, part in enumerate(parts):
                gap = "\n\n" if pieces and not index else " " if pieces else ""
                pieces.append(gap + cite(part.text, number_of[key_of(passages[part.passage])]))
        else:
            written = "".join(_block(parts, passage, number_of[key_of(passage)], query_words))
            # What goes on below the same heading goes on in the same list.
            before, label = label, written.partition("\n")[0] if parts[0].kind == "entries" else ""
            if label and label == before:
                pieces.append("\n" + written.removeprefix(label).lstrip("\n"))
            else:
                pieces.append(("\n\n" if pieces else "") + written)
    return pieces


def cite(sentence: str, number: int) -> str:
    """The sentence with its number before the end mark, and with nothing else that reads as a citation."""
    plain = disarm(sentence)
    end = _END_MARK.search(plain)
    head, tail = (plain[: end.start()], end.group()) if end else (plain, "")
    return f"{head.rstrip()} [{number}]{tail}"


def disarm(sentence: str) -> str:
    """The sentence without what could be taken for ours: `[12]` becomes `⟦12⟧`.

    A lone backtick becomes a quote, since it would make code of the number. Nothing is left that a client
    would load or follow.
    """
    if sentence.count("`") % 2:
        sentence = sentence.replace("`", "'")
    while (disarmed := _BRACKETS.sub(_disarm_bracket, sentence)) != sentence:
        sentence = disarmed
    return inert(sentence)


def _disarm_bracket(match: re.Match[str]) -> str:
    inner = match.group(1)
    harmful = any(char.isnumeric() for char in inner) or "citation" in inner.lower()
    return f"⟦{inner}⟧" if harmful else match.group()


def _place(one: Quotable) -> tuple[str, int, int]:
    """The paragraph that a part belongs to: its passage, and its block if it is in one."""
    return one.document, one.passage, -1 if one.block is None else one.block.start


def _block(
    parts: Sequence[Quotable], passage: Passage, number: int, query_words: frozenset[str]
) -> Iterator[str]:
    block = parts[0].block
    if block is None:
        return
    if block.kind == "table" and block.head:
        lead = disarm(clean(block.lead))
        if lead and not block.lead.startswith("("):
            yield f"{lead}\n\n"
        rows = [part.text if is_row(part.text) else row_of(cells_of(part.text)) for part in parts]
        yield _table([*block.head], rows, number)
        return
    yield f"{_label(block, passage)} [{number}]:\n\n"
    if block.kind == "code":
        yield _code("\n".join(part.text for part in parts), block.language, query_words)
    elif block.kind == "entries":
        yield "\n".join(_entry(part.text, query_words) for part in parts)
    elif block.kind == "list":
        yield "\n".join(_item(part.text, query_words) for part in parts)
    elif block.kind == "table":
        yield "\n".join(f"- {_headless(part.text)}" for part in parts)
    else:
        yield "\n".join(f"- {disarm(clean(part.text)).strip('| ')}" for part in parts)


def _label(block: Block, passage: Passage) -> str:
    """What introduces a block: its own lead, the heading above it, or the title of the document."""
    own = disarm(clean(block.lead)).rstrip(":： ")
    if words_of(own) and not own.startswith("("):
        return own
    heading = next((text for text in reversed(passage.heading_path) if words_of(text)), passage.title)
    page = _PAGE.match(heading)
    named = page[1] if page else " ".join(disarm(heading).replace("*", " ").split()).rstrip(":： ")
    return f"*{named or 'Source'}*"


def _item(text: str, query_words: frozenset[str]) -> str:
    if counted := _COUNTED_ITEM.match(text):
        return f"- {counted[1]}: {disarm(clean(text[counted.end() :]))}"
    numbered = _NUMBERED_ITEM.match(text)
    mark = f"{numbered[1]}." if numbered else "-"
    return f"{mark} {disarm(_shortened(clean(text), MOST_OF_ITEM, query_words))}"


def _headless(row: str) -> str:
    """A row of a table whose head is not at hand: its first cell, and what the others say of it."""
    cells = [cell for one in cells_of(row) if (cell := disarm(clean(_NAMED.sub(r"\1", one))))]
    return f"{cells[0]}: {'; '.join(cells[1:])}" if len(cells) > 1 else "".join(cells)


def _shortened(text: str, longest: int, query_words: frozenset[str]) -> str:
    """Of a long text the first sentence and that with most words of the question."""
    said = [one.text for one in sentences(text)]
    if len(text) <= longest or len(said) <= 2:
        return text
    met = [len(query_words & {word.lower() for word in words_of(one)}) for one in said]
    best = max(range(1, len(said)), key=lambda at: (met[at], -at))
    return " ".join([said[0], *(["…"] if best > 1 else []), said[best]])


def _entry(text: str, query_words: frozenset[str]) -> str:
    """A term of a manual as code, and what it means: of much, its beginning and what is asked for."""
    term, meaning = term_and_meaning(text)
    plain = disarm(term).replace("`", "'")
    return f"- `{plain}`: {disarm(clean(_shortened(meaning, MOST_OF_ENTRY, query_words)))}"


def _table(head: Sequence[str], rows: Sequence[str], number: int) -> str:
    """Head, rule and rows. The number stands in the last cell of the last row."""
    written = [_row(head[0]), head[1], *(_row(row) for row in rows)]
    last = written[-1].rstrip()
    closed = last.endswith("|") and is_row(last)
    written[-1] = f"{last[:-1].rstrip()} [{number}] |" if closed else f"{last} [{number}]"
    return "\n".join(written)


def _row(row: str) -> str:
    return disarm(" ".join(unlinked(row).split()))


def _code(code: str, language: str, query_words: frozenset[str]) -> str:
    """Code as it is, in a fence that none of its own can close."""
    longest = max((len(ticks) for ticks in _TICKS.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    name = language if language.replace("+", "").replace("#", "").replace("-", "").isalnum() else ""
    return f"{fence}{name}\n{_excerpt(code, query_words)}\n{fence}"


def _excerpt(code: str, query_words: frozenset[str]) -> str:
    """Short code whole; of long code the lines that hold most words of the question."""
    lines = code.split("\n")
    if len(lines) <= MAX_CODE_LINES:
        return code
    met = [len(query_words & {word.lower() for word in words_of(line)}) for line in lines]
    best = max(
        range(len(lines) - MAX_CODE_LINES + 1), key=lambda at: (sum(met[at : at + MAX_CODE_LINES]), -at)
    )
    return "\n".join(lines[best : best + MAX_CODE_LINES])
