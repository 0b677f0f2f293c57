"""`footnote flags`: what a workspace sets in place of the operator, and who changed it."""

import difflib
import json
import math
from typing import Annotated, Any

import typer

from footnote_cli.api_client import Api, connect
from footnote_cli.render import console, outside, print_json, table
from footnote_cli.typer_app import typer_app
from footnote_shared.kernel.errors import InvalidRequest

app = typer_app(invoke_without_command=True)
_Json = Annotated[bool, typer.Option("--json", help="Print the API's own answer.")]
_Name = Annotated[str, typer.Argument(help="The flag, as `footnote flags` lists it.")]
_Version = Annotated[
    int | None,
    typer.Option(
        "--version", min=0, help="Change it only while the flags are at this version, which the list shows."
    ),
]
_ON, _OFF = ("on", "true", "yes"), ("off", "false", "no")


@app.callback()
def list_flags(context: typer.Context, as_json: _Json = False) -> None:
    """List the flags of your workspace: each value, who decided it, and what it takes.

    A flag is a setting of the operator that a workspace may set for itself. It holds for every search and
    question of the workspace that does not say otherwise, itself or by its preset, in all processes within a
    second and without a restart.

    Example: `footnote flags set fusion rrf`

    Exit status: 0 when it is done, 1 when the server refused it, 2 on wrong use, 3 when no server answers.
    """
    if context.invoked_subcommand is not None:
        return
    found = connect().get("/v1/flags")
    if as_json:
        print_json(found)
    else:
        _print(found)


@app.command("set")
def set_flag(
    name: _Name,
    value: Annotated[str, typer.Argument(help="Its value. For a switch: on or off.")],
    version: _Version = None,
    as_json: _Json = False,
) -> None:
    """Set a flag for the workspace. This needs a key with the scope `admin`.

    Examples: `footnote flags set hybrid off`, `footnote flags set alpha 0.3`,
    `footnote flags set alpha auto`
    """
    api = connect()
    card = _card(api, name)
    body = {"value": _value(value, card), "version": version}
    _done(api.request("PUT", f"/v1/flags/{card['name']}", json=body).json(), as_json=as_json)


@app.command("clear")
def clear_flag(name: _Name, version: _Version = None, as_json: _Json = False) -> None:
    """Clear a flag of the workspace, so that the operator's setting holds again. This needs `admin` too.

    Example: `footnote flags clear fusion`
    """
    api = connect()
    card = _card(api, name)
    query = {} if version is None else {"version": version}
    _done(api.request("DELETE", f"/v1/flags/{card['name']}", params=query).json(), as_json=as_json)


@app.command("log")
def show_log(
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="Changes at most.")] = 20,
    as_json: _Json = False,
) -> None:
    """Show who changed a flag or a tool, when, and from what to what. This needs `admin` too.

    Example: `footnote flags log --limit 5`
    """
    found = connect().get("/v1/audit", limit=limit, action=["flag.set", "flag.cleared", "tool.switched"])
    if as_json:
        print_json(found)
        return
    if not found["items"]:
        console.print("Nothing was changed yet.")
        return
    rows = table("", "when", "who", "what", "before", "after")
    for entry in found["items"]:
        what = f"{entry['action']} {entry['subject']}"
        change = _shown(entry.get("before")), _shown(entry.get("after"))
        rows.add_row(*map(outside, (entry["at"], entry.get("avatar") or entry["avatar_id"], what, *change)))
    console.print(rows)


def _card(api: Api, name: str) -> dict[str, Any]:
    """The flag of this name, as the server has it. Raises InvalidRequest with the nearest name."""
    cards: dict[str, dict[str, Any]] = {card["name"]: card for card in api.get("/v1/flags")["items"]}
    if name not in cards:
        close = difflib.get_close_matches(name, cards, n=1)
        hint = f"Did you mean {close[0]}?" if close else f"There are {', '.join(cards)}."
        raise InvalidRequest(f"There is no flag of this name. {hint}")
    return cards[name]


def _value(text: str, card: dict[str, Any]) -> Any:
    """The value that was typed, in the type of the flag. What does not fit, the server refuses by name."""
    if isinstance(card["value"], bool):
        word = text.lower()
        return True if word in _ON else False if word in _OFF else text
    if card["choices"]:
        return text
    try:
        number = float(text)
    except ValueError:
        return text
    if not math.isfinite(number):
        return text
    return int(number) if number.is_integer() else number


def _done(found: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
    else:
        _print(found)


def _print(found: dict[str, Any]) -> None:
    rows = table(f"Flags, version {found['version']}", "flag", "value", "decided by", "else", "takes")
    for card in found["items"]:
        fallback = card["fallback"]
        otherwise = f"{_shown(fallback['value'])} ({fallback['source']})"
        rows.add_row(
            *map(outside, (card["name"], _shown(card["value"]), card["source"], otherwise, card["accepts"]))
        )
    console.print(rows)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
