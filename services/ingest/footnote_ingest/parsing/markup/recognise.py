"""Which markup a text is written in, if its name does not say so.

A plain text that is taken for a markup loses its line breaks or gets headings that it does not have. So signs
are counted that hardly occur by chance, and one kind of sign alone is rarely enough.
"""

import re
from collections import Counter
from collections.abc import Callable

from footnote_ingest.parsing.formats import ASCIIDOC, LATEX, ORG, POD, RST, TEXINFO

_ADORNMENT = re.compile(r"([=\-~^\"'`#*+.:])\1{3,}$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ ]*([\w+#.-]{0,30})[^`]{0,80}$")
_ATX = re.compile(r"(#{1,6})[ ]+\S")
_MD_RELEASE = re.compile(r"##[ ]+\[?v?\d{1,4}\.\d{1,4}(?:\.\d{1,4})?\]?(?:[ ]|$)")
_MD_LINK = re.compile(r"!?\[[^\]\[]{0,300}\]\((?:https?://|\.{0,2}/|#|[\w-]{1,100}[./][\w./-]{1,100}\))")
_MD_DEFINITION = re.compile(r" {0,3}\[[^\]\[]{1,100}\]:[ ]+(?:<?https?://|\.{0,2}/|#)\S")
_MD_RULE = re.compile(r"\|?[ ]*:?-{3,}:?[ ]*(?:\|[ ]*:?-{3,}:?[ ]*)*\|?$")
_SETTING = re.compile(r"\s*[\w.\[\]-]{1,60}[ ]*=[^=]|[ ]*\[[\w. -]{1,60}\]$")
_RST_EXPLICIT = re.compile(r"[ ]*\.\.[ ]+(?:[\w:.+-]{1,60}::(?:[ ]|$)|_[^:]{1,100}:|\|[^|]{1,80}\|[ ]+\w+::)")
_RST_INLINE = re.compile(
    r":[a-z][a-z:+-]{1,30}:`[^`]{1,300}`|`[^`<]{0,300}<[^<>`]{1,500}>`__?(?!\w)|\w`__?(?!\w)"
)
_RST_BORDER = re.compile(r"={2,}(?:[ ]+={2,})+$|\+(?:[-=]{2,}\+){1,50}$")
_ORG_SETTING = re.compile(
    r"#\+(?:title|begin_src|begin_example|begin_quote|options|startup|author):?(?:[ ]|$)", re.I
)
_LATEX_CLASS = re.compile(r"[ \t]{0,8}\\documentclass[\[{ \t]")
_TEXINFO_FIRST = re.compile(r"\\input texinfo(?:\.tex)?(?![\w-])")
_TEXINFO_NOTE = re.compile(r"\*[Nn]ote[ ][^:]{1,80}:")
_POD_FIRST = re.compile(r"=(?:pod|encoding|head1)(?:[ \t]|$)")
_ORG_HEADING = re.compile(r"\*{1,10}[ ]+\S")
_ADOC_BLOCK = re.compile(
    r"\[(?:source|listing|verse|quote|horizontal|NOTE|TIP|WARNING|IMPORTANT|CAUTION|cols=|width=|options=|%)[^\[\]]{0,200}\]$"
)
_ADOC_MACRO = re.compile(
    r"(?:^|[\s(\"'])(?:(?:link(?:git)?|xref|image:?|include:|footnote|kbd):[^\s\[\]]{1,300}\[[^\[\]]{0,300}\]"
    r"|<<[\w-]{1,100}(?:,[^<>]{1,200})?>>)"
)
_ADOC_ENTRY = re.compile(
    r":(?:toc|author|doctype|icons|sectnums|source-highlighter|imagesdir|revdate):(?:[ ]|$)"
)
_ADOC_HEADING = re.compile(r"(={1,5})[ ]+[^=\s]")
_ADOC_ANCHOR = re.compile(r"\[\[[\w:.-]{1,80}(?:,[^\]\[]{1,200})?\]\]")
_ADOC_ANCHORED = re.compile(r"={2,5}[ ]+\[\[[\w:.-]{1,80}\]\][ ]?\w")
_ADOC_FENCE = re.compile(r"(?:-{4,}|\.{4,}|={4,}|\|={3,})$")
_SEVERAL = 2


def markup_of(head: str) -> str | None:
    """The media type of the markup that the first characters of a text are in; None for plain text."""
    lines = [line.rstrip() for line in head.split("\n")]
    for mime, told in _TOLD.items():
        if told(lines):
            return mime
    return None


def _is_rst(lines: list[str]) -> bool:
    """Signs of its own: directives, targets, roles and links.

    Underlined titles and literal blocks occur together. What makeinfo writes ends its references with two
    colons, too.
    """
    of_texinfo = any(_TEXINFO_NOTE.search(line) for line in lines)
    signs = sum(bool(_RST_EXPLICIT.match(line)) + bool(_RST_INLINE.search(line)) for line in lines)
    titles = literals = borders = 0
    for number, line in enumerate(lines[:-1]):
        below = lines[number + 1]
        if line and not line[0].isspace() and _ADORNMENT.match(below) and len(below) >= len(line):
            titles += 1
        if (
            not of_texinfo
            and line.endswith("::")
            and below == ""
            and lines[number + 2 : number + 3] not in ([], [""])
        ):
            literals += lines[number + 2].startswith((" ", "\t")) and not line.startswith((" ", "\t"))
        borders += bool(_RST_BORDER.match(line))
    return (
        signs >= _SEVERAL
        or (signs >= 1 and titles + literals + borders >= 1)
        or (titles >= 1 and literals >= 1)
        or (titles >= _SEVERAL and borders >= _SEVERAL)
    ) and not _is_markdown(lines, at_least=signs + 1)


def _is_org(lines: list[str]) -> bool:
    """A setting or a block, and a heading. A list with stars has no such settings."""
    settings = sum(_ORG_SETTING.match(line) is not None for line in lines)
    return settings >= 1 and any(_ORG_HEADING.match(line) for line in lines)


def _is_latex(lines: list[str]) -> bool:
    """The command that each document begins with, before anything but comments."""
    said = (line for line in lines if line.strip() and not line.lstrip().startswith("%"))
    return _LATEX_CLASS.match(next(said, "")) is not None


def _is_texinfo(lines: list[str]) -> bool:
    """The line that each manual begins with, before anything but comments."""
    said = (line for line in lines if line.strip() and not line.startswith("@c"))
    return _TEXINFO_FIRST.match(next(said, "")) is not None


def _is_pod(lines: list[str]) -> bool:
    """The command that a manual in Pod begins with."""
    return _POD_FIRST.match(next(filter(None, lines), "")) is not None


def _is_asciidoc(lines: list[str]) -> bool:
    """Signs of its own (macros, entries, attributes of a block) with headings or closed blocks.

    A line of dashes below an empty one begins a block, and an equal line ends it: one below words may
    underline them.
    """
    signs: Counter[str] = Counter()
    fence = ""
    for number, line in enumerate(lines):
        above = lines[number - 1] if number else ""
        if fence:
            if line == fence:
                signs["block"] += 1
                fence = ""
            continue
        if _ADOC_FENCE.match(line) and (not above or _ADOC_BLOCK.match(above)):
            fence = line
        elif _ADOC_HEADING.match(line):
            signs["heading"] += 1
        elif above and _ADORNMENT.match(line) and abs(len(above) - len(line)) <= 1 and line[0] in "=-~^":
            signs["underlined"] += 1
        signs["own"] += bool(_ADOC_BLOCK.match(line)) + bool(_ADOC_ENTRY.match(line))
        signs["own"] += bool(_ADOC_ANCHORED.match(line))
        signs["own"] += bool(_ADOC_MACRO.search(line)) + bool(_ADOC_ANCHOR.fullmatch(line))
    structure = signs["heading"] + signs["underlined"] + signs["block"]
    return signs["own"] >= 1 and structure >= _SEVERAL and signs["own"] + structure > _SEVERAL + 1


def _is_markdown(lines: list[str], at_least: int = 0) -> bool:
    """A closed fence, a ruled table, or several links; or headings with one of these or with ranks.

    There must be `at_least` this many signs.
    """
    signs: Counter[str] = Counter()
    ranks: set[int] = set()
    fence: str | None = None
    settings = 0
    for number, line in enumerate(lines):
        opened = _FENCE.match(line)
        if fence is not None:
            if opened is not None and opened[1].startswith(fence) and not opened[2]:
                signs["fence"] += 1
                fence = None
            continue
        above = lines[number - 1] if number else ""
        # Tildes right below a line underline it.
        if opened is not None and (opened[1].startswith("`") or not above):
            fence = opened[1]
            continue
        if line.startswith(("    ", "\t")):
            continue
        below = lines[number + 1] if number + 1 < len(lines) else ""
        heading = _ATX.match(line)
        if heading is not None and not above.startswith("#") and not below.startswith("#"):
            signs["heading"] += 1
            ranks.add(len(heading[1]))
            signs["release"] += bool(_MD_RELEASE.match(line))
        elif above and not above[0].isspace() and re.match(r"(?:={3,}|-{3,})$", line):
            signs["underlined"] += 1
        signs["link"] += len(_MD_LINK.findall(line)) + bool(_MD_DEFINITION.match(line))
        if "|" in line and "|" in above and _MD_RULE.match(line):
            signs["table"] += 1
        settings += bool(_SETTING.match(line))
    headings = signs["heading"] + signs["underlined"]
    is_markdown = (
        signs["fence"] >= 1
        or signs["table"] >= 1
        or signs["link"] > _SEVERAL
        or (headings >= 1 and signs["link"] >= 1)
        or signs["release"] >= _SEVERAL
        or (signs["heading"] > _SEVERAL and len(ranks) > 1 and settings * _SEVERAL <= signs["heading"])
    )
    return is_markdown and signs.total() >= at_least


_TOLD: dict[str, Callable[[list[str]], bool]] = {
    TEXINFO: _is_texinfo,
    LATEX: _is_latex,
    POD: _is_pod,
    ORG: _is_org,
    ASCIIDOC: _is_asciidoc,
    RST: _is_rst,
    "text/markdown": _is_markdown,
}
