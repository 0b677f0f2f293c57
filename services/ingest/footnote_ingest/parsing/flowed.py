"""Mail whose lines flow (RFC 3676): a line that ends in a space goes on in the next one."""

_SIGNATURE = "-- "


def unflowed(text: str, *, delete_space: bool) -> str:
    """The text with each paragraph in one line; quoted lines keep one `>` for each level.

    With `delete_space` the space that marks a line as going on is no part of the text (`DelSp=yes`).
    """
    lines: list[str] = []
    going_on: int | None = None
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        said = line.lstrip(">")
        depth = len(line) - len(said)
        said = said.removeprefix(" ")
        flows = said.endswith(" ") and said != _SIGNATURE
        if flows and delete_space:
            said = said[:-1]
        if going_on == depth and said != _SIGNATURE:
            lines.append(said)
        else:
            lines.append(("\n" if lines else "") + (">" * depth + " " if depth else "") + said)
        going_on = depth if flows else None
    return "".join(lines)
