"""Structured logs:

JSON in production, text in a terminal. Events are constants, values are fields, no content.
"""

import logging
import sys
from typing import TextIO

import structlog
from structlog.types import EventDict, WrappedLogger

from footnote_shared.settings.telemetry import TelemetrySettings
from footnote_shared.telemetry import context


def set_up_logs(settings: TelemetrySettings, service: str, stream: TextIO | None = None) -> None:
    """Send records of structlog and of the standard library the same way. Call it once per process."""
    out = stream or sys.stderr
    as_json = settings.log_format == "json" or (settings.log_format == "auto" and not out.isatty())

    def add_context(logger: WrappedLogger, name: str, entry: EventDict) -> EventDict:
        entry["service"] = service
        for key, variable in (
            ("trace_id", context.trace_id),
            ("workspace_id", context.workspace_id),
            ("subject", context.subject),
        ):
            if value := variable.get():
                entry.setdefault(key, value)
        return entry

    shared: list[structlog.types.Processor] = [
        add_context,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    renderer: structlog.types.Processor = (
        structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=out.isatty())
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(settings.log_level)
    for noisy in (
        "alembic",
        "httpx",
        "httpx2",
        "httpcore",
        "httpcore2",
        "uvicorn.access",
        "celery.app.trace",
        "celery.beat",
        "celery.worker.strategy",
    ):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def logger(name: str) -> structlog.stdlib.BoundLogger:
    """The logger of a module."""
    bound: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return bound
