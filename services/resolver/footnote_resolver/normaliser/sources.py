"""The list at the end of a message in which a model says where its numbers come from."""

import re
from dataclasses import dataclass

from footnote_resolver.normaliser.addresses import ADDRESS
from footnote_resolver.normaliser.report import Known

_TITLES = (
    "bibliography",
    "bronnen",
    "citations",
    "einzelnachweise",
    "endnotes",
    "fontes",
    "fonti",
    "footnotes",
    "fuentes",
    "fußnoten",
    "literatur",
    "quellen",
    "quellenverzeichnis",
    "reference list",
    "references",
    "references cited",
    "referencias",
    "referências",
    "riferimenti",
    "références",
    "source list",
    "sources",
    "sources cited",
    "sources used",
    "works cited",
    "źródła",
    "источники",
    "参考文献",
    "参考资料",
    "出典",
    "来源",
    "引用来源",
    "참고문헌",
    "출처",
)
_heading = re.compile(
    rf" {{0,3}}(?:#{{1,6}} *)?[*_]{{0,3}}(?:{'|'.join(_TITLES)})(?: *[:：])?[*_]{{0,3}}(?: *[:：])?[ #]*",
    re.IGNORECASE,
)
_ITEM = r" {0,3}(?:(?:[-*+•]|[0-9]{1,3}[.)]) {1,3})?(?:\*\*|__)?"
_definition = re.compile(
    _ITEM + r"(?:\[\^?|【|［|\[\[|\[citation:)([1-9][0-9]{0,8})(?:\]|】|］|\]\])(?:\*\*|__)?:(?:\*\*|__)?(.*)"
)
_token = re.compile(_ITEM + r"\[citation:([1-9][0-9]{0,8})\](?:\*\*|__)?(.*)")
_address = re.compile(rf"(?:^|[\s(<\[]){ADDRESS}", re.IGNORECASE)
_rule = re.compile(r" {0,3}(?:-{3,}|\*{3,}|_{3,}) *")
_begun = re.compile(r" {0,3}(?:[-*+•]|[0-9]{1,3}[.)]?)? {0,3}(?:\*\*)?[\[【［]{0,2}\^?[0-9]{0,9}")
_reference = re.compile(r"\]\[([1-9][0-9]{0,8})\]")


@dataclass(slots=True)
class _Lines:
    """The lines of a text, from the last one up."""

    text: str
    start: int

    def up(self) -> str | None:
        """The line above, without what ends it; None above the first."""
        if self.start == 0:
            return None
        end = self.start - 1 if self.start <= len(self.text) else len(self.text)
        self.start = self.text.rfind("\n", 0, end) + 1
        return self.text[self.start : end].rstrip("\r")


def definitions_start(text: str, known: Known, *, cut: bool = False) -> int:
    """Where the list begins that ends what the model wrote and defines its numbers, -1 if there is none.

    Its lines are definitions of numbers, `[1]: https://a.b/c`. Each gives an address, or they stand under a
    heading such as "Sources". One of the numbers must be known, there must be text before the list, and
    no reference `[guide][9]` may need it. The last line of a text that was cut off may be the beginning of a
    definition.
    """
    lines = _Lines(text, len(text) + 1)
    start, numbers, waiting = -1, list[int](), list[int]()
    inside, begun = False, cut
    while (line := lines.up()) is not None:
        if not line.strip() or (begun and _begun.fullmatch(line)):
            begun = begun and not line.strip()
            continue
        begun = False
        defined = _definition.fullmatch(line)
        if defined is not None:
            inside = True
            if waiting or _address.search(defined[2]) is None:
                waiting.append(int(defined[1]))
            else:
                start = lines.start
                numbers.append(int(defined[1]))
        elif inside and _heading.fullmatch(line):
            start, inside = lines.start, False
            numbers += waiting
            waiting.clear()
        else:
            start = _with_rule(text, start, lines.start, line)
            break
    if start < 0 or not text[:start].strip() or not any(map(known, numbers)):
        return -1
    needed = {int(found) for found in _reference.findall(text, 0, start)}
    return -1 if any(n in needed and not known(n) for n in numbers) else start


def addresses_start(written: str) -> int:
    """Where the list of sources begins that ends a message in wire form, -1 if there is none.

    It has a heading such as "Sources". Its lines begin with a token and give an address or nothing else.
    """
    lines = _Lines(written, len(written) + 1)
    start, addresses, count = -1, 0, 0
    while (line := lines.up()) is not None:
        if not line.strip():
            continue
        token = _token.fullmatch(line)
        if token is not None and (not token[2].strip() or _address.search(token[2])):
            addresses += bool(token[2].strip())
            count += 1
        elif count and _heading.fullmatch(line):
            start, count = lines.start, 0
        else:
            start = _with_rule(written, start, lines.start, line)
            break
    return start if addresses and written[: max(start, 0)].strip() else -1


def _with_rule(text: str, start: int, above: int, line: str) -> int:
    """Where the list begins, if it begins at `start` or with a rule on the line above."""
    is_rule = start >= 0 and _rule.fullmatch(line) is not None and not text[above:start].strip(" -*_\r\n")
    return above if is_rule and _is_blank_above(text, above) else start


def _is_blank_above(text: str, start: int) -> bool:
    """Whether the line above the one that begins there is blank: else a rule would make a heading of it."""
    return start == 0 or not text[text.rfind("\n", 0, start - 1) + 1 : start].strip()
