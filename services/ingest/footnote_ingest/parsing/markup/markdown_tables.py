"""Long tables of Markdown: their first rows are read cell by cell, and the others only as lines.

A cell takes three objects of markdown-it, about a kilobyte, and our elements are ranges of lines.
"""

from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import table as read_cells

_MOST_CELLS = 50_000


def read_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The rule of markdown-it for a table, which makes tokens of this many cells at most."""
    bars = state.src.count("|", state.bMarks[start], state.eMarks[start])
    last = min(end, start + 2 + max(1, _MOST_CELLS // (bars + 1)))
    opened = len(state.tokens)
    if not read_cells(state, start, last, silent):
        return False
    if silent or state.line < last or last == end:
        return True
    # What ends a table is what ends a quotation, as in the rule itself.
    ends = state.md.block.ruler.getRules("blockquote")
    outer, state.parentType = state.parentType, "table"
    line = last
    while (
        line < end
        and state.sCount[line] >= state.blkIndent
        and not state.isEmpty(line)
        and not state.is_code_block(line)
        and not any(rule(state, line, end, True) for rule in ends)
    ):
        line += 1
    state.parentType = outer
    state.tokens[opened].map = [start, line]
    state.line = line
    return True
