"""Completion of commands, options and their values in bash, zsh, fish and PowerShell.

A shell asks by starting `footnote` with a variable set. The module of a command is imported only when its own
words are completed.
"""

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from footnote_cli.commands_list import COMMANDS, load_command
from footnote_shared.settings.base import in_environment

OPTIONS = ("--install-completion", "--show-completion")
_VARIABLE = "_FOOTNOTE_COMPLETE"
_SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")


class _Commands(TyperGroup):
    """All commands by name and line; a command is loaded when its own words are asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = COMMANDS.get(cmd_name)
        return None if command is None else TyperCommand(cmd_name, help=command.line)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in COMMANDS:
            return super().resolve_command(ctx, args)
        return args[0], get_command(load_command(args[0])), args[1:]


def asked_for(first: str) -> bool:
    """Whether a shell asks for completions, or a person for the script that asks."""
    return first in OPTIONS or any(in_environment(_VARIABLE, f"complete_{shell}") for shell in _SHELLS)


def answer() -> None:
    """Print the completions or the script, or install it, and exit."""
    app = typer.Typer(pretty_exceptions_enable=False, add_completion=True)
    app.callback(cls=_Commands)(_nothing)
    app(prog_name="footnote")


def _nothing() -> None:
    """The command itself does nothing."""
