"""Modules that were joined into one script do what they do one by one."""

import shutil
import subprocess
from pathlib import Path

import pytest

from footnote_agent.console.joined_modules import joined_modules

MODULES = {
    "app.js": """\
// Runs last.
import { shout as loud, times } from "./parts/say.js";
import "./parts/first.js"; // leaves a word behind
import { basename } from "node:path";
import path from "node:path";

console.log(globalThis.said.join(" "), loud(basename("/a/b")), path.extname("c.md"), times());
void import("./parts/later.js").then(({ later }) => console.log(later));
""",
    "parts/say.js": """\
import { mark } from "./mark.js";
globalThis.said = [...(globalThis.said ?? []), "say"];
let count = 0;

export function shout(text) {
  count += 1;
  return `${text}${mark}`;
}

export const times = () => count;
export class Unused {}
export async function* none() {}
""",
    "parts/mark.js": """\
globalThis.said = ["mark"];
export const mark = "!";
""",
    "parts/first.js": 'import { mark } from "../parts/mark.js";\nglobalThis.said.push("first", mark);\n',
    "parts/later.js": 'export const later = "later";\n',
}


def written(folder: Path, modules: dict[str, str]) -> Path:
    for path, text in modules.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def printed(script: Path) -> str:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed; the joined modules are also run in a browser")
    return subprocess.run([node, str(script)], capture_output=True, text=True, check=True).stdout


def test_they_run_in_the_same_order_and_say_the_same(tmp_path: Path) -> None:
    folder = written(tmp_path, {**MODULES, "package.json": '{"type": "module"}'})
    (folder / "joined.js").write_text(joined_modules("app.js", MODULES))
    assert printed(folder / "joined.js") == printed(folder / "app.js") == "mark say first ! b! .md 1\nlater\n"


def test_each_runs_once_and_only_what_is_wanted() -> None:
    joined = joined_modules("app.js", MODULES)
    assert joined.count('modules["parts/mark.js"] = ') == 1
    assert 'later.js"] = ' not in joined


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("export default 1;\n", "another form"),
        ("export let changing = 1;\n", "another form"),
        ("export { a } from './a.js';\n", "another form"),
        ("import * as all from './a.js';\n", "another form"),
        ('import {\n  a,\n} from "./a.js";\n', "another form"),
        ('import { app } from "../app.js";\n', "imports itself"),
        ('import("./a.js");\n', "another form"),
        ('const later = () => import("./a.js");\n', "only the root"),
    ],
)
def test_what_it_cannot_join_is_refused(text: str, told: str) -> None:
    modules = {"app.js": 'import "./parts/a.js";\nexport const app = 1;\n', "parts/a.js": text}
    with pytest.raises(ValueError, match=told):
        joined_modules("app.js", modules)
