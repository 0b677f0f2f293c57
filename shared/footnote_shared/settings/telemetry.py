"""The settings of logs and metrics."""

from typing import Literal

from pydantic import BaseModel, Field


class TelemetrySettings(BaseModel):
    """Logs and metrics."""

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", description="Least severe level that is logged."
    )
    log_format: Literal["auto", "json", "text"] = Field(
        "auto", description="json in production, text for people. auto: text on a terminal, else json."
    )
    record_content: bool = Field(
        False, description="Allow text of questions, passages and answers in logs and records."
    )
    worker_metrics_port: int = Field(
        0,
        ge=0,
        le=65535,
        description="Port of a worker's /metrics and /healthz. 0: none. With `footnote up` the three worker "
        "processes take this port and the two above it.",
    )
