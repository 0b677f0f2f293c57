"""Our modules of the console as one script, so that a page takes one file in place of seventy.

Each module becomes a function that runs once, behind those that it imports, and returns what it exports. What
it imports are constants. So nothing may be exported that is assigned anew, and no module may lead back to
itself. Libraries stay files of their own, to which the map of names in the page leads.
"""

import posixpath
import re
from collections.abc import Mapping

_IMPORT = re.compile(r'^import (?:(\{[^{}\n]*\}|\w+) from )?"([^"\n]+)";[ \t]*(?://[^\n]*)?\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|class|(?:async )?function\*?) (\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b[^\n]*", re.MULTILINE)
_LATER = re.compile(r"\bimport\(")


def joined_modules(entry: str, modules: Mapping[str, str]) -> str:
    """The script that runs `entry`. `modules` are their texts by their paths; the script lies at the root.

    Raises ValueError for modules that import each other, and for an import or export in another form than
    those of the console.
    """
    order: dict[str, list[str]] = {}
    _go_through(entry, modules, (), order)
    libraries = sorted({name for names in order.values() for name in names if not _is_ours(name)})
    head = [f'import * as library{number} from "{name}";\n' for number, name in enumerate(libraries)]
    known = ", ".join(f'"{name}": library{number}' for number, name in enumerate(libraries))
    parts = [_as_function(path, modules[path]) for path in order]
    return "".join([*head, f"const modules = {{ {known} }};\n", *parts])


def _go_through(
    path: str, modules: Mapping[str, str], above: tuple[str, ...], order: dict[str, list[str]]
) -> None:
    """Add a module to the order, with what it imports, behind all that it imports: as browsers run them."""
    if path in order:
        return
    if path in above:
        raise ValueError(f"{path} imports itself by way of {above[-1]}")
    names = _imported(modules[path])
    for name in names:
        if _is_ours(name):
            _go_through(_resolved(path, name), modules, (*above, path), order)
    order[path] = names


def _imported(text: str) -> list[str]:
    return [name for _, name in _IMPORT.findall(text)]


def _is_ours(name: str) -> bool:
    return name.startswith(".")


def _resolved(path: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))


def _as_function(path: str, text: str) -> str:
    def taken(found: re.Match[str]) -> str:
        names, module = found.groups()
        if names is None:
            return ""
        wanted = names.replace(" as ", ": ") if names.startswith("{") else f"{{ default: {names} }}"
        return f'const {wanted} = modules["{_resolved(path, module) if _is_ours(module) else module}"];\n'

    body = _EXPORT.sub("", _IMPORT.sub(taken, text))
    if left := _LEFT.search(body):
        raise ValueError(f"{path} has another form of import or export: {left[0]}")
    if _LATER.search(body) and posixpath.dirname(path):
        raise ValueError(f"{path} imports later, by a path that the script does not know: only the root may")
    exported = ", ".join(_EXPORT.findall(text))
    return f'modules["{path}"] = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();\n'
