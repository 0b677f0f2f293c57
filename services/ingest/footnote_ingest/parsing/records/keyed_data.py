"""JSON and YAML by key path: the text stays as it is, and the headings of a passage are the keys above it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.records import openapi
from footnote_ingest.parsing.records.data_events import DataBroken, DataEvent, json_events, yaml_events

_LONG_LINE = 20_000
"""JSON with a longer line is laid out in lines."""

_SECTION_CHARS = 40
"""What stands below an outermost key becomes a section from this many characters on."""

_INNER_SECTION_CHARS = 200
"""What stands below any other key becomes one from this many on."""

_RECORD_CHARS = 600
"""An entry of a list becomes a section of its own from this many characters on."""

_ELEMENT_CHARS = 300
"""Small neighbours share an element until it has this many characters."""

_DEEPEST_SECTION = 12
_NAMES = ("name", "title", "id", "key", "label")
"""Keys whose value names an entry of a list, the most telling first."""

_NAME_CHARS = 100
_Events = Callable[[], Iterator[DataEvent]]


def parse(given: ParserInput) -> Extracted:
    """Read JSON or YAML. OpenAPI has a reader of its own, and broken data becomes one piece of code."""
    decoded = decode(given.data, given.sniffed.encoding)
    language = given.sniffed.language or "json"
    text = decoded.text
    if language == "json" and max(map(len, text.split("\n")), default=0) > _LONG_LINE:
        text = _laid_out(text, given.limits.text)
    metadata = {"encoding": decoded.encoding, "code_language": language}

    def events() -> Iterator[DataEvent]:
        return yaml_events(text) if language == "yaml" else json_events(text)

    described = openapi.described(text, events)
    if described is not None:
        to = given.assembler()
        title = openapi.add_interface(to, described)
    else:
        to, title = given.assembler(text), None
        try:
            sections = _Sections.found(events)
        except DataBroken as broken:
            to.mark("code", 0, len(text), language=language)
            to.warnings.append(f"The file was taken as plain code: {broken}.")
        else:
            title = sections.title
            _Marking(to, text, language, sections).run(events)
    if decoded.warning:
        to.warnings.append(decoded.warning)
    return to.finish(title=title, metadata=metadata)


def _laid_out(text: str, most: int) -> str:
    try:
        laid = json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    except (ValueError, RecursionError):
        return text
    return laid if len(laid) <= most else text


@dataclass(slots=True)
class _Frame:
    """An open mapping or list, whose extent and name are not known yet."""

    kind: str
    start: int
    key: str | None = None
    name: str = ""
    rank: int = len(_NAMES)

    def takes(self, event: DataEvent) -> None:
        """Take a value. In a mapping every other one is a key."""
        if self.kind != "mapping":
            return
        if self.key is None:
            self.key = event.value
            return
        rank = _NAMES.index(self.key) if event.kind == "scalar" and self.key in _NAMES else len(_NAMES)
        if rank < self.rank and event.value.strip():
            self.name, self.rank = one_line(event.value)[:_NAME_CHARS], rank
        self.key = None


@dataclass(slots=True)
class _Sections:
    """The mappings and lists that are large enough for a heading, by the position where they begin.

    `names` holds the names of the large entries of lists.
    """

    ends: dict[int, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    title: str | None = None

    @classmethod
    def found(cls, events: _Events) -> "_Sections":
        """Raises DataBroken."""
        sections = cls()
        stack: list[_Frame] = []
        for event in events():
            if event.kind == "end":
                frame = stack.pop()
                size = event.end - frame.start
                if len(stack) <= _DEEPEST_SECTION and size >= _SECTION_CHARS:
                    sections.ends[frame.start] = event.end
                    if size >= _RECORD_CHARS and frame.name:
                        sections.names[frame.start] = frame.name
                if stack:
                    stack[-1].takes(event)
                elif sections.title is None and frame.rank == _NAMES.index("title"):
                    sections.title = frame.name
            elif event.kind in ("mapping", "list"):
                stack.append(_Frame(event.kind, event.start))
            elif stack:
                stack[-1].takes(event)
        return sections


@dataclass(slots=True)
class _Container:
    """A mapping or list that is open while elements are marked.

    `path` is None inside anything too small for a section.
    """

    kind: str
    path: tuple[str, ...] | None
    key: str | None = None
    key_start: int = 0
    index: int = 0


class _Marking:
    """Marks the elements. An element begins with a key or an entry, and ends with closing brackets."""

    def __init__(self, to: Assembler, text: str, language: str, sections: _Sections) -> None:
        self._to, self._text, self._language, self._sections = to, text, language, sections
        self._start = 0
        self._path: tuple[str, ...] = ()
        self._says = False

    def run(self, events: _Events) -> None:
        stack = [_Container("list", ())]
        for event in events():
            container = stack[-1]
            if event.kind == "end":
                stack.pop()
            elif container.kind == "mapping" and container.key is None:
                container.key, container.key_start = event.value or "?", event.start
                if event.kind in ("mapping", "list"):
                    stack.append(_Container(event.kind, None))
            else:
                path = self._value(event, container, root=len(stack) == 1)
                container.key, container.index = None, container.index + 1
                if event.kind in ("mapping", "list"):
                    stack.append(_Container(event.kind, path))
        self._flush(len(self._text))

    def _value(self, event: DataEvent, container: _Container, *, root: bool) -> tuple[str, ...] | None:
        """Take a value; returns the headings of what is in it, or None if it is too small for any."""
        if container.path is None:
            return None
        size = self._sections.ends.get(event.start, event.start) - event.start
        start, path, opens = event.start, container.path, False
        if container.kind == "mapping":
            start = container.key_start
            least = _INNER_SECTION_CHARS if container.path else _SECTION_CHARS
            if size >= least and container.key is not None:
                path, opens = (*path, container.key), True
        elif root:
            opens = size > 0
        elif size >= _RECORD_CHARS:
            name = self._sections.names.get(event.start, f"[{container.index}]")
            path, opens = (*path, name), True
        self._begin(start, path)
        self._says = self._says or not opens
        return path if opens else None

    def _begin(self, at: int, path: tuple[str, ...]) -> None:
        if self._says and (path != self._path or at - self._start >= _ELEMENT_CHARS):
            self._flush(self._line(at))
        self._path = path

    def _line(self, at: int) -> int:
        """Where the line begins, with the comments above it, if the key or entry is the first in it."""
        start = self._text.rfind("\n", self._start, at) + 1
        if start <= self._start or self._text[start:at].strip(" \t-"):
            return at
        while self._language == "yaml" and start - 1 > self._start:
            above = self._text.rfind("\n", self._start, start - 1) + 1
            if above <= self._start or not self._text.startswith(
                ("#", "---"), _first_black(self._text, above)
            ):
                break
            start = above
        return start

    def _flush(self, end: int) -> None:
        self._to.enter(self._path)
        self._to.mark("code", self._start, end, language=self._language)
        self._start, self._says = end, False


def _first_black(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at
