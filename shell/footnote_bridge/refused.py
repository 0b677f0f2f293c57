"""A request that the bridge does not serve, with the status code and in the words that Qdrant uses."""


class Refused(Exception):
    """Raised anywhere below the routes; the server renders it in the shape of Qdrant's errors."""

    def __init__(self, message: str, *, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


def wrong_input(message: str) -> Refused:
    """The caller must change the request."""
    return Refused(f"Wrong input: {message}")


def missing_collection(name: str) -> Refused:
    """There is neither a collection nor an alias of this name."""
    return Refused(f"Not found: Collection `{name}` doesn't exist!", status=404)


def existing_collection(name: str) -> Refused:
    """The name is taken. Callers that race to create a collection rely on this status."""
    return Refused(f"Wrong input: Collection `{name}` already exists!", status=409)
