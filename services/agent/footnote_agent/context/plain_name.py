"""Names that people gave to things, as one line of a tool's own text. Pure."""

_HARMLESS = str.maketrans(
    {"[": "(", "]": ")", "【": "(", "】": ")", "［": "(", "］": ")", "<": "‹", ">": "›"}
)
_NAME_CHARS = 120


def plain_name(name: str) -> str:
    """The name without line breaks, and with nothing that reads as a citation or as markup of ours."""
    line = " ".join("".join(char if char.isprintable() else " " for char in name[:1000]).split())
    return line[:_NAME_CHARS].translate(_HARMLESS) or "untitled"
