"""The queues and their tasks, each named once. A task takes ids; SQL says what there is to do."""

from collections.abc import Mapping
from enum import StrEnum


class Queue(StrEnum):
    """Celery queues (spec 3.2)."""

    PARSE = "parse"
    MEDIA = "media"
    EMBED = "embed"
    INDEX = "index"
    CONNECTORS = "connectors"
    FACTS = "facts"
    MAINTENANCE = "maintenance"


class Task(StrEnum):
    """Every task. The part before the dot is its queue."""

    PARSE = "parse.document"
    MEDIA = "media.document"
    EMBED = "embed.documents"
    LANE = "embed.lane"
    INDEX = "index.documents"
    REMOVE = "index.remove"
    SYNC = "connectors.sync"
    APPLY = "connectors.apply"
    FACTS = "facts.document"
    SWEEP = "maintenance.sweep"
    TIDY = "maintenance.tidy"
    ERASE = "maintenance.erase"
    ERASE_AVATAR = "maintenance.erase_avatar"

    @property
    def queue(self) -> Queue:
        return Queue(self.value.partition(".")[0])

    @property
    def together(self) -> int:
        """The most ids that one message of this task names. Its worker works on them together."""
        return _TOGETHER.get(self, 1)


_TOGETHER: Mapping[Task, int] = {Task.PARSE: 16, Task.EMBED: 32, Task.INDEX: 16}
