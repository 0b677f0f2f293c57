"""The queues and their tasks, each named once. A task takes ids; SQL says what there is to do."""

from enum import StrEnum


class Queue(StrEnum):
    """Celery queues (spec 3.2)."""

    PARSE = "parse"
    EMBED = "embed"
    INDEX = "index"
    MAINTENANCE = "maintenance"


class Task(StrEnum):
    """Every task. The part before the dot is its queue."""

    PARSE = "parse.document"
    EMBED = "embed.documents"
    INDEX = "index.documents"
    REMOVE = "index.remove"
    SWEEP = "maintenance.sweep"
    TIDY = "maintenance.tidy"

    @property
    def queue(self) -> Queue:
        return Queue(self.value.partition(".")[0])
