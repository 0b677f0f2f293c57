"""A number with its noun, for what people read."""


def counted(count: int, what: str, many: str = "") -> str:
    """The number and the noun, such as "1 chunk" or "12 chunks". `what` is the noun for one.

    `many` is that for others, where it is not `what` with an s.
    """
    return f"{count} {what}" if count == 1 else f"{count} {many or f'{what}s'}"
