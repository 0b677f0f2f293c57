"""The settings of logs, metrics and traces."""

from typing import Literal

from pydantic import BaseModel, Field, SecretStr


class TelemetrySettings(BaseModel):
    """Logs, metrics and traces."""

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
    otlp_endpoint: str = Field(
        "",
        description="Base URL of a backend that takes traces by OTLP over HTTP, such as "
        "`http://collector:4318`. Empty: no traces, which then cost nothing.",
    )
    otlp_headers: SecretStr = Field(
        SecretStr(""),
        description="Headers for that backend: `name=value`, separated by commas, such as its key.",
    )
    trace_share: float = Field(
        1.0,
        ge=0.0,
        le=1.0,
        description="Share of traces that are kept. Which ones depends on their id, so that all processes "
        "keep the same.",
    )
