"""A number with its noun, for what people read."""


def counted(count: int, what: str) -> str:
    """The number and the noun, such as "1 chunk" or "12 chunks". `what` is the noun for one."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
