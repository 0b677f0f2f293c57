"""What the directives of reStructuredText and of Sphinx show to a reader of the text."""

import re
from dataclasses import dataclass, field

from footnote_ingest.parsing.markup.markup_text import dedented, indented_end

_DIRECTIVE = re.compile(
    r"\.\.[ ]+(?:\|(?P<name>[^|]{1,80})\|[ ]+)?(?P<kind>\w[\w.+:-]{0,60}?)[ ]?::(?:[ ]++(?P<rest>.*))?$"
)
OPTION = re.compile(r":([A-Za-z][\w. -]{0,60}):(?:[ ]++(.*))?$")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


CODE = _names(
    "code code-block sourcecode code-cell literalinclude parsed-literal prompt console ipython command- "
    "output program-output productionlist graphviz digraph graph mermaid uml plantuml testcode "
    "testsetup testoutput testcleanup doctest jupyter-execute plot math"
)
LANGUAGES = {"doctest": "python", "testcode": "python", "ipython": "python", "testsetup": "python"}
NO_LANGUAGE = _names("none text default math parsed-literal productionlist testoutput")
DROPPED = _names(
    "toctree index contents include raw meta default-role role highlight highlightlang currentmodule "
    "tabularcolumns sectnum section-numbering target-notes title rst-class cssclass py:module "
    "py:currentmodule module sectionauthor codeauthor moduleauthor header footer default-domain"
)
"""What is no text of the document: settings, lists of its other pages, and text of other files."""

NOTES = {
    "note": "Note: ",
    "warning": "Warning: ",
    "tip": "Tip: ",
    "hint": "Hint: ",
    "important": "Important: ",
    "caution": "Caution: ",
    "danger": "Danger: ",
    "error": "Error: ",
    "attention": "Attention: ",
    "seealso": "See also: ",
    "todo": "Todo: ",
    "versionadded": "Added in version ",
    "versionchanged": "Changed in version ",
    "deprecated": "Deprecated since version ",
    "versionremoved": "Removed in version ",
    "deprecated-removed": "Deprecated since version ",
}
OF_VERSIONS = frozenset(name for name, lead in NOTES.items() if lead.endswith("version "))
PICTURES = frozenset(("image", "figure"))
WITH_SECTIONS = _names("only ifconfig container div tab-set tabs")
"""Their contents stand in the document as if there were no directive."""

_CODE_NAMES = _names("example run code exec session execute repl shell snippet block listing")
"""How the name of a directive of an extension ends that may show code, as in `click:example`."""

_LIKE_CODE = re.compile(r"^[ ]|^[@$>#%}\])]|[;{}()=\[\]]|^\w+:$")
_CODE_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Directive:
    """One directive: `.. kind:: argument`, options below it, and contents without indentation."""

    kind: str
    name: str | None
    argument: str
    options: dict[str, str] = field(default_factory=dict)
    content: list[str] = field(default_factory=list)


def shows_code(directive: Directive) -> bool:
    """Whether a directive of an extension shows code: its name says so, and its lines are no sentences."""
    last = directive.kind.replace("-", ":").rpartition(":")[2]
    if last not in _CODE_NAMES or directive.kind in WITH_SECTIONS:
        return False
    said = [line for line in directive.content if line.strip()]
    like = sum(_LIKE_CODE.search(line) is not None for line in said)
    return bool(said) and like >= _CODE_SHARE * len(said)


def directive_at(lines: list[str], at: int) -> tuple[Directive, int] | None:
    """The directive that begins in this line, and the line after it; None if there is none."""
    match = _DIRECTIVE.match(lines[at])
    if match is None:
        return None
    end = indented_end(lines, at + 1)
    below = dedented(lines[at + 1 : end])
    # The argument goes on in the lines right below, and options come before the first empty line.
    argument = [match["rest"].strip()] if match["rest"] else []
    options: dict[str, str] = {}
    used = 0
    if lines[at + 1 : at + 2] not in ([], [""]):
        for line in below:
            option = OPTION.match(line)
            if option is None and (options or not line or match["kind"] in CODE or match["kind"] in NOTES):
                break
            if option is not None:
                options[option[1].lower()] = option[2] or ""
            else:
                argument.append(line.strip())
            used += 1
    told = Directive(
        match["kind"].lower(), match["name"], " ".join(argument), options, dedented(below[used:])
    )
    return told, end
