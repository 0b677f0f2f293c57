"""What goes wrong at the other system, by who has to act."""


class SourceTrouble(Exception):
    """The run cannot go on now. `reason` is a sentence for the connector's owner, without any secret."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class SourceDown(SourceTrouble):
    """The source does not answer, or not with sense. The run tries again, and its tries count."""


class SourceBusy(SourceTrouble):
    """The source asks to be left alone for `retry_after` seconds. That is no failed try."""

    def __init__(self, reason: str, retry_after: float) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class OwnerMustAct(SourceTrouble):
    """Trying again cannot help. The reason says what the owner has to do."""


class ItemSkipped(Exception):
    """This item is left out on purpose, and why. It is not looked at again until it changes."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ItemFailed(ItemSkipped):
    """This item could not be had now. The next run tries it again; until then its document stays."""
