"""The one way in which the commands use Typer."""

from typing import Any

import typer


def typer_app(**options: Any) -> typer.Typer:
    """An application whose help is Markdown and whose errors stay plain; it offers no completion."""
    return typer.Typer(
        rich_markup_mode="markdown", pretty_exceptions_enable=False, add_completion=False, **options
    )
