"""Addresses as people may see them: an operator may have put a password or a key into one."""

MASK = "********"

_SECRET_NAMES = ("key", "secret", "token", "passw", "pwd", "sig", "credential", "auth")


def names_a_secret(name: str) -> bool:
    """Whether what stands under this name is nothing for a screen or a log."""
    return any(word in name.lower() for word in _SECRET_NAMES)


def shown_address(text: str) -> str:
    """The text, if it is an address without its password and without what its query says of keys.

    A user without a password is hidden too: a token often stands there.
    """
    scheme, separator, rest = text.partition("://")
    if not separator:
        return text
    rest, question, query = rest.partition("?")
    whose, at, where = rest.rpartition("@")
    if at:
        user, colon, _ = whose.partition(":")
        where = f"{user}:{MASK}@{where}" if colon else f"{MASK}@{where}"
    return f"{scheme}://{where}{question}" + "&".join(map(_shown_field, query.split("&")))


def _shown_field(field: str) -> str:
    name, equals, _ = field.partition("=")
    return f"{name}={MASK}" if equals and names_a_secret(name) else field
