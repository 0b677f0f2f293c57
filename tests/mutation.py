"""Mutation testing: change the code a little, and tell which changes no test notices (cosmic-ray). By hand.

    .venv/bin/python -m tests.mutation [--only judge.py] [--numbers]

The files and the tests that must notice are listed in pyproject.toml under `tool.mutation.tests`. Everything
happens in a copy of the working tree. `--numbers` changes chosen numbers alone, by a tenth both ways: a tuned
number needs a case on each side. Inside functions 0, 1 and 2 count and index: the full run changes them.
Constants that nobody tuned, or that a tenth more or less cannot change, are named with the reason under
`tool.mutation.arbitrary`, and are left alone. So are decorators, whose `frozen`, `slots` and `maxsize` are
for the reader and for speed.
"""

import argparse
import ast
import difflib
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import cosmic_ray.plugins
import parso
from cosmic_ray.ast import ast_nodes, get_ast_from_path, is_number
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.work_item import MutationSpec

from tests.warm_trials import WarmTrials

ROOT = Path(__file__).parents[1]
TIMEOUT_S = 300
NUDGES = "footnote/nudge"
LOGIC = (
    "core/AddNot",
    "core/ReplaceAndWithOr",
    "core/ReplaceOrWithAnd",
    "core/ReplaceTrueWithFalse",
    "core/ReplaceFalseWithTrue",
    "core/ReplaceComparisonOperator_GtE_Gt",
    "core/ReplaceComparisonOperator_Gt_GtE",
    "core/ReplaceComparisonOperator_LtE_Lt",
    "core/ReplaceComparisonOperator_Lt_LtE",
    "core/ReplaceBinaryOperator_Add_Sub",
    "core/ReplaceBinaryOperator_Sub_Add",
    "core/ReplaceBinaryOperator_Mul_Add",
    "core/ReplaceBinaryOperator_Div_Mul",
)


class Nudge(Operator):  # type: ignore[misc]  # cosmic-ray has no types
    """Makes a number a tenth greater or smaller, a whole number by one at least; 0.0 stays."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        if is_number(node) and node.value != "0.0":
            yield from ((node.start_pos, node.end_pos),) * 2

    def mutate(self, node: Any, index: int) -> Any:
        number, sign = ast.literal_eval(node.value), (1, -1)[index]
        if isinstance(number, float):
            changed = f"{number * (1 + 0.1 * sign):.9g}"
        else:
            changed = str(number + sign * max(1, round(number / 10)))
        return parso.python.tree.Number(f" ({changed})", node.start_pos)

    @classmethod
    def examples(cls) -> tuple[Any, ...]:
        return ()


class Provider:
    """What cosmic-ray asks for its operators."""

    def __iter__(self) -> Iterator[str]:
        return iter(["nudge"])

    def __getitem__(self, name: str) -> type[Operator]:
        return Nudge


def mutations(path: str, operators: tuple[str, ...]) -> Iterator[MutationSpec]:
    tree = get_ast_from_path(Path(path))
    for name in operators:
        operator = cosmic_ray.plugins.get_operator(name)()
        positions = (place for node in ast_nodes(tree) for place in operator.mutation_positions(node))
        for occurrence, (start, end) in enumerate(positions):
            yield MutationSpec(path, name, occurrence, start, end)


def arbitrary_numbers(source: str, names: Collection[str]) -> set[tuple[int, int]]:
    """Line and column of each number in these constants of a module."""
    found: list[ast.AST] = []
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assign):
            target, value = statement.targets[0], statement.value
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(target.elts, value.elts, strict=True))
            found += [value for name, value in pairs if isinstance(name, ast.Name) and name.id in names]
    return {
        (node.lineno, node.col_offset)
        for value in found
        for node in ast.walk(value)
        if isinstance(node, ast.Constant)
    }


def counting_numbers(source: str) -> set[tuple[int, int]]:
    """Line and column of each 0, 1, 2 and 1.0 inside a function."""
    return {
        (node.lineno, node.col_offset)
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Constant) and node.value in (0, 1, 2)
    }


def decorator_lines(source: str) -> set[int]:
    decorated = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, decorated)
        for decorator in node.decorator_list
        for line in range(decorator.lineno, (decorator.end_lineno or decorator.lineno) + 1)
    }


def survivors(
    path: str, tests: list[str], operators: tuple[str, ...], arbitrary: Collection[str] = ()
) -> int:
    """Try every change of one file, print those that no test notices, and count them."""
    trials = WarmTrials(Path.cwd(), tests, TIMEOUT_S)
    file = Path(path)
    source = file.read_text("utf-8")
    spared, decorators = arbitrary_numbers(source, arbitrary), decorator_lines(source)
    if operators == (NUDGES,):
        spared |= counting_numbers(source)
    tried = survived = 0
    for mutation in mutations(path, operators):
        spare = mutation.operator_name == NUDGES and mutation.start_pos in spared
        if spare or mutation.start_pos[0] in decorators:
            continue
        operator = cosmic_ray.plugins.get_operator(mutation.operator_name)()
        changed = mutate_code(source, operator, mutation.occurrence)
        file.write_text(changed, "utf-8")
        tried += 1
        if trials.pass_now():
            survived += 1
            lines = difflib.unified_diff(source.splitlines(), changed.splitlines(), n=0)
            shown = [line for line in lines if line[:1] in "+-" and line[1:2] not in "+-"]
            print(f"{path}:{mutation.start_pos[0]}", *shown, sep="\n  ", flush=True)
    file.write_text(source, "utf-8")
    print(f"{path}: {survived} of {tried} changes survived", flush=True)
    return survived


def copy_tree(target: Path) -> None:
    """The files of the working tree, those that git ignores left out."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(
        listed, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines():
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--only", default="", help="files whose path ends with this")
    arguments.add_argument("--numbers", action="store_true", help="numbers alone")
    options = arguments.parse_args()
    cosmic_ray.plugins.OPERATOR_PROVIDERS["footnote"] = Provider()
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mutation"]
    files, arbitrary = listed["tests"], listed["arbitrary"]
    operators = (NUDGES,) if options.numbers else (NUDGES, *LOGIC)
    with tempfile.TemporaryDirectory(prefix="footnote-mutation-") as folder:
        copy_tree(Path(folder))
        os.chdir(folder)
        chosen = {path: tests for path, tests in files.items() if path.endswith(options.only)}
        left = [survivors(path, tests, operators, arbitrary.get(path, {})) for path, tests in chosen.items()]
        sys.exit(1 if sum(left) else 0)


if __name__ == "__main__":
    main()
