"""How the comments and changes of reviewers are shown, and what is said where they are not."""

from footnote_ingest.parsing.elements import one_line


def comment_line(author: str | None, said: str, where: str = "") -> str:
    """A comment as a line of its own; `where` names the cell that it is about."""
    at = f" on {where}" if where else ""
    return f"[Comment by {one_line(author or '') or 'a reviewer'}{at}: {one_line(said)}]"


def review_warning(changes: int, comments: int) -> str | None:
    """What a person should know about what was not read as it stands; None if nothing was."""
    said = []
    if changes:
        said.append(f"{_counted(changes, 'tracked change')} read as accepted")
    if comments:
        said.append(f"{_counted(comments, 'comment')} left out")
    return f"{' and '.join(said)} (FOOTNOTE_PARSE_REVIEW)." if said else None


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what} was" if number == 1 else f"{number:,} {what}s were"
