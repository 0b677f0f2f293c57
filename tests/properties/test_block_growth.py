"""What a hostile passage costs the quoting of blocks grows with its length, and not with the square of it."""

import pytest

from footnote_agent.engines.blocks import blocks_of
from footnote_agent.engines.bold_heads import bold_heads_in
from footnote_agent.engines.headlines import headlines_in
from footnote_agent.engines.leads import lead_of
from tests.properties.effort import calls

UNITS = [
    "\n",
    "- a\n",
    "- a\n\n",
    "- a\n\n\n",
    "- a\nB\n",
    "- a\n  b\n",
    "1. a:\n\n",
    "a:\n",
    "a: b\n",
    "a: b\n\n",
    "Is: so.\nIt: is: so.\n",
    "```\n",
    "````\n```\n",
    "~~~ x\n```\n",
    "|\n",
    "|a|\n|-|\n",
    "|a|\n|-|\n\n",
    "|-|\n",
    "Do this:\n```\nx\n```\n",
    "Do. ",
    "(a) b:\n- c\n",
    "Gulls come\nThey eat all that there is for them here.\n",
    "**Gulls.** They eat.\n\n",
    "**Gulls**\n\nThey eat.\n",
    "-a  to eat\n",
    "-a  to eat\nB\n",
    "they eat\n\n",
    "a  b\n",
    "a  b\n" * 3 + "\n",
    "do it\nlet it go there\n",
    "so it is\n\n# ab c\n\n",
    "do it\nit is done\n",
    "do <it>\nit is done\n\n",
    "2.3. Do it\n\nIt is done by\n\n  x=y\n\nand so on.\n\n",
    "•\nA b\n",
    "$ a b\n\n",
]


def heads_out(text: str) -> str:
    """The text without its bold lines and the terms above their text."""
    return headlines_in(text).without_terms(bold_heads_in(text).without_lines(text))


@pytest.mark.parametrize("kind", ["text", "code", "mixed", "table"])
@pytest.mark.parametrize("start", ["", "- a\n", "```\n", "a: b\n", "|a|\n|-|\n"])
def test_costs_in_proportion_to_its_length(start: str, kind: str) -> None:
    for unit in UNITS:
        short, long = start + unit * 60, start + unit * 240
        for work in (lambda text: blocks_of(text, kind), lead_of, heads_out):
            few, many = calls(lambda: work(short)), calls(lambda: work(long))  # noqa: B023
            assert many <= 4.5 * few + 500, unit
