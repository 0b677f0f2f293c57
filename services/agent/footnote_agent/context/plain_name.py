"""Names that people gave to things, as one line of a tool's own text. Pure."""

_HARMLESS = str.maketrans(
    {"[": "(", "]": ")", "【": "(", "】": ")", "［": "(", "］": ")", "<": "‹", ">": "›"}
)
NAME_CHARS = 120
"""Characters of a name that are shown."""


def plain_name(name: str) -> str:
    """The name without line breaks, and with nothing that reads as a citation or as markup of ours."""
    return plain_text(name, NAME_CHARS) or "untitled"


def plain_text(text: str, most: int) -> str:
    """At most this many characters of a text, as harmless as a name."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text[: most + 1000]).split())
    return line[:most].translate(_HARMLESS)
