"""Writing down the chosen parts: each claim with its number, each block in the form that it has. Pure."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from footnote_agent.engines.answer_order import in_order
from footnote_agent.engines.block import Block, BlockKind
from footnote_agent.engines.disarming import disarm
from footnote_agent.engines.nested_items import indent_of
from footnote_agent.engines.openings import points_back
from footnote_agent.engines.prose import unlinked
from footnote_agent.engines.quotable import MAX_CODE_LINES, Quotable
from footnote_agent.engines.quotable_sentences import clean
from footnote_agent.engines.table_rows import cells_of, is_row, row_of
from footnote_agent.engines.term_entries import term_and_meaning
from footnote_agent.engines.terms import terms, words_of
from footnote_shared.contracts.search import Passage
from footnote_shared.kernel.text import sentences

_END_MARK = re.compile(r"(?<![.!?…。！？])[.!?…。！？]++[\"'”’)]*+\Z")
_NUMBERED_ITEM = re.compile(r"[ \t]*(\d{1,3})[.)][ \t]")
_COUNTED_ITEM = re.compile(r"[ \t]*(\d{1,3})[ \t]+(?=[^\W\d_])")
_NAMED = re.compile(r"\[(`[^`\[\]]+`)\](?![\[(])")
"""The name of a link whose target stands elsewhere."""

_PAGE = re.compile(r"([\w.+:-]{1,40}\(\d\w{0,3}\)) .{0,120} \1\Z")
"""The title of a manual page, by its first line: `CRONTAB(5) File Formats Manual CRONTAB(5)`."""

_DEFAULT = frozenset({"default", "defaults"})
"""What the sentence of a manual says that tells what holds where nothing is set."""

_TICKS = re.compile(r"`+")

MOST_OF_ITEM = 500
"""Characters of an item that is quoted as it stands. Of a longer one two sentences are."""

WORDS_OF_LABEL = 4
"""Words of a sentence that opens an item and only names what it is of, at most."""

MOST_OF_ENTRY = 450
"""Characters that are said of a term of a manual as they stand. Of more, two sentences are."""

_NEXT = "\n\n"
"""What stands between two paragraphs."""

NumberOf = Mapping[tuple[str, str], int]
Holds = Callable[[str], bool]


def _holds_nothing(_: str) -> bool:
    return False


def key_of(passage: Passage) -> tuple[str, str]:
    """What tells passages apart: document and chunk."""
    return passage.document_id, passage.chunk_id


def compose(
    chosen: Sequence[Quotable],
    passages: Sequence[Passage],
    number_of: NumberOf,
    query_words: frozenset[str],
    holds: Holds = _holds_nothing,
) -> list[str]:
    """The answer in pieces: a paragraph for the prose of each passage, and one for each block.

    `query_words`: those of the question in small letters, by which long code is cut. `holds`: whether a text
    has a value of the form that is asked for.
    """
    pieces: list[str] = []
    above = ""
    before: BlockKind | None = None
    for _, group in groupby(in_order(chosen), key=_place):
        parts = list(group)
        passage = passages[parts[0].passage]
        if parts[0].block is None:
            above, before = "", None
            first, *others = _prose(parts, passage, number_of[key_of(passage)])
            pieces += [f"{_NEXT}{first}" if pieces else first, *others]
        else:
            written = "".join(_block(parts, passage, number_of[key_of(passage)], query_words, holds))
            label, kind = written.partition("\n")[0], parts[0].kind
            # What goes on below the same heading needs it once, and entries are one list.
            if label == above and not parts[0].block.head:
                gap = "\n" if kind == before == "entries" else _NEXT
                pieces.append(gap + written.removeprefix(label).lstrip("\n"))
            else:
                pieces.append((_NEXT if pieces else "") + written)
            above, before = label, kind
    return pieces


def _prose(parts: Sequence[Quotable], passage: Passage, number: int) -> Iterator[str]:
    """The sentences of a passage, each behind the words in bold and the heading that it needs.

    What is said not to be so stands behind what says it. What opens with "It" stands behind its heading where
    the sentence that it points to is not to be had. What stands in the text before what is quoted first
    begins a paragraph.
    """
    said = under = ""
    for index, part in enumerate(parts):
        back = index and part.start < parts[index - 1].start
        known = not part.head or part.head.rstrip(":：") in said
        text = part.text if known else f"{part.head} {part.text}"
        heading = ""
        if part.rejected != under:
            heading = part.rejected or part.above or _named(passage)
        elif not index and points_back(text) and not _is_file_name(passage):
            heading = _named(passage)
        under = part.rejected
        if heading and heading not in text:
            yield f"{_NEXT if index else ''}{_headed(heading)} {cite(text, number)}"
        else:
            yield f"{_NEXT if back else ' ' if index else ''}{cite(text, number)}"
        said += text


def cite(sentence: str, number: int) -> str:
    """The sentence with its number before the end mark, and with nothing else that reads as a citation."""
    plain = disarm(sentence)
    end = _END_MARK.search(plain)
    head, tail = (plain[: end.start()], end.group()) if end else (plain, "")
    return f"{head.rstrip()} [{number}]{tail}"


def _place(one: Quotable) -> tuple[str, int, int]:
    """The paragraph that a part belongs to: its passage, and its block if it is in one."""
    return one.document, one.passage, -1 if one.block is None else one.block.start


def _block(
    parts: Sequence[Quotable], passage: Passage, number: int, query_words: frozenset[str], holds: Holds
) -> Iterator[str]:
    block = parts[0].block
    if block is None:
        return
    if block.kind == "table" and block.head:
        lead = disarm(clean(block.lead))
        if parts[0].rejected not in block.lead:
            yield f"{_headed(parts[0].rejected)}\n\n"
        if lead and not block.lead.startswith("("):
            yield f"{lead}\n\n"
        rows = [part.text if is_row(part.text) else row_of(cells_of(part.text)) for part in parts]
        yield _table([*block.head], rows, number)
        return
    yield f"{_label(parts[0], block, passage)} [{number}]:\n\n"
    if block.kind == "code":
        yield _code("\n".join(part.text for part in parts), block.language, query_words)
    elif block.kind == "entries":
        yield "\n".join(_entry(part.text, query_words, holds) for part in parts)
    elif block.kind == "list":
        yield "\n".join(_items(parts, query_words, holds))
    elif block.kind == "table":
        yield "\n".join(f"- {_headless(part.text)}" for part in parts)
    else:
        yield "\n".join(f"- {disarm(clean(part.text)).strip('| ')}" for part in parts)


def _label(first: Quotable, block: Block, passage: Passage) -> str:
    """What introduces a block: its own lead, the heading above it, or the title of the document.

    Before it stands what says that the block is not so, where this is another one.
    """
    own = disarm(clean(block.lead)).rstrip(":： ")
    if step := _NUMBERED_ITEM.match(block.lead):
        own = f"{step[1]}. {own}"
    said = own if terms(own) and not own.startswith("(") else ""
    named = _named(passage)
    rejected = _plain(clean(first.rejected))
    if rejected in (said or named):
        return said or f"*{named or 'Source'}*"
    return f"*{rejected}*: {said or named}"


def _named(passage: Passage) -> str:
    """The heading of a passage, or the title of its document, in words."""
    heading = next((text for text in reversed(passage.heading_path) if words_of(text)), passage.title)
    page = _PAGE.match(heading)
    return page[1] if page else _plain(heading)


def _is_file_name(passage: Passage) -> bool:
    """Whether all that names a passage is the name of its file, which says nothing of what it is about."""
    return not passage.heading_path and passage.title == passage.source.rpartition("/")[2]


def _plain(heading: str) -> str:
    written = disarm(unlinked(" ".join(heading.split())))
    return " ".join(written.replace("*", " ").split()).rstrip(":： ")


def _headed(heading: str) -> str:
    """A heading as it stands before sentences."""
    plain = _plain(heading)
    return f"*{plain}*" if plain.endswith(("?", "？")) else f"*{plain}*:"


def _items(parts: Sequence[Quotable], query_words: frozenset[str], holds: Holds) -> Iterator[str]:
    """The items of a list, each as far in as those that it belongs to want it."""
    above: list[tuple[int, int]] = []
    for part in parts:
        indent = indent_of(part.text)
        while above and above[-1][0] >= indent:
            above.pop()
        inner = above[-1][1] if above else 0
        item = _item(part.text, query_words, holds)
        above.append((indent, inner + item.index(" ") + 1))
        yield " " * inner + item


def _item(text: str, query_words: frozenset[str], holds: Holds) -> str:
    if counted := _COUNTED_ITEM.match(text):
        return f"- {counted[1]}: {disarm(clean(text[counted.end() :]))}"
    numbered = _NUMBERED_ITEM.match(text)
    mark = f"{numbered[1]}." if numbered else "-"
    return f"{mark} {disarm(_shortened(clean(text), MOST_OF_ITEM, query_words, holds))}"


def _headless(row: str) -> str:
    """A row of a table whose head is not at hand: its first cell, and what the others say of it."""
    cells = [cell for one in cells_of(row) if (cell := disarm(clean(_NAMED.sub(r"\1", one))))]
    return f"{cells[0]}: {'; '.join(cells[1:])}" if len(cells) > 1 else "".join(cells)


def _shortened(text: str, longest: int, query_words: frozenset[str], holds: Holds) -> str:
    """Of a long text the first sentence, that with most words of the question, and what it is by default."""
    said = [one.text for one in sentences(text)]
    if len(text) <= longest or len(said) <= 2:
        return text
    # A label says nothing by itself: "Staging Directory."
    label = words_of(said[0])
    opens = 2 if len(label) <= WORDS_OF_LABEL and all(not word[0].islower() for word in label) else 1
    met = [len(query_words & {word.lower() for word in words_of(one)}) for one in said]
    # A number that is asked for comes before any words, unless it has been said.
    wanting = not any(map(holds, said[:opens]))
    best = max(range(opens, len(said)), key=lambda at: (wanting and holds(said[at]), met[at], -at))
    default = [at for at in range(opens, len(said)) if not _DEFAULT.isdisjoint(words_of(said[at].lower()))]
    kept = sorted({*range(opens), best, *(default[:1] if best not in default else ())})
    gaps = [behind - at > 1 for at, behind in pairwise(kept)]
    return " ".join(
        f"{said[at]} …" if gap else said[at] for at, gap in zip(kept, [*gaps, False], strict=True)
    )


def _entry(text: str, query_words: frozenset[str], holds: Holds) -> str:
    """A term of a manual as code, and what it means: of much, its beginning and what is asked for."""
    term, meaning = term_and_meaning(text)
    plain = disarm(term).replace("`", "'")
    if not meaning:
        return f"- `{plain}`"
    return f"- `{plain}`: {disarm(clean(_shortened(meaning, MOST_OF_ENTRY, query_words, holds)))}"


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
